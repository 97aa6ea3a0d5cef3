import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { backOffMs } from '../time/back-off.ts';
import { systemClock } from '../time/clock.ts';
import { ensureStateFolder } from '../store/database.ts';
import { computerWithLock, readLockHolder, takeProjectLock } from '../store/project-lock.ts';
import { createCore, type Core, type CoreOptions } from './core.ts';
import { connectLocally, localPlace, serveLocally, type LocalPlace } from './ipc.ts';

export type OpenedProject =
  | { readonly role: 'engine'; readonly client: Core }
  /** Another process has the project open and does the work. */
  | { readonly role: 'client'; readonly client: CoreClient };

/**
 * Opens a project: as its engine when no other process is, else as a client of that one. Either way the same calls.
 * @throws CausewayError `engine.project-busy` when the other process can't be reached in time
 */
export async function openProject(
  options: CoreOptions,
  signal: AbortSignal,
  deadlineMs = 15_000,
): Promise<OpenedProject> {
  const folder = ensureStateFolder(options.projectFolder);
  const place = localPlace(folder);
  const until = performance.now() + deadlineMs;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const lock = takeProjectLock(folder, place.address, place.key);
    if (lock !== undefined) return { role: 'engine', client: await openEngine(options, place, lock) };
    const holder = readLockHolder(folder);
    try {
      // An engine that hangs, or of a version that tells no client that it serves it, must not be waited for without an end.
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(until - performance.now())))]);
      if (holder !== undefined) return { role: 'client', client: await connectLocally(holder, inTime) };
    } catch (cause) {
      // It is just starting or just ending.
      if (performance.now() > until) throw busy(holder?.pid, cause);
    }
    if (performance.now() > until) throw busy(holder?.pid, undefined, computerWithLock(folder));
    await systemClock.sleep(backOffMs({ firstMs: 30, capMs: 500 }, attempt), signal);
  }
}

async function openEngine(options: CoreOptions, place: LocalPlace, lock: { release(): void }): Promise<Core> {
  let core: Core | undefined;
  try {
    core = createCore(options);
    const server = await serveLocally(core, place);
    const opened = core;
    return {
      ...opened,
      async close() {
        // Executions first: as long as one runs, other terminals can follow and cancel it.
        await opened.drain();
        await server.close();
        await opened.close();
        lock.release();
      },
    };
  } catch (error) {
    await core?.close();
    lock.release();
    throw error;
  }
}

function busy(pid: number | undefined, cause?: unknown, computer?: string): CausewayError {
  const unnamed =
    computer === undefined
      ? 'the project is open in an unknown process'
      : `the project is open on computer ${computer}`;
  return new CausewayError(
    'engine.project-busy',
    pid === undefined ? unnamed : `the project is open in process ${pid}`,
    {
      details: { ...(pid === undefined ? {} : { pid }), ...(computer === undefined ? {} : { computer }) },
      cause,
    },
  );
}
