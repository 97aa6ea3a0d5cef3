import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { BandwidthLimiter } from '../bandwidth/index.ts';
import type { DestinationPlatform, DestinationRun, WorkerAccess } from '../ports/destination-platform.ts';
import type { LedgerScope } from '../ports/ledger.ts';
import type { Mechanism, RunPolicy } from '../ports/run-policy.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import type { WorkerSession } from '../ports/write-target.ts';
import type {
  contentDigest,
  createTransferTables,
  deleteTransferState,
  forgetTransferState,
  openTransferState,
  replicateDisk,
  verifyDisk,
} from '../replication/index.ts';
import type { Store } from '../store/store.ts';
import type { OwnVms } from './own-vms.ts';
import type { ProgressMeter } from './progress-meter.ts';
import type { WorkerPool } from './worker-pool.ts';

/** The environments as a run uses them: merged with their defaults, secrets resolved. In memory only. */
export interface RunEnvironments {
  readonly source: JsonObject;
  readonly destination: JsonObject;
}

/** Beside the worker itself. */
export interface ConnectionUse {
  /** Called with warnings although the connection succeeded. */
  readonly note?: ((message: string) => void) | undefined;
  /** Number of the claim under which the run works; the worker's agent refuses those that were replaced. */
  readonly epoch?: number | undefined;
  /** How much the worker may keep of what is written, so that it need not be sent again. */
  readonly keptBytes?: number | undefined;
}

/** Opens a session to a worker's agent. */
export type ConnectWorker = (
  access: WorkerAccess,
  mechanism: Mechanism,
  signal: AbortSignal,
  use?: ConnectionUse,
) => Promise<WorkerSession>;

/** Everything that the steps of one execution share. Nothing here survives the engine: what must is in the store. */
export interface ExecutionContext {
  readonly executionId: string;
  readonly replicaId: string;
  readonly options: ExecutionOptions;
  readonly store: Store;
  readonly source: SourcePlatform;
  readonly destination: DestinationPlatform;
  readonly environments: RunEnvironments;
  /** What the destination environment asks of the engine. */
  readonly policy: RunPolicy;
  /** The offline rules over the replica's environments, with the VM when it is known. */
  findings(vm: Vm | undefined): Promise<readonly Finding[]>;
  readonly ledger: LedgerScope;
  readonly replication: Replication;
  /** Where digest maps lie. */
  readonly transferFolder: string;
  readonly limiter: BandwidthLimiter;
  readonly workers: WorkerLink;
  /** Workers that executions use in turn; undefined where there are none. */
  readonly pool: WorkerPool | undefined;
  /** VMs of destinations that this engine runs on; undefined where there are none. */
  readonly ownVms: OwnVms | undefined;
  /** How long a worker that was lost may take to answer again before it is replaced. */
  readonly workerPatienceMs: number;
  event(type: EventType, message: string, details?: JsonObject): void;
  readonly publishProgress: (progress: ExecutionProgress) => void;
  meter: ProgressMeter | undefined;
}

/** The one session of a run, kept from one step to the next. */
export interface WorkerLink {
  get(access: WorkerAccess, signal: AbortSignal): Promise<WorkerSession>;
  close(): Promise<void>;
}

/** Keeps a session as long as it lives and belongs to the same worker. */
export function workerLink(connect: (access: WorkerAccess, signal: AbortSignal) => Promise<WorkerSession>): WorkerLink {
  let current: { access: WorkerAccess; session: WorkerSession } | undefined;
  const close = async (): Promise<void> => {
    const session = current?.session;
    current = undefined;
    // A lost session cannot be closed properly.
    await session?.close().catch(() => undefined);
  };
  return {
    async get(access, signal) {
      if (current !== undefined && current.access === access && !current.session.lost.aborted) return current.session;
      await close();
      const session = await connect(access, signal);
      current = { access, session };
      return session;
    },
    close,
  };
}

export function replicaOf(run: ExecutionContext): Replica {
  const replica = run.store.replicas.find(run.replicaId);
  if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${run.replicaId}`);
  return replica;
}

/** The destination's view of the run. */
export function destinationRun(run: ExecutionContext, vm: Vm): DestinationRun {
  return {
    replicaId: run.replicaId,
    executionId: run.executionId,
    vm,
    environment: run.environments.destination,
    ledger: run.ledger,
    note: (message, details) => run.event('note', message, details),
  };
}

/** What replication offers to an execution; replaced in tests of the graph. */
export interface Replication {
  readonly contentDigest: typeof contentDigest;
  readonly createTransferTables: typeof createTransferTables;
  readonly deleteTransferState: typeof deleteTransferState;
  readonly forgetTransferState: typeof forgetTransferState;
  readonly openTransferState: typeof openTransferState;
  readonly replicateDisk: typeof replicateDisk;
  readonly verifyDisk: typeof verifyDisk;
}
