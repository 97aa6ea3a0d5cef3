import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { throwOnErrors } from '../throw-on-errors.ts';
import { replicaOf, type ExecutionContext } from '../execution-context.ts';
import type { ReplicaStep } from '../replica-graph.ts';

/** The offline rules that need no VM, before any cloud is asked. */
export function checkSource(run: ExecutionContext): ReplicaStep<'check-source'> {
  return async () => throwOnErrors(await run.findings(undefined), noteIn(run));
}

export function describeVm(run: ExecutionContext): ReplicaStep<'describe-vm'> {
  return async ({ signal }) => {
    const { vmId } = replicaOf(run);
    const vm = await run.source.describeVm(vmId, signal, run.environments.source);
    for (const sentence of (await run.source.unsupportedDevices?.(vmId, signal)) ?? []) run.event('note', sentence);
    return { vm };
  };
}

/** The rules that need the VM, sizes against the volumes that are there, and what the destination itself says. */
export function checkDestination(run: ExecutionContext): ReplicaStep<'check-destination'> {
  return async ({ values: { vm }, signal }) => {
    throwOnErrors(await run.findings(vm), noteIn(run));
    for (const known of replicaOf(run).disks) {
      const disk = vm.disks.find((candidate) => candidate.id === known.diskId);
      if (disk === undefined) {
        run.event('note', `disk ${known.diskId} no longer exists on the source; its volume is kept unchanged`);
      } else if (disk.size_bytes < known.sizeBytes) {
        throw new CausewayError(
          'replication.disk-shrank',
          `disk ${disk.id} has ${disk.size_bytes} bytes, but its volume was created for ${known.sizeBytes}`,
          {
            details: { diskId: disk.id, sizeBytes: disk.size_bytes, formerSizeBytes: known.sizeBytes },
          },
        );
      }
    }
    throwOnErrors(await run.destination.checkEnvironment(run.environments.destination, vm, signal), noteIn(run));
  };
}

/** Asks the source for an orderly power-off. */
export function shutDownVm(run: ExecutionContext): ReplicaStep<'shut-down-vm'> {
  return async ({ signal }) => {
    if (run.source.shutdown === undefined) {
      throw new CausewayError('general.invalid-input', 'this source cannot shut down VMs');
    }
    await run.source.shutdown(replicaOf(run).vmId, run.environments.source, signal);
  };
}

function noteIn(run: ExecutionContext) {
  return (message: string, rule: string): void => run.event('note', message, { rule });
}
