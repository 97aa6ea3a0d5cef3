import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { destinationRun, replicaOf, type ExecutionContext } from '../execution-context.ts';
import type { ReplicaStep } from '../replica-graph.ts';

/** Step 1: one volume a disk. Digests of a disk's former volume do not apply to a new one. */
export function ensureVolumes(run: ExecutionContext): ReplicaStep<'ensure-volumes'> {
  return async ({ values: { vm }, signal }) => {
    const volumes = await run.destination.ensureVolumes(destinationRun(run, vm), vm.disks, signal);
    const former = new Map(replicaOf(run).disks.map((disk) => [disk.diskId, disk]));
    for (const disk of vm.disks) {
      const volume = volumes.find((candidate) => candidate.diskId === disk.id);
      if (volume === undefined)
        throw new CausewayError('general.bug', `the destination created no volume for disk ${disk.id}`);
      if (volume.sizeBytes < disk.size_bytes) {
        throw new CausewayError(
          'general.bug',
          `volume ${volume.id} has ${volume.sizeBytes} bytes, but disk ${disk.id} needs ${disk.size_bytes}`,
        );
      }
      const before = former.get(disk.id)?.volumeId;
      if (before !== undefined && before !== volume.id) {
        run.event(
          'note',
          `volume ${before} of disk ${disk.id} no longer exists; it is replaced with ${volume.id}, and the whole disk is copied`,
        );
      }
      if (before !== volume.id) forgetTransfer(run, disk.id);
      run.store.replicas.putDisk(run.replicaId, {
        diskId: disk.id,
        sizeBytes: disk.size_bytes,
        volumeId: volume.id,
        isNew: volume.createdByThisCall,
      });
    }
    return { volumes };
  };
}

/** Drops digests and checkpoints of a disk. */
function forgetTransfer(run: ExecutionContext, diskId: string): void {
  const { store, transferFolder, replication, replicaId } = run;
  replication.deleteTransferState({ db: store.db, folder: transferFolder, replicaId, diskId });
}
