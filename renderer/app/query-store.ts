import { fromErrorRecord, toErrorRecord, type CausewayError } from '../../shared/model/causeway-error.ts';
import type {
  WorkbenchCallName,
  WorkbenchEventName,
  WorkbenchInput,
  WorkbenchLink,
  WorkbenchOutput,
} from './workbench-link.ts';

export interface QueryState<T> {
  readonly data: T | undefined;
  readonly error: CausewayError | undefined;
  readonly isLoading: boolean;
}

/** Answers that stand in the project's files, which other people change too. */
const fromFiles = new Set<WorkbenchCallName>([
  'project.sync',
  'trust.show',
  'endpoint.list',
  'replica.list',
  'replica.show',
  'replica.life',
  'defaults.show',
  'dashboard.show',
  'wave.list',
  'wave.show',
  'wave.calendar',
  'inventory.list',
]);

/** Events come in bursts; one question answers for all of a burst. */
const burstMs = 150;

/** So long an answer that was asked for ahead is kept for who will look: events in between are heard by nobody. */
const aheadMs = 3000;

/** The answer of one call as an external store of React: asks when somebody looks at it, and again when told to. */
export class QueryStore<N extends WorkbenchCallName> {
  readonly #link: WorkbenchLink;
  readonly #name: N;
  readonly #input: WorkbenchInput<N>;
  readonly #events: readonly WorkbenchEventName[];
  readonly #listeners = new Set<() => void>();
  #state: QueryState<WorkbenchOutput<N>> = { data: undefined, error: undefined, isLoading: true };
  #stops: (() => void)[] = [];
  #loading: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether an event came while an answer was awaited. */
  #isStale = false;
  #engineRan = true;
  readonly #onIdle: () => void;
  /** While it was asked ahead, and nobody looks yet. */
  #endAhead: (() => void) | undefined;

  /** @param onIdle called when nobody looks at it any more */
  constructor(
    link: WorkbenchLink,
    name: N,
    input: WorkbenchInput<N>,
    events: readonly WorkbenchEventName[],
    onIdle: () => void = () => undefined,
  ) {
    this.#link = link;
    this.#name = name;
    this.#input = input;
    this.#events = events;
    this.#onIdle = onIdle;
  }

  readonly snapshot = (): QueryState<WorkbenchOutput<N>> => this.#state;

  /** Asks for somebody who will look in a moment, and then gets this answer. */
  readonly askAhead = (): void => {
    if (this.#listeners.size > 0) return;
    const leave = this.subscribe(() => undefined);
    const timer = setTimeout(() => this.#endAhead?.(), aheadMs);
    this.#endAhead = () => {
      this.#endAhead = undefined;
      clearTimeout(timer);
      leave();
    };
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    else if (this.#endAhead !== undefined) {
      this.#endAhead();
      // What failed, e.g. because no project was open, may not any more.
      if (this.#state.error !== undefined) this.reload();
    }
    // Who looks later, on another screen, gets what is there at once, and what is there now as soon as it comes.
    else if (!this.#state.isLoading) this.reload();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop();
      this.#onIdle();
    };
  };

  readonly reload = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStale = false;
    this.#loading?.abort();
    const controller = new AbortController();
    this.#loading = controller;
    this.#set({ ...this.#state, isLoading: true });
    this.#link.call(this.#name, this.#input, controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) this.#settle({ data, error: undefined, isLoading: false });
      },
      (thrown: unknown) => {
        if (!controller.signal.aborted)
          this.#settle({ data: this.#state.data, error: asCausewayError(thrown), isLoading: false });
      },
    );
  };

  #start(): void {
    this.#stops = [
      ...[...this.#events, ...(fromFiles.has(this.#name) ? (['project.changed'] as const) : [])].map((event) =>
        this.#link.on(event, this.#soon),
      ),
      this.#link.onState(() => this.#link.state.kind === 'open' && this.reload()),
      this.#link.on('shell.changed', ({ engine }) => {
        const runs = engine.state === 'running';
        if (runs && !this.#engineRan) this.reload();
        this.#engineRan = runs;
      }),
    ];
    this.reload();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isStale = false;
    this.#loading?.abort();
    for (const stop of this.#stops) stop();
  }

  /** Who asks again at each event, while events keep coming, gets no answer, and keeps the engine busy with those that nobody reads. */
  readonly #soon = (): void => {
    if (this.#state.isLoading) this.#isStale = true;
    else this.#timer ??= setTimeout(this.reload, burstMs);
  };

  #settle(state: QueryState<WorkbenchOutput<N>>): void {
    this.#set(state);
    if (this.#isStale) this.#soon();
  }

  #set(state: QueryState<WorkbenchOutput<N>>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const shared = new WeakMap<WorkbenchLink, Map<string, object>>();

/** The store of a question, one for all components that ask it at the same time: its answer can be thousands of rows. */
export function sharedQuery<N extends WorkbenchCallName>(
  link: WorkbenchLink,
  name: N,
  input: WorkbenchInput<N>,
  events: readonly WorkbenchEventName[],
): QueryStore<N> {
  const stores = shared.get(link) ?? new Map<string, object>();
  shared.set(link, stores);
  const key = JSON.stringify([name, input, events]);
  const known = stores.get(key) as QueryStore<N> | undefined;
  if (known !== undefined) return known;
  const made: QueryStore<N> = new QueryStore(link, name, input, events, () => {
    // Old answers would be shown to who comes back.
    if (stores.get(key) === made) stores.delete(key);
  });
  stores.set(key, made);
  return made;
}

/** Whatever was thrown, with a code. */
export function asCausewayError(thrown: unknown): CausewayError {
  return fromErrorRecord(toErrorRecord(thrown));
}
