import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { RetryPolicy, TaskGraph, TaskNode } from '../jobs/task-graph.ts';

/** Cloud calls repeat themselves below this; here it is for whole steps. */
const again: RetryPolicy = { attempts: 3, firstMs: 2_000, capMs: 30_000 };

/**
 * One deployment of a replica: the checks, the five steps of the procedure (snapshots and volumes, preparation worker,
 * preparation, removal of the worker, server), and the boot check. A migration executes the replica
 * before that, in the same run.
 */
export function deploymentGraph(options: DeploymentOptions): TaskGraph {
  const { inPlace = false, skipMorphing = false, keepWorkerOnFailure = false } = options;
  const passes = executionPasses(options);
  const lastPass = passes.at(-1)?.id;
  const steps: TaskGraph = [
    ...passes,
    { id: 'check-replica', title: 'Check the replica', after: lastPass === undefined ? [] : [lastPass], needs: [], yields: ['vm', 'volumes'], retry: again },
    { id: 'check-destination', title: 'Check the destination', after: ['check-replica'], needs: ['vm', 'volumes'], yields: ['plan'], retry: again },
    { id: 'snapshot-volumes', title: 'Take snapshots of the volumes', after: ['check-destination'], needs: ['vm', 'volumes'], yields: ['snapshots'], retry: again },
    {
      id: 'create-volumes', title: inPlace ? 'Use the replica\'s own volumes' : 'Create volumes from the snapshots', after: ['snapshot-volumes'],
      needs: ['vm', 'volumes', 'snapshots'], yields: ['deployedVolumes'], retry: again,
    },
    { id: 'create-nics', title: 'Create the network interfaces', after: ['create-volumes'], needs: ['vm', 'plan'], yields: ['nics'], retry: again },
    ...(skipMorphing ? [] : preparation(keepWorkerOnFailure)),
    {
      id: 'create-server', title: 'Create and start the VM', after: skipMorphing ? ['create-nics'] : ['prepare-guest', 'stop-worker'],
      needs: ['vm', 'plan', 'deployedVolumes', 'nics'], yields: ['server'], retry: again,
    },
    { id: 'check-boot', title: 'Wait for the guest to boot', after: ['create-server'], needs: ['vm', 'server'], yields: [] },
    { id: 'record-deployment', title: 'Record the VM', after: ['check-boot'], needs: ['vm', 'deployedVolumes', 'server'], yields: [] },
  ];
  const settle: TaskNode = {
    id: 'settle-deployment', title: 'Delete the snapshots, or roll back',
    // After all of them: on a cancel, a later one is skipped while an earlier one still comes to its end.
    after: steps.map((node) => node.id),
    needs: ['vm', 'snapshots'], yields: [], cleansUp: ['snapshot-volumes'], settles: true, retry: { attempts: 4, firstMs: 2_000, capMs: 30_000 },
  };
  return [...steps, settle];
}

function preparation(keepWorkerOnFailure: boolean): readonly TaskNode[] {
  return [
    {
      id: 'start-worker', title: 'Start the OSMorphing worker', after: ['create-nics'], needs: ['vm', 'deployedVolumes'], yields: ['worker'],
      volatile: ['worker'], retry: again,
    },
    {
      id: 'prepare-guest', title: 'Prepare the guest', after: ['start-worker'], needs: ['vm', 'deployedVolumes', 'nics', 'worker'], yields: [],
      // A preparation may be repeated; on a new worker, because what went wrong may be the old one.
      ...(keepWorkerOnFailure ? {} : { retry: { attempts: 2, firstMs: 2_000, capMs: 30_000, rerun: ['start-worker'] } }),
    },
    {
      id: 'stop-worker', title: 'Delete the OSMorphing worker', after: ['start-worker', 'prepare-guest'], needs: ['vm'], yields: [],
      cleansUp: ['start-worker'],
      retry: { attempts: 4, firstMs: 2_000, capMs: 30_000 },
    },
  ];
}

function executionPasses({ execute }: DeploymentOptions): readonly TaskNode[] {
  if (execute === undefined) return [];
  const first: TaskNode = { id: 'execute-replica', title: 'Execute the replica', after: [], needs: [], yields: [] };
  if (execute.lastPass !== true) return [first];
  return [first, { id: 'execute-last-pass', title: 'Shut down the source and copy the last changes', after: ['execute-replica'], needs: [], yields: [] }];
}
