import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import type { PlatformUse } from '../ports/platform-context.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import type { NewEvent } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import type { ConnectWorker, Replication, RunEnvironments } from './execution-context.ts';
import type { OwnVms } from './own-vms.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface ExecutionServiceOptions {
  readonly store: Store;
  readonly replication: Replication;
  readonly transferFolder: string;
  readonly connectWorker: ConnectWorker;
  /** How long a worker that was lost may take to answer again before it is replaced. */
  readonly workerPatienceMs: number;
  /** How long a worker may be silent before this is reported and its platform is asked for its state. Optional. */
  readonly slowWorkerMs?: number | undefined;
  /** Opens both platforms and resolves what the environments refer to; its `close` ends all of it. */
  open(replica: Replica, use: Omit<PlatformUse, 'replicaId'>, signal: AbortSignal): Promise<OpenReplica>;
  /** Frees an error of secrets, before it is stored. */
  clean(error: ErrorRecord): ErrorRecord;
  /** Stores an event, without secrets, and notifies the listeners. */
  emit(event: NewEvent): void;
  publishProgress(progress: ExecutionProgress): void;
  /** Workers that executions use in turn. Undefined: each starts its own. */
  readonly pool?: WorkerPool | undefined;
  /** VMs of destinations that this engine runs on. */
  readonly ownVms?: OwnVms | undefined;
  /** Where several engines share the project: who else works on a replica, by name. */
  readonly elsewhere?: ((replicaId: string) => string | undefined) | undefined;
  /** How many executions run at the same time. */
  readonly limit: number;
  /** For the pauses before further attempts of a task. Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface OpenReplica {
  readonly source: SourcePlatform;
  readonly destination: DestinationPlatform;
  readonly environments: RunEnvironments;
  findings(vm: Vm | undefined): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

/** Tells what happens to an execution. */
export type EmitOf = (execution: Execution, type: EventType, message: string, details?: JsonObject) => void;
