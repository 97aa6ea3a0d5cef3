import { basename } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Event } from '../../../../shared/model/event.ts';
import { isCutOver } from '../../../../shared/model/machine-life.ts';
import { notificationSecrets, type Notification } from '../../../../shared/model/notifications.ts';
import { notifier, type Notifier } from '../../notifications/notifier.ts';
import { sendMail } from '../../notifications/send-mail.ts';
import { sendWebhook } from '../../notifications/send-webhook.ts';
import { toldBy } from '../../notifications/what-to-tell.ts';
import type { NotificationDelivery } from '../../store/notification-outbox.ts';
import type { Clock } from '../../time/clock.ts';
import type { CoreContext, CoreParts } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { readNotificationSettings } from './settings-file.ts';

/** Sends messages by one way. @throws CausewayError */
export async function sendBy(
  core: Pick<CoreParts, 'stateFolder' | 'gate' | 'vault'>,
  { id, way, messages }: NotificationDelivery,
  signal: AbortSignal,
): Promise<string> {
  const { webhook, mail } = readNotificationSettings(core.stateFolder);
  const project = basename(projectFolderOf(core));
  const secret = async (name: string): Promise<string | undefined> =>
    (await core.vault.has(name)) ? core.gate.notificationSecret(name) : undefined;
  if (way === 'webhook') {
    const address = webhook === undefined ? undefined : await secret(notificationSecrets.address);
    if (webhook === undefined || address === undefined)
      throw new CausewayError('notification.not-set-up', 'no address of a webhook is in the vault');
    return sendWebhook(
      { address, key: await secret(notificationSecrets.key), caCertificate: webhook.caCertificate },
      project,
      { id, messages },
      signal,
    );
  }
  if (mail === undefined) throw new CausewayError('notification.not-set-up', 'no mail server is set');
  const hasUser = mail.username !== undefined && mail.username !== '';
  const password = hasUser ? await secret(notificationSecrets.password) : undefined;
  if (hasUser && password === undefined)
    throw new CausewayError('notification.not-set-up', `the password of ${mail.username ?? ''} is not in the vault`);
  const [first] = messages;
  const subject =
    `[Causeway] ${project}: ${messages.length === 1 ? (first?.text ?? '') : `${first?.text ?? ''} (and ${messages.length - 1} more)`}`.slice(
      0,
      200,
    );
  return sendMail(
    mail,
    password,
    { subject, text: `${messages.map(({ at, text }) => `${at}  ${text}`).join('\n')}\n`, id },
    signal,
  );
}

export interface Notify {
  /** Looks at an event; never throws. */
  take(event: Event): void;
  /** Sends what an earlier process could not; never throws. */
  resume(): void;
  close(): Promise<void>;
}

/** Tells people by the ways that they have set up, of the project that they have accepted. */
export function notifyOfEvents(
  core: Omit<CoreContext, 'emit' | 'changed' | 'tellSignIn' | 'defaultAtOnce'>,
  clock: Clock,
  problem: (message: string, details: { readonly way: string; readonly code: string }) => void,
): Notify {
  const { store, waves } = core;
  const wanted = () => {
    const { kinds, webhook, mail } = readNotificationSettings(core.stateFolder);
    const isOurs = core.gate.isProjectAccepted() && !store.identity.isElsewhere();
    return {
      kinds: new Set<string>(kinds),
      ways: isOurs
        ? [...(webhook === undefined ? [] : ['webhook' as const]), ...(mail === undefined ? [] : ['mail' as const])]
        : [],
    };
  };
  const told: Notifier = notifier({
    clock,
    wanted,
    outbox: store.notifications,
    // Nobody is asked for a passphrase because of a message that waits: it waits until somebody opens the vault.
    async send(delivery, signal) {
      const needsVault =
        delivery.way === 'webhook' || (readNotificationSettings(core.stateFolder).mail?.username ?? '') !== '';
      if (needsVault && !(await core.vault.openQuietly()))
        throw new CausewayError('secrets.locked', 'what notifications need is in the vault, which is not open');
      return sendBy(core, delivery, signal);
    },
    notDelivered: (way, { code, message }) =>
      problem(`a notification by ${way} was not delivered: ${core.redactor.text(message)}`, { way, code }),
  });
  const once = (key: string, message: Notification): void => {
    const { kinds, ways } = wanted();
    // What nobody wants to know now is not taken for told.
    if (ways.length > 0 && kinds.has(message.kind) && store.notifications.isFirst(key)) told.tell(message);
  };
  const waveOf = (replicaId: string): string | undefined => store.replicas.find(replicaId)?.wave;

  function look(event: Event): void {
    const message = toldBy(event, {
      nameOf: (id) => store.replicas.find(id)?.name,
      isInActiveWave: (id) => {
        const wave = waveOf(id);
        return wave !== undefined && waves.isActive(wave);
      },
      isPartOfDeployment: (executionId) =>
        store.deployments.listOpen().some(({ executionIds }) => executionIds.includes(executionId)),
      isCutOver: (id) => {
        const deployment = store.deployments.find(id);
        return deployment !== undefined && isCutOver(deployment.options);
      },
    });
    if (message !== undefined) told.tell(message);
    for (const wave of waves.activeWaves()) {
      const [run] = store.waveRuns.list(wave, 1);
      const waitsFor = run === undefined ? undefined : waves.asShown(run).waitsFor;
      if (run === undefined || waitsFor === undefined) continue;
      const why = waitsFor.reason === 'failures' ? ' after failures' : '';
      once(`${run.id} ${waitsFor.group} ${waitsFor.reason}`, {
        kind: 'wave-waits',
        text: `wave ${wave}: ${waitsFor.name} waits for a go${why}`,
        at: event.at,
        wave,
      });
    }
    if (event.type !== 'wave.state' || event.details['calendar'] !== true) return;
    for (const { wave, at, action } of store.waveCalendar.listMissed()) {
      once(`${wave} ${at}`, {
        kind: 'start-missed',
        text: `wave ${wave}: the planned ${action} of ${new Date(at).toISOString()} was missed and waits for a decision`,
        at: event.at,
        wave,
      });
    }
  }

  return {
    take(event) {
      if (
        event.type !== 'execution.state' &&
        event.type !== 'deployment.state' &&
        event.type !== 'wave.state' &&
        event.type !== 'wave.member'
      )
        return;
      try {
        if (wanted().ways.length > 0) look(event);
      } catch (error) {
        problem(`what to notify of could not be found out: ${error instanceof Error ? error.message : String(error)}`, {
          way: 'none',
          code: 'general.bug',
        });
      }
    },
    resume: () => told.resume(),
    close: () => told.close(),
  };
}
