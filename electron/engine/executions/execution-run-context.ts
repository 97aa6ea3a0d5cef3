import type { Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { ledgerScope } from '../store/ledger.ts';
import { noteRate, type ActiveExecution } from './active-execution.ts';
import type { EmitOf, ExecutionServiceOptions, OpenReplica } from './execution-service-options.ts';
import { workerLink, type Mechanism, type RunContext } from './run-context.ts';

/** A worker that takes longer than this to answer is told of. */
const slowWorkerMs = 15_000;

/** What the steps of an execution share. */
export function runContext(
  service: ExecutionServiceOptions, emit: EmitOf, execution: Execution, replica: Replica, entry: ActiveExecution, opened: OpenReplica,
): RunContext {
  const { store } = service;
  const mechanism: Mechanism = opened.environments.destination['data_transfer_mechanism'] === 'SSH' ? 'SSH' : 'HTTPS';
  return {
    executionId: execution.id,
    replicaId: replica.id,
    options: execution.options,
    store,
    source: opened.source,
    destination: opened.destination,
    environments: opened.environments,
    findings: (vm) => opened.findings(vm),
    ledger: ledgerScope(store.ledger, { endpointId: replica.destinationEndpointId, replicaId: replica.id, executionId: execution.id }),
    transfer: service.transfer,
    transferFolder: service.transferFolder,
    limiter: entry.limiter,
    workers: workerLink(async (access, signal) => {
      // A worker that still starts and one that died at once look the same from here for minutes.
      const slow = setTimeout(() => emit(execution, 'note', `waiting for the worker at ${access.host} to answer; it may still be starting`), slowWorkerMs);
      try {
        return await service.connectWorker(access, mechanism, signal);
      } finally {
        clearTimeout(slow);
      }
    }),
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
