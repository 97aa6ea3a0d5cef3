import type { Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { ledgerScope } from '../store/ledger.ts';
import { connectWatched } from '../transport/connect-watched.ts';
import { noteRate, type ActiveExecution } from './active-execution.ts';
import type { EmitOf, ExecutionServiceOptions, OpenReplica } from './execution-service-options.ts';
import { workerLink, type ExecutionContext } from './execution-context.ts';

/** At most, and half of what is free on the worker's own disk: several templates of systems. */
const keptBytes = 8 * 1024 ** 3;

/** What the steps of an execution share. */
export function executionContext(
  service: ExecutionServiceOptions,
  emit: EmitOf,
  execution: Execution,
  replica: Replica,
  entry: ActiveExecution,
  opened: OpenReplica,
): ExecutionContext {
  const { store } = service;
  const epoch = store.ledger.epoch(replica.id);
  const policy = opened.destination.runPolicy(opened.environments.destination);
  return {
    executionId: execution.id,
    replicaId: replica.id,
    options: execution.options,
    store,
    source: opened.source,
    destination: opened.destination,
    environments: opened.environments,
    policy,
    findings: (vm) => opened.findings(vm),
    ledger: ledgerScope(store.ledger, {
      endpointId: replica.destinationEndpointId,
      replicaId: replica.id,
      executionId: execution.id,
    }),
    replication: service.replication,
    transferFolder: service.transferFolder,
    limiter: entry.limiter,
    workers: workerLink((access, signal) => {
      if (access.open !== undefined) return access.open(signal);
      const watch = {
        host: access.host,
        note: (message: string) => emit(execution, 'note', message),
        whyDown: (within: AbortSignal) =>
          opened.destination.workerFailure(opened.environments.destination, access.workerId, within),
        slowMs: service.slowWorkerMs,
      };
      return connectWatched(
        (within) =>
          service.connectWorker(access, policy.mechanism, within, {
            note: watch.note,
            epoch,
            ...(access.isPooled === true ? { keptBytes } : {}),
          }),
        watch,
        signal,
      );
    }),
    pool: service.pool,
    ownVms: service.ownVms,
    workerPatienceMs: service.workerPatienceMs,
    event: (type, message, details = {}) => emit(execution, type, message, details),
    publishProgress(progress) {
      entry.progress = progress;
      noteRate(store, execution.id, entry, progress);
      service.publishProgress(progress);
    },
    meter: undefined,
  };
}
