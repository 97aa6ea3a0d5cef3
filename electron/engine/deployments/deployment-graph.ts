import { z } from 'zod';
import { deployedServerSchema, type DeploymentOptions } from '../../../shared/model/deployment.ts';
import { vmSchema } from '../../../shared/model/vm.ts';
import type { Step } from '../jobs/steps.ts';
import { memoryValue, storedValue, type RetryPolicy, type TaskGraph } from '../jobs/task-graph.ts';
import { deployedNicSchema, deploymentPlanSchema, volumeSnapshotSchema } from '../ports/deployment-platform.ts';
import { volumeSchema } from '../ports/destination-run.ts';
import type { WorkerWithVolumes } from '../workers/attach-volumes.ts';

/** The values that the tasks of a deployment pass on. */
export const deploymentValues = {
  vm: storedValue(vmSchema),
  /** The replica's own. */
  volumes: storedValue(z.array(volumeSchema).readonly()),
  plan: storedValue(deploymentPlanSchema),
  snapshots: storedValue(z.array(volumeSnapshotSchema).readonly()),
  /** Those of the VM: the replica's own when it is deployed in place. */
  deployedVolumes: storedValue(z.array(volumeSchema).readonly()),
  nics: storedValue(z.array(deployedNicSchema).readonly()),
  worker: memoryValue<WorkerWithVolumes>(),
  server: storedValue(deployedServerSchema),
};

type Graph = TaskGraph<keyof typeof deploymentValues>;
export type DeploymentNode = ReturnType<typeof deploymentGraph>[number];
export type DeploymentStep<Id extends DeploymentNode['id']> = Step<typeof deploymentValues, DeploymentNode, Id>;

/** After so many attempts a worker that holds no volumes is left to the ledger. */
export const stopWorkerAttempts = 3;

/** Cloud calls repeat themselves below this; here it is for whole steps. */
const again: RetryPolicy = { attempts: 3, firstMs: 2_000, capMs: 30_000 };

/**
 * One deployment of a replica: the checks, the five steps of the procedure (snapshots and volumes, preparation worker,
 * preparation, removal of the worker, server), and the boot check. A migration executes the replica
 * before that, in the same run.
 */
export function deploymentGraph(options: DeploymentOptions) {
  const { inPlace = false, skipMorphing = false, keepWorkerOnFailure = false } = options;
  const hasChecks = (options.checks ?? []).length > 0;
  const passes = executionPasses(options);
  const lastPass = passes.at(-1)?.id;
  const steps = [
    ...passes,
    {
      id: 'check-replica',
      title: 'Check the replica',
      after: lastPass === undefined ? [] : [lastPass],
      needs: [],
      yields: ['vm', 'volumes'],
      retry: again,
    },
    {
      id: 'check-destination',
      title: 'Check the destination',
      after: ['check-replica'],
      needs: ['vm', 'volumes'],
      yields: ['plan'],
      retry: again,
    },
    {
      id: 'snapshot-volumes',
      title: 'Take snapshots of the volumes',
      after: ['check-destination'],
      needs: ['vm', 'volumes'],
      yields: ['snapshots'],
      retry: again,
    },
    {
      id: 'create-volumes',
      title: inPlace ? "Use the replica's own volumes" : 'Create volumes from the snapshots',
      after: ['snapshot-volumes'],
      needs: ['vm', 'volumes', 'snapshots'],
      yields: ['deployedVolumes'],
      retry: again,
    },
    {
      id: 'create-nics',
      title: 'Create the network interfaces',
      after: ['create-volumes'],
      needs: ['vm', 'plan'],
      yields: ['nics'],
      retry: again,
    },
    ...(skipMorphing ? [] : preparation(keepWorkerOnFailure)),
    {
      id: 'create-server',
      title: 'Create and start the VM',
      after: skipMorphing ? ['create-nics'] : ['prepare-guest', 'stop-worker'],
      needs: ['vm', 'plan', 'deployedVolumes', 'nics'],
      yields: ['server'],
      retry: again,
    },
    {
      id: 'check-boot',
      title: 'Wait for the guest to boot',
      after: ['create-server'],
      needs: ['vm', 'server'],
      yields: [],
    },
    ...(hasChecks
      ? ([
          { id: 'check-services', title: 'Run the checks', after: ['check-boot'], needs: ['vm', 'server'], yields: [] },
        ] as const)
      : []),
    {
      id: 'record-deployment',
      title: 'Record the VM',
      after: [hasChecks ? 'check-services' : 'check-boot'],
      needs: ['vm', 'deployedVolumes', 'server'],
      yields: [],
    },
  ] as const satisfies Graph;
  return [
    ...steps,
    {
      id: 'settle-deployment',
      title: 'Delete the snapshots, or roll back',
      // After all of them: on a cancel, a later one is skipped while an earlier one still comes to its end.
      after: steps.map((node) => node.id),
      needs: ['vm', 'snapshots'],
      yields: [],
      cleansUp: ['snapshot-volumes'],
      settles: true,
      retry: { attempts: 4, firstMs: 2_000, capMs: 30_000 },
    },
  ] as const satisfies Graph;
}

function preparation(keepWorkerOnFailure: boolean) {
  return [
    {
      id: 'start-worker',
      title: 'Start the OSMorphing worker',
      after: ['create-nics'],
      needs: ['vm', 'deployedVolumes'],
      yields: ['worker'],
      retry: again,
    },
    {
      id: 'prepare-guest',
      title: 'Prepare the guest',
      after: ['start-worker'],
      needs: ['vm', 'deployedVolumes', 'nics', 'worker'],
      yields: [],
      // A preparation may be repeated; on a new worker, because what went wrong may be the old one.
      ...(keepWorkerOnFailure
        ? {}
        : { retry: { attempts: 2, firstMs: 2_000, capMs: 30_000, rerun: ['start-worker'] } }),
    },
    {
      id: 'stop-worker',
      title: 'Delete the OSMorphing worker',
      after: ['start-worker', 'prepare-guest'],
      needs: ['vm', 'deployedVolumes'],
      yields: [],
      cleansUp: ['start-worker'],
      retry: { attempts: stopWorkerAttempts, firstMs: 2_000, capMs: 30_000 },
    },
  ] as const satisfies Graph;
}

function executionPasses({ execute }: DeploymentOptions) {
  const first = { id: 'execute-replica', title: 'Execute the replica', after: [], needs: [], yields: [] } as const;
  const last = {
    id: 'execute-last-pass',
    title: 'Shut down the source and copy the last changes',
    after: ['execute-replica'],
    needs: [],
    yields: [],
  } as const;
  return [
    ...(execute === undefined ? [] : [first]),
    ...(execute?.lastPass === true ? [last] : []),
  ] as const satisfies Graph;
}
