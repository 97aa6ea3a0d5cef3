import { join } from 'node:path';
import type { CoreOptions } from '../../../electron/engine/core/core.ts';
import { openProject, type OpenedProject } from '../../../electron/engine/core/open-project.ts';
import { ensureStateFolder } from '../../../electron/engine/store/database.ts';
import { passphraseWrapper } from '../../../electron/secrets/passphrase-wrapper.ts';
import { openVault } from '../../../electron/secrets/vault.ts';
import type { EngineKeys, EngineProcess, SpawnEngine } from '../../../electron/workbench/engine-process.ts';
import type { Channel } from '../../../shared/contract/channel.ts';
import { events } from '../../../shared/contract/contract.ts';
import { serveChannel } from '../../../shared/contract/serve-channel.ts';
import { toErrorRecord } from '../../../shared/model/causeway-error.ts';

interface EngineHereOptions {
  /** Whether it starts what the plans of waves have, as the workbench's own does. */
  readonly carriesOutCalendar?: boolean;
}

/**
 * The product's engine in this process instead of one of its own, so that a test can put its own parts into it. It is
 * spoken to as the real one is: over a channel whose messages are copies.
 */
export function engineHere(
  parts: Partial<CoreOptions>,
  { carriesOutCalendar = false }: EngineHereOptions = {},
): SpawnEngine {
  return (start): EngineProcess => {
    let keys: EngineKeys = start;
    const [theirs, ours] = channelPair();
    const ended = Promise.withResolvers<string>();
    const vault = openVault(join(ensureStateFolder(start.projectFolder), 'vault.json'), async () =>
      keys.passphrase === undefined ? undefined : passphraseWrapper(keys.passphrase),
    );
    const opening = openProject(
      { projectFolder: start.projectFolder, vault, executionLimit: start.executionLimit, ...parts },
      new AbortController().signal,
    );
    opening.then(
      ({ client, role }) => {
        if (carriesOutCalendar && role === 'engine') client.carryOutCalendar();
        serveChannel(client as OpenedProject['client'] & { dispatch: never }, events, ours);
        ours.send({ started: true });
      },
      (error: unknown) => ours.send({ failed: toErrorRecord(error) }),
    );
    const stop = async (): Promise<void> => {
      const opened = await opening.catch(() => undefined);
      if (opened?.role === 'engine') {
        for (const deployment of opened.client.activeDeployments())
          await opened.client.call('deployment.cancel', { deployment }).catch(() => undefined);
        for (const execution of opened.client.activeExecutions())
          await opened.client.call('execution.cancel', { execution }).catch(() => undefined);
      }
      await opened?.client.close();
      ours.close();
      ended.resolve('it was asked to end');
    };
    return {
      channel: theirs,
      onEnd: (listener) => void ended.promise.then(listener),
      tell: (note) => void ('unlock' in note && (keys = note.unlock)),
      stop: () => void stop(),
      kill: () => void stop(),
    };
  };
}

/** Two ends; what is sent into one comes out of the other, later and as a copy. */
function channelPair(): readonly [Channel, Channel] {
  const listeners: ((message: unknown) => void)[][] = [[], []];
  const closed = Promise.withResolvers<void>();
  const end = (mine: 0 | 1, other: 0 | 1): Channel => ({
    send: (message) =>
      queueMicrotask(() => listeners[other]!.forEach((listener) => listener(structuredClone(message)))),
    onMessage: (listener) => void listeners[mine]!.push(listener),
    onClose: (listener) => void closed.promise.then(listener),
    close: () => closed.resolve(),
  });
  return [end(0, 1), end(1, 0)];
}
