import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { isTerminalDeployment, type DeploymentDetail } from '../../../shared/model/deployment.ts';
import type { Event } from '../../../shared/model/event.ts';
import { isTerminalExecution, type ExecutionDetail } from '../../../shared/model/execution.ts';
import { stopSignals } from '../../engine/runtime/stop-signals.ts';
import type { CommandContext } from '../command-context.ts';
import type { RunDisplay } from '../output/run-display.ts';

/** How the runs of one kind are asked about. */
export interface RunKind<R> {
  show(core: CoreClient, id: string): Promise<R>;
  /** Its own events, oldest first. */
  events(core: CoreClient, id: string, after: number): Promise<readonly Event[]>;
  cancel(core: CoreClient, id: string, force: boolean): Promise<unknown>;
  isOver(run: R): boolean;
  /** The executions that its numbers add up. */
  executionsOf(id: string, run: R): readonly string[];
  isAbout(event: Event, id: string): boolean;
}

export const executionRuns: RunKind<ExecutionDetail> = {
  show: (core, execution) => core.call('execution.show', { execution }),
  events: (core, execution, after) => core.call('execution.events', { execution, after }),
  cancel: (core, execution, force) => core.call('execution.cancel', { execution, force }),
  isOver: ({ state }) => isTerminalExecution(state) || state === 'interrupted',
  executionsOf: (id) => [id],
  isAbout: (event, id) => event.executionId === id,
};

export const deploymentRuns: RunKind<DeploymentDetail> = {
  show: (core, deployment) => core.call('deployment.show', { deployment }),
  events: (core, deployment, after) => core.call('deployment.events', { deployment, after }),
  cancel: (core, deployment, force) => core.call('deployment.cancel', { deployment, force }),
  isOver: ({ state }) => isTerminalDeployment(state) || state === 'interrupted',
  executionsOf: (_id, { executionIds }) => executionIds,
  isAbout: (event, id) => event.deploymentId === id,
};

export interface StartRuns {
  /** Ids of runs that may go on after an interruption: what happened in them before was shown already. */
  readonly former: readonly string[];
  start(): Promise<readonly { readonly id: string }[]>;
}

/**
 * Starts runs (or goes on with them), shows every event and the numbers, and resolves with their final states when all are
 * over. An interrupt cancels all of them.
 */
export async function followRuns<R>(
  core: CoreClient,
  kind: RunKind<R>,
  { former, start }: StartRuns,
  display: RunDisplay,
  context: CommandContext,
): Promise<readonly R[]> {
  const shown = new Map<string, number>();
  for (const id of former) shown.set(id, await lastEvent(core, kind, id));
  const followed: Following<R>[] = [];
  // Begun before the start, so that nothing between it and its answer is missed.
  const stopProgress = core.subscribe('execution.progress', (progress) => {
    if (followed.some((run) => run.executions.has(progress.executionId))) display.progress(progress);
  });
  const stopEvents = core.subscribe('execution.event', (event) => {
    for (const run of followed) {
      if (kind.isAbout(event, run.id)) run.read();
      else if (event.executionId !== undefined && run.executions.has(event.executionId)) display.event(event);
    }
  });
  let stopCancel = (): void => undefined;
  try {
    for (const { id } of await start()) followed.push(following(core, kind, id, shown.get(id) ?? 0, display));
    stopCancel = cancelOnInterrupt(
      context,
      (text) => display.notice(text),
      (force) => Promise.all(followed.map(({ id }) => kind.cancel(core, id, force))),
    );
    for (const run of followed) run.read();
    return await Promise.all(followed.map((run) => run.over));
  } finally {
    stopCancel();
    stopEvents();
    stopProgress();
  }
}

interface Following<R> {
  readonly id: string;
  readonly executions: Set<string>;
  readonly over: Promise<R>;
  /** Reads what is new, in turn. */
  read(): void;
}

/** Events are read from the store, not taken as they come: their ids keep them in order and without repetition. */
function following<R>(
  core: CoreClient,
  kind: RunKind<R>,
  id: string,
  shown: number,
  display: RunDisplay,
): Following<R> {
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  const executions = new Set<string>();
  let last = shown;
  const catchUp = async (): Promise<void> => {
    const run = await kind.show(core, id);
    for (const execution of kind.executionsOf(id, run)) executions.add(execution);
    for (const event of await kind.events(core, id, last)) {
      if (event.id <= last) continue;
      last = event.id;
      display.event(event);
    }
    if (kind.isOver(run)) resolve(run);
  };
  let reading: Promise<void> = Promise.resolve();
  return { id, executions, over: promise, read: () => void (reading = reading.then(catchUp).catch(reject)) };
}

async function lastEvent<R>(core: CoreClient, kind: RunKind<R>, id: string): Promise<number> {
  for (let last = 0; ;) {
    const next = (await kind.events(core, id, last)).at(-1)?.id;
    if (next === undefined) return last;
    last = next;
  }
}

/**
 * The first interrupt cancels and waits for the clean-up, the second one leaves the clean-up too. Returns what ends it.
 * `cancel` asks for either; that it may fail because the run has just ended is no matter.
 */
export function cancelOnInterrupt(
  context: Pick<CommandContext, 'signal'>,
  say: (text: string) => void,
  cancel: (force: boolean) => Promise<unknown>,
): () => void {
  const leave = (): void => {
    say('Clean-up skipped; what is left is in the ledger.');
    cancel(true).catch(() => undefined);
  };
  const stop = (): void => {
    say('Cancelling and cleaning up. Press Ctrl-C again to skip the clean-up.');
    for (const name of stopSignals()) process.on(name, leave);
    cancel(false).catch(() => undefined);
  };
  if (context.signal.aborted) stop();
  else context.signal.addEventListener('abort', stop, { once: true });
  return () => {
    context.signal.removeEventListener('abort', stop);
    for (const name of stopSignals()) process.removeListener(name, leave);
  };
}
