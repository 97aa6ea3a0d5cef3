import type { z } from 'zod';
import { workbenchEvents, type workbenchCalls } from '../../shared/contract/shell.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { Workbench } from './connection.ts';

export type WorkbenchCallName = keyof typeof workbenchCalls;
export type WorkbenchInput<N extends WorkbenchCallName> = z.input<(typeof workbenchCalls)[N]['input']>;
export type WorkbenchOutput<N extends WorkbenchCallName> = z.output<(typeof workbenchCalls)[N]['output']>;
export type WorkbenchEventName = keyof typeof workbenchEvents;
export type WorkbenchEvent<N extends WorkbenchEventName> = z.output<(typeof workbenchEvents)[N]>;

/** `retryAt` in milliseconds since 1970. */
export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'lost'; readonly retryAt: number };

/** A connection to the workbench that comes back: listeners stay, calls fail while it is lost. */
export interface WorkbenchLink {
  readonly state: LinkState;
  /** Returns what ends the subscription. */
  onState(listener: () => void): () => void;
  call<N extends WorkbenchCallName>(
    name: N,
    input: WorkbenchInput<N>,
    signal?: AbortSignal,
  ): Promise<WorkbenchOutput<N>>;
  on<N extends WorkbenchEventName>(event: N, listener: (payload: WorkbenchEvent<N>) => void): () => void;
  /** Does not wait for the next try. */
  retryNow(): void;
}

type Connect = (onLost: () => void) => Promise<Workbench>;

const firstPauseMs = 500;
const longestPauseMs = 15_000;

export function createLink(connect: Connect): WorkbenchLink {
  const stateListeners = new Set<() => void>();
  const listeners = new Map<WorkbenchEventName, Set<(payload: never) => void>>();
  let state: LinkState = { kind: 'connecting' };
  let client: Workbench | undefined;
  let pauseMs = firstPauseMs;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = (next: LinkState): void => {
    state = next;
    for (const listener of stateListeners) listener();
  };

  function lose(): void {
    client = undefined;
    timer = setTimeout(() => void open(), pauseMs);
    tell({ kind: 'lost', retryAt: Date.now() + pauseMs });
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }

  async function open(): Promise<void> {
    clearTimeout(timer);
    try {
      const fresh = await connect(lose);
      client = fresh;
      for (const event of Object.keys(workbenchEvents) as WorkbenchEventName[]) {
        fresh.subscribe(event, (payload) => {
          for (const listener of listeners.get(event) ?? []) listener(payload as never);
        });
      }
      pauseMs = firstPauseMs;
      tell({ kind: 'open' });
    } catch {
      lose();
    }
  }

  const firstTry = open();
  return {
    get state() {
      return state;
    },
    onState(listener) {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    async call(name, input, signal) {
      await firstTry;
      if (client === undefined) throw new CausewayError('engine.connection-lost', 'the workbench does not answer');
      return client.call(name, input, signal === undefined ? {} : { signal });
    },
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener));
      return () => void set.delete(listener);
    },
    retryNow: () => void open(),
  };
}
