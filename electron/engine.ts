import { join } from 'node:path';
import type { Channel } from '../shared/contract/channel.ts';
import { events } from '../shared/contract/contract.ts';
import { serveChannel } from '../shared/contract/serve-channel.ts';
import { CausewayError, toErrorRecord } from '../shared/model/causeway-error.ts';
import { openProject } from './engine/core/open-project.ts';
import { endOnUncaught } from './engine/core/uncaught.ts';
import { proxies } from './engine/http/proxies.ts';
import { ensureStateFolder } from './engine/store/database.ts';
import { readFleetConfig } from './fleet/fleet-config.ts';
import { passphraseWrapper } from './secrets/passphrase-wrapper.ts';
import { releasedKey } from './secrets/released-key.ts';
import { openVault } from './secrets/vault.ts';
import { endOnUnhandledRejection } from './workbench/end-on-rejection.ts';
import type { EngineKeys, EngineNote, EngineStart } from './workbench/engine-process.ts';

/**
 * The engine in a process of its own: Electron's utility process (`process.parentPort`) or a child of Node
 * (`process.send`). The parent's first message says which project; after that the contract is spoken. It ends when
 * the parent hangs up, after what is under way has drained.
 */
/** A parent that does not end a failed engine within this time is gone, milliseconds. */
const endedByParentMs = 10_000;
endOnUnhandledRejection();
const parent = parentChannel();
endOnUncaught({
  status: 70,
  graceMs: endedByParentMs + 1_000,
  async tell(error, stack) {
    process.stderr.write(`causeway: the engine stopped because of an unexpected error: ${stack}\n`);
    parent.onStop(() => process.exit(70));
    parent.channel.send({ failed: error });
    await new Promise((resolve) => setTimeout(resolve, endedByParentMs));
  },
});
const start = await parent.first;
if (start.proxies !== undefined) proxies.use(start.proxies);
// They may change while the project is still being opened.
parent.onNote((note) => 'proxies' in note && proxies.use(note.proxies));

let keys: EngineKeys = start;
const folder = ensureStateFolder(start.projectFolder);
const vault = openVault(join(folder, 'vault.json'), async () => {
  const { passphrase, dataKey } = keys;
  if (dataKey !== undefined) return releasedKey(dataKey.kind, dataKey.bytes);
  return passphrase === undefined ? undefined : passphraseWrapper(passphrase);
});
try {
  const config = readFleetConfig(start.projectFolder);
  const fleet =
    config === undefined
      ? undefined
      : await (
          await import('./fleet/fleet-engine.ts')
        ).joinFleet(config, { takesOver: true, projectFolder: start.projectFolder });
  const { client, role } = await openProject(
    {
      projectFolder: start.projectFolder,
      vault,
      executionLimit: start.executionLimit,
      endsRehearsals: true,
      ...(fleet === undefined ? {} : { fleet: fleet.join }),
    },
    new AbortController().signal,
  );
  if (role === 'client') throw new CausewayError('engine.project-busy', 'the project is open in another process');
  serveChannel(client, events, parent.channel);
  // With a locked vault a run can't reach its endpoints; it stays interrupted until the vault is open.
  const resume = async (): Promise<void> => {
    const { exists, locked } = await client.call('vault.status', {});
    if (exists && locked) return;
    await client.call('execution.resume', {});
    await client.call('deployment.resume', {});
    await client.call('wave.resume', {});
  };
  // What runs is cancelled in good order: its worker is deleted, what was made durable is kept for the next run.
  parent.onStop(() => {
    client.stopWaves();
    for (const deployment of client.activeDeployments())
      void client.call('deployment.cancel', { deployment }).catch(() => undefined);
    for (const execution of client.activeExecutions())
      void client.call('execution.cancel', { execution }).catch(() => undefined);
    void client.close().then(() => process.exit(0));
  });
  parent.onNote((note) => {
    if ('unlock' in note) {
      keys = note.unlock;
      void resume().catch(() => undefined); // what can't go on says why in its own events
    } else if ('woke' in note) client.noteSleep(note.woke);
  });
  parent.channel.send({ started: true });
  await resume().catch(() => undefined); // what can't go on says why in its own events
  client.carryOutCalendar();
} catch (error) {
  // The parent ends this process when it has read that: a message is lost when the process ends right after it.
  parent.onStop(() => process.exit(1));
  parent.channel.send({ failed: toErrorRecord(error) });
  setTimeout(() => process.exit(1), endedByParentMs);
}

interface Parent {
  readonly channel: Channel;
  readonly first: Promise<EngineStart>;
  /** Calls back with what only the parent knows. */
  onNote(listener: (note: EngineNote) => void): void;
  /** Calls back when the parent asks for the end, or is gone. */
  onStop(listener: () => void): void;
}

function parentChannel(): Parent {
  const port = (process as { parentPort?: ParentPort }).parentPort;
  const listeners: ((message: unknown) => void)[] = [];
  const first = Promise.withResolvers<EngineStart>();
  const stop = Promise.withResolvers<void>();
  const noteListeners: ((note: EngineNote) => void)[] = [];
  const onNote = (listener: (note: EngineNote) => void): void => void noteListeners.push(listener);
  const onStop = (listener: () => void): void => void stop.promise.then(listener);
  const take = (message: unknown): void => {
    if (typeof message !== 'object' || message === null) return;
    if ('start' in message) first.resolve(message.start as EngineStart);
    else if ('stop' in message) stop.resolve();
    else if ('woke' in message || 'unlock' in message || 'proxies' in message)
      noteListeners.forEach((listener) => listener(message as EngineNote));
    else for (const listener of listeners) listener(message);
  };
  const onMessage = (listener: (message: unknown) => void): void => void listeners.push(listener);
  if (port !== undefined) {
    port.on('message', (event) => take(event.data));
    // A utility process ends with its parent; there is nothing to wait for.
    const channel: Channel = {
      send: (message) => port.postMessage(message),
      onMessage,
      onClose: () => undefined,
      close: () => process.exit(),
    };
    return { channel, first: first.promise, onNote, onStop };
  }
  process.on('message', take);
  process.once('disconnect', () => stop.resolve());
  return {
    channel: {
      send: (message) => void process.send?.(message),
      onMessage,
      onClose: (listener) => void process.once('disconnect', listener),
      close: () => process.disconnect(),
    },
    first: first.promise,
    onNote,
    onStop,
  };
}

/** The part of Electron's port that is used here; the engine itself does not import Electron. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}
