import type { TaskState } from '../../../shared/model/task.ts';
import type { MemoryValue, StoredValue, TaskNode, TaskValues } from './task-graph.ts';

/** What a step gets from the runner. */
export interface StepContext<Values = Readonly<Record<string, unknown>>, Id extends string = string> {
  /** Aborted when the run is cancelled (clean-ups: when it is cancelled by force). */
  readonly signal: AbortSignal;
  /** What the node needs, by name. */
  readonly values: Values;
  /** The state of another node of the run, mainly for clean-ups. */
  stateOf(id: Id): TaskState;
  /** 1 for the first start since the engine was started. */
  readonly attempt: number;
  /**
   * Takes back that these nodes, and what came after them, are completed: what this node found makes their work useless. They
   * run again after this node, with what they need; clean-ups after them, too. What is under way among them ends first. Called in
   * a node that runs again for another one's attempt, that attempt is taken back as well.
   */
  redo(ids: readonly Id[]): Promise<void>;
  /** Call it when an attempt that may still fail has made lasting progress: attempts are counted again from here. */
  progressed(): void;
}

type NodeOf<N extends TaskNode, Id> = Extract<N, { readonly id: Id }>;
type ValueOf<V extends TaskValues, Name> = Name extends keyof V
  ? V[Name] extends StoredValue<infer T>
    ? T
    : V[Name] extends MemoryValue<infer T>
      ? T
      : never
  : never;

/** Those of the nodes that don't need a value. */
type Without<N extends TaskNode, Ids, Name> = Ids extends string
  ? Name extends NodeOf<N, Ids>['needs'][number]
    ? never
    : Ids
  : never;

/** A value as a node's step gets it; the types say what `isCertain` does. */
type Given<V extends TaskValues, N extends TaskNode, Id, Name> =
  NodeOf<N, Id> extends { readonly cleansUp: readonly (infer Ids)[] }
    ? Name extends keyof V
      ? V[Name] extends StoredValue<unknown>
        ? [Without<N, Ids, Name>] extends [never]
          ? ValueOf<V, Name>
          : ValueOf<V, Name> | undefined
        : ValueOf<V, Name> | undefined
      : never
    : ValueOf<V, Name>;

type Yielded<V extends TaskValues, N extends TaskNode, Id> = [NodeOf<N, Id>['yields'][number]] extends [never]
  ? void
  : { readonly [Name in NodeOf<N, Id>['yields'][number]]: ValueOf<V, Name> };

/**
 * Does one node's work, with the values that the node needs, and returns those that it yields: the node's declaration in the graph is
 * the step's type. May be run again after any interruption.
 */
export type Step<V extends TaskValues, N extends TaskNode, Id extends N['id']> = (
  context: StepContext<{ readonly [Name in NodeOf<N, Id>['needs'][number]]: Given<V, N, Id, Name> }, N['id']>,
) => Promise<Yielded<V, N, Id>>;

/** A step whose types are erased: the runner knows values by name. */
export type TaskHandler = (context: StepContext) => Promise<Readonly<Record<string, unknown>> | void>;

/** The steps of a graph with the values that they pass on, as the runner takes them. */
export interface BoundSteps {
  readonly values: TaskValues;
  readonly handlers: Readonly<Record<string, TaskHandler>>;
}

/** Binds a step to each node of a graph. */
export function bindSteps<V extends TaskValues, N extends TaskNode>(
  values: V,
  steps: { readonly [Id in N['id']]: Step<V, N, Id> },
): BoundSteps {
  // The one place where types are erased. The runner gives a step what its node needs, and nothing that its schema does not accept.
  return { values, handlers: steps as unknown as BoundSteps['handlers'] };
}
