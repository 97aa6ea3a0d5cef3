import { setTimeout as delay } from 'node:timers/promises';
import { channelClient } from '../../shared/contract/channel-client.ts';
import { calls, events, type CallName } from '../../shared/contract/contract.ts';
import type { CoreClient } from '../../shared/contract/core-client.ts';
import type { Envelope } from '../../shared/contract/envelope.ts';
import type { EngineState } from '../../shared/contract/shell.ts';
import { CausewayError, fromErrorRecord, toErrorRecord, type ErrorRecord } from '../../shared/model/causeway-error.ts';
import type { ProxySettingsWithPassword } from '../engine/http/proxies.ts';
import type { EngineKeys, EngineProcess, EngineStart, SpawnEngine } from './engine-process.ts';

export interface EngineSupervisor {
  readonly state: EngineState;
  /** A call to the engine that runs now. Never rejects. */
  dispatch(name: CallName, input: unknown, signal: AbortSignal): Promise<Envelope<unknown>>;
  /** Gives what opens the vault to the engine that runs now and to those that are started after it. */
  unlock(keys: EngineKeys): void;
  /** Gives the settings of proxies to the engine that runs or starts now and to those that are started after it. */
  useProxies(settings: ProxySettingsWithPassword): void;
  /** Tells the engine that runs now that the computer was asleep. */
  woke(asleepMs: number): void;
  /** Asks the engine to end in good order, and ends it when it takes too long. */
  stop(): Promise<void>;
}

/** After so many ends in a row within `quietMs` of each other it is not started again. */
const mostRestarts = 5;
const quietMs = 60_000;
/** How long an engine may take to stop in good order, milliseconds, unless said otherwise. */
export const defaultDrainMs = 30_000;
/** Opening a project may migrate a large database. */
const defaultOpenMs = 120_000;
/** How long the end of a process that was killed is awaited, milliseconds. */
const defaultKillMs = 5000;

/**
 * Keeps one project's engine running: an engine that dies is started again, later each time, and goes on with its
 * executions from their checkpoints; one that dies again and again is left alone and said so.
 *
 * @throws CausewayError when the engine can't open the project at all
 */
export async function superviseEngine(options: {
  readonly spawn: SpawnEngine;
  readonly start: EngineStart;
  readonly onState: (state: EngineState) => void;
  readonly onEvent: (name: string, payload: unknown) => void;
  /** First pause before a restart, milliseconds; doubles each time. */
  readonly firstPauseMs?: number;
  /** How long an engine may take to end in good order, milliseconds. Default 30,000. */
  readonly drainMs?: number;
  /** How long an engine may take to open the project, milliseconds. Default 120,000. */
  readonly openMs?: number;
  /** How long the end of a killed engine is awaited, milliseconds. Default 5,000. */
  readonly killMs?: number;
}): Promise<EngineSupervisor> {
  let state: EngineState = { state: 'starting', restarts: 0 };
  let current: { readonly process: EngineProcess; readonly client: CoreClient } | undefined;
  let keys: EngineKeys = {};
  let proxies = options.start.proxies;
  /** The newest process, also while it has not answered yet. */
  let newest: { readonly process: EngineProcess; readonly end: Promise<string> } | undefined;
  const stopping = new AbortController();
  let inARow = 0;
  let startedAt = 0;

  const tell = (next: EngineState): void => {
    state = next;
    options.onState(next);
  };

  async function launch(): Promise<void> {
    startedAt = performance.now();
    const process = options.spawn({ ...options.start, ...keys, ...(proxies === undefined ? {} : { proxies }) });
    const end = new Promise<string>((resolve) => process.onEnd(resolve));
    newest = { process, end };
    void end.then(() => {
      if (newest?.process === process) newest = undefined;
    });
    try {
      await firstAnswer(process, end, options.openMs ?? defaultOpenMs);
    } catch (error) {
      process.kill();
      // Its lock on the project goes with it; a new engine must find it free.
      await within(end, options.killMs ?? defaultKillMs);
      throw error;
    }
    // What fails later ends it as well: it waits for that.
    process.channel.onMessage((message) => {
      if (typeof message === 'object' && message !== null && 'failed' in message) process.kill();
    });
    const client = channelClient(process.channel, calls, events);
    for (const name of Object.keys(events) as (keyof typeof events)[])
      client.subscribe(name, (payload) => options.onEvent(name, payload));
    current = { process, client };
    tell({ ...state, state: 'running' });
    void end.then(restart);
  }

  async function restart(reason: string): Promise<void> {
    current = undefined;
    if (stopping.signal.aborted) return;
    inARow = performance.now() - startedAt > quietMs ? 1 : inARow + 1;
    for (let why = reason; ; inARow += 1) {
      if (inARow > mostRestarts) return tell({ ...state, state: 'given-up', reason: why });
      tell({ state: 'restarting', restarts: state.restarts + 1, reason: why });
      await delay((options.firstPauseMs ?? 500) * 2 ** (inARow - 1), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (stopping.signal.aborted) return;
      try {
        return await launch();
      } catch (error) {
        if (stopping.signal.aborted) return;
        why = error instanceof Error ? error.message : String(error);
      }
    }
  }

  await launch();
  return {
    get state() {
      return state;
    },
    async dispatch(name, input, signal) {
      try {
        if (current === undefined) throw new CausewayError('engine.connection-lost', 'the engine is not running');
        return { ok: true, value: await current.client.call(name, input as never, { signal }) };
      } catch (error) {
        return { ok: false, error: toErrorRecord(error) };
      }
    },
    unlock(given) {
      keys = given;
      current?.process.tell({ unlock: given });
    },
    useProxies(settings) {
      proxies = settings;
      newest?.process.tell({ proxies: settings });
    },
    woke: (asleepMs) => current?.process.tell({ woke: asleepMs }),
    async stop() {
      stopping.abort();
      const ending = newest;
      if (ending !== undefined) {
        ending.process.stop();
        if (!(await within(ending.end, options.drainMs ?? defaultDrainMs))) {
          ending.process.kill();
          await within(ending.end, options.killMs ?? defaultKillMs);
        }
      }
      tell({ state: 'none', restarts: 0 });
    },
  };
}

/** Whether something happens before the time is over, milliseconds. */
async function within(happening: Promise<unknown>, ms: number): Promise<boolean> {
  const stop = new AbortController();
  const late = delay(ms, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([happening.then(() => true), late]);
  } finally {
    stop.abort();
  }
}

/** Resolves when the engine says that it has opened the project; throws what it says instead, or that it said nothing. */
async function firstAnswer(process: EngineProcess, end: Promise<string>, openMs: number): Promise<void> {
  const answer = new Promise<void>((resolve, reject) => {
    process.channel.onMessage((message) => {
      if (typeof message !== 'object' || message === null) return;
      if ('started' in message) resolve();
      if ('failed' in message) reject(fromErrorRecord(message.failed as ErrorRecord));
    });
  });
  const ended = end.then((reason) => {
    throw new CausewayError('engine.connection-lost', `the engine stopped before it opened the project: ${reason}`);
  });
  if (!(await within(Promise.race([answer, ended]), openMs))) {
    throw new CausewayError('engine.connection-lost', `the engine did not open the project within ${openMs / 1000} s`);
  }
}
