import type { Deployment } from '../../../../shared/model/deployment.ts';
import type { EvidenceEntry } from '../../../../shared/model/evidence.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { ticksOf } from '../../../../shared/model/machine-life.ts';
import { runbookHtml, runbookMarkdown } from '../../../../shared/reports/runbook.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { vmReport } from '../../../../shared/reports/vm-report.ts';
import { waveReport } from '../../../../shared/reports/wave-report.ts';
import { sha256, verifyJournal } from '../../evidence/verify-journal.ts';
import { deploymentOf, replicaOf, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { waveOrder } from '../../../../shared/model/wave-order.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { resourcesOf } from '../deployment-deletion.ts';
import { finalise } from '../life/finalise.ts';
import { currentLife, currentLives, settingsOf } from '../life/life-facts.ts';
import { endRehearsal, expiredRehearsals } from '../life/rehearsals.ts';
import { rollBack } from '../life/roll-back.ts';
import { planFacts, runbookPlan } from '../life/runbook-plan.ts';
import { refuseActive } from './replica-update.ts';

/** The calls of replicas that are carried out here. */
export type LifeCall =
  | 'replica.life'
  | 'replica.approve'
  | 'replica.withdrawApproval'
  | 'replica.rollBack'
  | 'replica.finalise'
  | 'replica.runbook'
  | 'replica.tick';

export const machineLifeCalls: Handlers<LifeCall | CallsOf<'rehearsal'>> = {
  async 'replica.life'(core, { replica, wave }, signal) {
    const replicas = replica === undefined ? core.store.replicas.list() : [replicaOf(core, replica)];
    return currentLives(
      core,
      replicas.filter((one) => wave === undefined || one.wave === wave),
      signal,
    );
  },

  async 'replica.approve'(core, { replica: reference, by, note }) {
    const replica = replicaOf(core, reference);
    const { errors, settingsDigest } = settingsOf(core, replica);
    if (errors.length > 0) throw new CausewayError('engine.environment-invalid', errors.join('; '));
    const { state } = currentLife(core, replica);
    if (replica.lastSuccess === undefined || !['in-sync', 'rehearsed', 'approved'].includes(state))
      throw new CausewayError('life.wrong-state', `replica ${replica.name} is ${state}: there is nothing to approve`);
    core.evidence.life(replica, 'approved', by, {
      settings: settingsDigest,
      enteredBy: core.evidence.me,
      ...(note === undefined ? {} : { note }),
    });
    core.changed();
    return currentLife(core, replica);
  },

  async 'replica.withdrawApproval'(core, { replica: reference, by }) {
    const replica = replicaOf(core, reference);
    if (currentLife(core, replica).approval === undefined)
      throw new CausewayError('life.wrong-state', `replica ${replica.name} is not approved`);
    core.evidence.life(replica, 'approval-withdrawn', by, { enteredBy: core.evidence.me });
    core.changed();
    return currentLife(core, replica);
  },

  async 'replica.rollBack'(core, { replica: reference, by, sourceStartedByHand }, signal) {
    const replica = replicaOf(core, reference);
    refuseActive(core, replica);
    return exclusively(replica.id, async () => {
      await rollBack(core, replica, by, sourceStartedByHand, signal).finally(() => core.changed());
      return currentLife(core, replica);
    });
  },

  async 'replica.finalise'(core, { replica: reference, by, dryRun }, signal) {
    const replica = replicaOf(core, reference);
    refuseActive(core, replica);
    return exclusively(replica.id, async () => {
      const resources = await finalise(core, replica, by, dryRun, signal).finally(() => core.changed());
      const life = currentLife(core, replicaOf(core, replica.id));
      const deployment = core.store.deployments.find(life.cutOver?.deploymentId ?? '');
      return { resources, stays: deployment === undefined ? [] : resourcesOf(core, deployment), life };
    });
  },

  async 'replica.runbook'(core, { replicas, title, format }) {
    const plan = runbookPlan(
      core,
      replicas.map((reference) => replicaOf(core, reference)),
      title,
    );
    return { document: format === 'html' ? runbookHtml(plan) : runbookMarkdown(plan) };
  },

  async 'replica.tick'(core, { replica: reference, step, isDone, by }) {
    const replica = replicaOf(core, reference);
    if (ticksOf(core.store.life.list(replica.id)).has(step) !== isDone) {
      core.evidence.life(replica, isDone ? 'step-ticked' : 'step-unticked', by, { step, enteredBy: core.evidence.me });
      core.changed();
    }
    return currentLife(core, replica);
  },

  async 'rehearsal.end'(core, input, signal) {
    const chosen: Deployment[] =
      'expired' in input ? expiredRehearsals(core, Date.now()) : [deploymentOf(core, input.deployment)];
    for (const { id, options } of chosen)
      if (options.purpose !== 'rehearsal')
        throw new CausewayError('life.wrong-state', `deployment ${id} is not a rehearsal`);
    const ended = [];
    for (const deployment of chosen)
      ended.push(await endRehearsal(core, deployment, 'expired' in input ? 'expired' : 'asked', signal));
    return ended;
  },
};

export const evidenceCalls: Handlers<CallsOf<'evidence'>> = {
  async 'evidence.status'(core) {
    const { problems, ...status } = core.evidence.journal().status();
    return { ...status, problems: [...problems] };
  },

  async 'evidence.verify'(core) {
    core.evidence.reconcile();
    const { journal, head } = core.evidence.journal().files();
    const { count, head: last, problems, unfinished } = verifyJournal(journal, head);
    return { count, head: last, problems: [...problems], unfinished };
  },

  async 'evidence.summary'(core) {
    const all = Map.groupBy(
      core.evidence
        .journal()
        .entries()
        .filter(({ replica }) => replica !== undefined),
      ({ replica }) => replica?.id ?? '',
    );
    return [...all].map(([replicaId, entries]) => {
      const { at, kind, by, replica } = entries.at(-1)!;
      return {
        replicaId,
        name: core.store.replicas.find(replicaId)?.name ?? replica?.name ?? replicaId,
        entries: entries.length,
        last: { at, kind, by },
      };
    });
  },

  async 'evidence.list'(core, { replica, after, limit }) {
    const id = replica === undefined ? undefined : (core.store.replicas.find(replica)?.id ?? replica);
    return entriesOf(core, id)
      .filter(({ n }) => n > after)
      .slice(0, limit);
  },

  async 'evidence.export'(core) {
    core.evidence.reconcile();
    const { journal, head } = core.evidence.journal().files();
    return { journal: journal.toString('utf8'), head };
  },

  async 'evidence.waveReport'(core, { wave }) {
    const files = defaultsFiles(projectFolderOf(core));
    const { plan } = files.waves.find(wave) ?? {};
    const members = waveOrder(
      core.store.replicas.list().filter((replica) => replica.wave === wave),
      plan,
    ).members;
    if (members.length === 0) throw new CausewayError('wave.empty', `wave ${wave}`);
    const defaults = files.all();
    core.evidence.reconcile();
    const { head, count } = core.evidence.journal().status();
    const ids = new Set(members.map(({ id }) => id));
    const html = waveReport({
      wave,
      facts: planFacts(plan),
      head,
      count,
      sha256,
      lives: members.map(({ id }) => currentLife(core, replicaOf(core, id), defaults)),
      entries: entriesOf(core, undefined).filter(({ replica }) => replica !== undefined && ids.has(replica.id)),
    });
    return recorded(core, undefined, { name: `wave-${wave}`, html, head, count });
  },

  async 'evidence.report'(core, { replica: reference }) {
    const replica = replicaOf(core, reference);
    core.evidence.reconcile();
    const { head, count } = core.evidence.journal().status();
    const html = vmReport({
      life: currentLife(core, replica),
      vmName: replica.vmName,
      entries: entriesOf(core, replica.id),
      head,
      count,
      sha256,
    });
    return recorded(core, replica, { name: replica.name, html, head, count });
  },
};

/** A report, and its digest in the journal. */
function recorded(
  core: CoreContext,
  replica: Replica | undefined,
  {
    name: of,
    html,
    head,
    count,
  }: { readonly name: string; readonly html: string; readonly head: string; readonly count: number },
) {
  const digest = sha256(html);
  const name = `${of.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80) || 'vm'}-report.html`;
  core.evidence.append('report', replica, { file: name, sha256: digest, head, entries: count });
  return { name, html, digest, head };
}

function entriesOf(core: CoreContext, replicaId: string | undefined): EvidenceEntry[] {
  return core.evidence
    .journal()
    .entries()
    .filter((entry) => replicaId === undefined || entry.replica?.id === replicaId || entry.replica?.name === replicaId);
}

const busy = new Set<string>();

/** Two calls would delete and start the same things. @throws CausewayError `life.busy` */
async function exclusively<T>(replicaId: string, work: () => Promise<T>): Promise<T> {
  if (busy.has(replicaId)) throw new CausewayError('life.busy', `replica ${replicaId}`);
  busy.add(replicaId);
  try {
    return await work();
  } finally {
    busy.delete(replicaId);
  }
}
