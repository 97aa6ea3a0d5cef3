import { z } from 'zod';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';
import { vmSchema } from '../../../shared/model/vm.ts';
import type { Step } from '../jobs/steps.ts';
import { memoryValue, storedValue, type RetryPolicy, type TaskGraph } from '../jobs/task-graph.ts';
import { volumeSchema } from '../ports/destination-run.ts';
import type { Snapshot } from '../ports/source-platform.ts';
import type { WorkerWithVolumes } from '../workers/attach-volumes.ts';

/** The values that the tasks of an execution pass on. */
export const replicaValues = {
  vm: storedValue(vmSchema),
  volumes: storedValue(z.array(volumeSchema).readonly()),
  // Checked again after every interruption: it may no longer be readable.
  snapshot: memoryValue<Snapshot>(),
  worker: memoryValue<WorkerWithVolumes>(),
  /** Numbers of each disk, for the record. */
  outcomes: storedValue(z.array(z.looseObject({ diskId: z.string(), bytesSent: z.number() })).readonly()),
  /** Of each disk's whole content, for the evidence. */
  digests: storedValue(z.array(z.object({ diskId: z.string(), sha256: z.string() })).readonly()),
};

export type ReplicaNode = ReturnType<typeof replicaGraph>[number];
export type ReplicaStep<Id extends ReplicaNode['id']> = Step<typeof replicaValues, ReplicaNode, Id>;

/** Cloud calls repeat themselves below this; here it is for whole steps. */
const again: RetryPolicy = { attempts: 3, firstMs: 2_000, capMs: 30_000 };

/**
 * One execution of a replica: the checks, the five steps of the procedure (volumes, snapshot, worker, replication,
 * removal of the worker), verification, and the source's confirmation that one state was read, before success is recorded.
 */
export function replicaGraph({ shutdownVm = false, verify = 'written' }: ExecutionOptions) {
  const isVerified = verify !== 'none';
  const ready = shutdownVm ? ['shut-down-vm'] : ['check-destination'];
  const copied = isVerified ? 'verify-disks' : 'replicate-disks';
  return [
    { id: 'check-source', title: 'Check the source', after: [], needs: [], yields: [], retry: again },
    {
      id: 'describe-vm',
      title: 'Read the VM description',
      after: ['check-source'],
      needs: [],
      yields: ['vm'],
      retry: again,
    },
    {
      id: 'check-destination',
      title: 'Check the destination',
      after: ['describe-vm'],
      needs: ['vm'],
      yields: [],
      retry: again,
    },
    ...(shutdownVm
      ? ([
          { id: 'shut-down-vm', title: 'Shut down the VM', after: ['check-destination'], needs: [], yields: [] },
        ] as const)
      : []),
    {
      id: 'ensure-volumes',
      title: 'Create or reuse the volumes',
      after: ready,
      needs: ['vm'],
      yields: ['volumes'],
      retry: again,
    },
    {
      id: 'take-snapshot',
      title: 'Take a snapshot',
      after: ready,
      needs: ['vm'],
      yields: ['snapshot'],
      retry: again,
    },
    {
      id: 'start-worker',
      title: 'Start the disk copy worker',
      after: ['ensure-volumes'],
      needs: ['vm', 'volumes'],
      yields: ['worker'],
      retry: again,
    },
    {
      id: 'replicate-disks',
      title: 'Replicate the disks',
      after: ['take-snapshot', 'start-worker'],
      needs: ['vm', 'volumes', 'snapshot', 'worker'],
      yields: ['outcomes'],
      retry: { attempts: 6, firstMs: 1_000, capMs: 60_000, rerun: ['take-snapshot', 'start-worker'] },
    },
    ...(isVerified
      ? ([
          {
            id: 'verify-disks',
            title: 'Verify the written data',
            after: ['replicate-disks'],
            needs: ['vm', 'volumes', 'snapshot', 'worker'],
            yields: [],
            retry: { ...again, rerun: ['start-worker'] },
          },
        ] as const)
      : []),
    {
      id: 'stop-worker',
      title: 'Delete the disk copy worker',
      after: ['start-worker', copied],
      needs: ['vm'],
      yields: [],
      cleansUp: ['start-worker'],
      retry: { attempts: 4, firstMs: 2_000, capMs: 30_000 },
    },
    // After the last read, and nothing that reads comes between this and the record.
    {
      id: 'confirm-snapshot',
      title: 'Confirm that the source did not change',
      after: [copied],
      needs: ['snapshot'],
      yields: [],
      retry: again,
    },
    {
      id: 'record-success',
      title: 'Record the new state',
      after: ['confirm-snapshot'],
      needs: ['vm', 'snapshot'],
      yields: ['digests'],
    },
    {
      id: 'release-snapshot',
      title: 'Keep or delete the snapshot',
      after: ['take-snapshot', 'record-success'],
      needs: [],
      yields: [],
      cleansUp: ['take-snapshot'],
      settles: true,
      retry: again,
    },
  ] as const satisfies TaskGraph<keyof typeof replicaValues>;
}
