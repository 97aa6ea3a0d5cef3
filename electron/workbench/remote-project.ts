import { setTimeout as delay } from 'node:timers/promises';
import { events } from '../../shared/contract/contract.ts';
import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import type { EngineState, Project, ShellInfo } from '../../shared/contract/shell.ts';
import type { Event } from '../../shared/model/event.ts';
import { CausewayError, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { abortReason } from '../engine/concurrency/abortable.ts';
import { answersInTime } from '../movers/answer-in-time.ts';
import { QuestionForPerson } from '../movers/answered-secrets.ts';
import type { MoverService } from '../movers/mover-service.ts';
import type { OpenedOnMover } from '../movers/open-on-mover.ts';
import type { EngineSupervisor } from './engine-supervisor.ts';
import { readMissedEvents } from './missed-events.ts';
import type { ProjectVault } from './project-vault.ts';

/** A project on a mover as the workbench has it: its engine and its vault, through a link that comes back when it breaks. */
export interface RemoteProject {
  readonly project: Project;
  readonly engine: EngineSupervisor;
  readonly vault: ProjectVault;
  readonly link: MoverLink;
  reconnect(): void;
  dismissMeanwhile(): void;
}

export interface RemoteOptions {
  readonly mover: string;
  /** Connects to the project's service; called again, with the service that was there before, whenever the link has broken. */
  readonly connect: (signal: AbortSignal, before?: MoverService) => Promise<OpenedOnMover>;
  /** The id of the last event that was seen from here of the project in a folder on the mover, kept from one connection to the next. */
  readonly lastSeen: { read(folder: string): number | undefined; write(folder: string, id: number): void };
  /** The link, the engine or the vault is in another state. */
  readonly onChange: () => void;
  readonly onEvent: (name: string, payload: unknown) => void;
  /** First pause before an attempt to reconnect, milliseconds; doubles each time. */
  readonly firstPauseMs?: number;
  /** How long the service may take for one answer while it is connected to, milliseconds. */
  readonly answerMs?: number;
}

const longestPauseMs = 30_000;
/** How often the last event that was seen is noted down, milliseconds: a killed workbench shows the rest once more. */
const noteEveryMs = 10_000;

/** Opens a project on a mover. Rejects as `connect` does. */
export async function openRemoteProject(options: RemoteOptions, signal: AbortSignal): Promise<RemoteProject> {
  const stopping = new AbortController();
  let current: OpenedOnMover | undefined;
  let remote: ShellInfo | undefined;
  let link: MoverLink = { name: options.mover, step: 'connecting' };
  let state: EngineState = { state: 'starting', restarts: 0 };
  let passphrase: string | undefined;
  let service: MoverService | undefined;
  let folder = '';
  let seen: number | undefined;
  let noted: number | undefined;
  let hurry = new AbortController();

  const note = (): void => {
    if (seen === undefined || seen === noted) return;
    try {
      options.lastSeen.write(folder, seen);
      noted = seen;
    } catch {
      // A full disk, for example. It is tried again; until then the next opening would show some of it once more.
    }
  };
  const noting = setInterval(note, noteEveryMs).unref();
  const tell = (next: { readonly link?: MoverLink; readonly state?: EngineState }): void => {
    link = next.link ?? link;
    state = next.state ?? state;
    options.onChange();
  };

  async function attach(opened: OpenedOnMover, during: AbortSignal): Promise<void> {
    const { client } = opened;
    // It may hang, and the person who waits, or closes the workbench, must not.
    const asked = answersInTime(client, options.mover, options.answerMs);
    if (folder === '') {
      folder = opened.service.project;
      seen = options.lastSeen.read(folder);
      noted = seen;
    }
    // What arrives while the missed events are read is behind them: until they are told, the position stays before them.
    const after = seen;
    let arrived = 0;
    client.subscribe('execution.event', ({ id }: Event) => {
      if (current === opened) seen = Math.max(seen ?? 0, id);
      else arrived = Math.max(arrived, id);
    });
    for (const name of Object.keys(events) as (keyof typeof events)[])
      client.subscribe(name, (payload) => options.onEvent(name, payload));
    client.subscribe('shell.changed', (info) => {
      remote = info;
      if (current === opened) tell({ state: info.engine });
    });
    remote = await asked.call('shell.info', {}, { signal: during });
    // A service that was started again has forgotten what this person has entered already.
    if (passphrase !== undefined && remote.vault?.isOpen === false)
      await asked.call('vault.unlock', { passphrase }, { signal: during });
    const { lastId, meanwhile } = await readMissedEvents(asked, after, during);
    during.throwIfAborted();
    seen = Math.max(after ?? 0, lastId, arrived);
    current = opened;
    ({ service } = opened);
    const shown = together(link.meanwhile, meanwhile);
    tell({
      link: { name: options.mover, step: 'connected', ...(shown === undefined ? {} : { meanwhile: shown }) },
      state: remote.engine,
    });
    note();
    void opened.ended.then((reason) => void lost(opened, reason));
  }

  async function lost(opened: OpenedOnMover, reason: CausewayError): Promise<void> {
    if (stopping.signal.aborted || current !== opened) return;
    current = undefined;
    await opened.close();
    for (let pause = options.firstPauseMs ?? 1000, why = reason; ; pause = Math.min(pause * 2, longestPauseMs)) {
      const again = hurried();
      const { meanwhile } = link;
      tell({
        link: {
          name: options.mover,
          step: 'lost',
          error: toErrorRecord(why),
          ...(why.retryable ? { retryAt: Date.now() + pause } : {}),
          ...(meanwhile === undefined ? {} : { meanwhile }),
        },
        state: { state: 'disconnected', restarts: state.restarts, reason: why.message },
      });
      // What trying again does not mend waits for a person.
      await (why.retryable ? delay(pause, undefined, { signal: again }) : untilAborted(again)).catch(() => undefined);
      if (stopping.signal.aborted) return;
      tell({ link: { ...link, step: 'connecting', retryAt: undefined } });
      // Who does not want to wait for this attempt either gets a new one at once.
      for (let attempt = hurried(); ; attempt = hurried()) {
        try {
          return await open(attempt);
        } catch (error) {
          if (stopping.signal.aborted) return;
          why = problemOf(error);
        }
        if (!attempt.aborted) break;
      }
    }
  }

  /** Aborted when the project is closed, or when a person asks to connect now. */
  function hurried(): AbortSignal {
    hurry = new AbortController();
    return AbortSignal.any([stopping.signal, hurry.signal]);
  }

  async function open(during: AbortSignal): Promise<void> {
    const opened = await options.connect(during, service);
    try {
      during.throwIfAborted();
      await attach(opened, during);
    } catch (error) {
      const isLost = error instanceof CausewayError && error.code === 'engine.connection-lost' && !during.aborted;
      const reason = isLost ? await opened.ended : during.aborted ? abortReason(during) : error;
      await opened.close();
      throw reason;
    }
  }

  try {
    await open(signal);
  } catch (error) {
    clearInterval(noting);
    throw error;
  }
  const { name } = remote?.project ?? { name: options.mover };
  const client = (): OpenedOnMover['client'] => {
    if (current === undefined) throw new CausewayError('mover.connection-lost', options.mover);
    return current.client;
  };
  return {
    project: { folder, name, mover: options.mover },
    get link() {
      return link;
    },
    reconnect: () => hurry.abort(),
    dismissMeanwhile() {
      const { meanwhile: _read, ...rest } = link;
      tell({ link: rest });
    },
    vault: {
      forEngine: () => ({}),
      async create(given) {
        if (given === undefined)
          throw new CausewayError('secrets.key-store-unavailable', 'a vault on a mover is protected by a passphrase');
        await client().call('vault.create', { passphrase: given });
        passphrase = given;
      },
      async unlock(given) {
        await client().call('vault.unlock', { passphrase: given });
        passphrase = given;
      },
      describe: () => remote?.vault ?? { exists: false, isOpen: false, words: '', keyStoreIsUsable: false },
    },
    engine: {
      get state() {
        return state;
      },
      async dispatch(call, input, during) {
        try {
          return { ok: true, value: await client().call(call, input as never, { signal: during }) };
        } catch (error) {
          const isLost = error instanceof CausewayError && error.code === 'engine.connection-lost';
          return {
            ok: false,
            error: toErrorRecord(
              isLost ? new CausewayError('mover.connection-lost', options.mover, { cause: error }) : error,
            ),
          };
        }
      },
      // The vault's own calls reach the mover; proxies and sleep are of this computer.
      unlock: () => undefined,
      useProxies: () => undefined,
      woke: () => hurry.abort(),
      async stop() {
        stopping.abort();
        clearInterval(noting);
        note();
        await current?.close();
        current = undefined;
        tell({ state: { state: 'none', restarts: 0 } });
      },
    },
  };
}

/** What a person has not dismissed stays, with what came since. */
function together(one: MoverLink['meanwhile'], other: MoverLink['meanwhile']): MoverLink['meanwhile'] {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
  };
}

function problemOf(error: unknown): CausewayError {
  if (error instanceof QuestionForPerson)
    return new CausewayError('mover.login-refused', 'a password or a passphrase is needed: open the project again', {
      cause: error,
    });
  return error instanceof CausewayError
    ? error
    : new CausewayError('mover.connection-lost', error instanceof Error ? error.message : String(error), {
        cause: error,
      });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
