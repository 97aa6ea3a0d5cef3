import { bindSteps, type BoundSteps } from '../../jobs/steps.ts';
import type { ExecutionContext } from '../execution-context.ts';
import { replicaValues, type ReplicaNode } from '../replica-graph.ts';
import { checkDestination, checkSource, describeVm, shutDownVm } from './check.ts';
import { replicateDisks, verifyDisks } from './replicate.ts';
import { cleanUpSnapshots, confirmSnapshot, recordSuccess, takeSnapshot } from './snapshot.ts';
import { ensureVolumes } from './volumes.ts';
import { startWorker, stopWorker } from './worker.ts';

/** What carries out each node of the replica graph. */
export function replicaSteps(run: ExecutionContext): BoundSteps {
  return bindSteps<typeof replicaValues, ReplicaNode>(replicaValues, {
    'check-source': checkSource(run),
    'describe-vm': describeVm(run),
    'check-destination': checkDestination(run),
    'shut-down-vm': shutDownVm(run),
    'ensure-volumes': ensureVolumes(run),
    'take-snapshot': takeSnapshot(run),
    'start-worker': startWorker(run),
    'replicate-disks': replicateDisks(run),
    'verify-disks': verifyDisks(run),
    'stop-worker': stopWorker(run),
    'confirm-snapshot': confirmSnapshot(run),
    'record-success': recordSuccess(run),
    'release-snapshot': cleanUpSnapshots(run),
  });
}
