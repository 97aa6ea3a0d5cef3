import { bindSteps, type BoundSteps } from '../../jobs/steps.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { deploymentValues, type DeploymentNode } from '../deployment-graph.ts';
import { checkServices } from './services.ts';
import { checkDestination, checkReplica } from './check.ts';
import { executeLastPass, executeReplica } from './execute.ts';
import { prepareGuest } from './prepare.ts';
import { checkBoot, createServer, recordDeployment } from './server.ts';
import { settleDeployment } from './settle.ts';
import { createNics, createVolumes, snapshotVolumes } from './volumes.ts';
import { startWorker, stopWorker } from './worker.ts';

/** What carries out each node of the deployment graph. */
export function deploymentSteps(run: DeploymentContext): BoundSteps {
  return bindSteps<typeof deploymentValues, DeploymentNode>(deploymentValues, {
    'execute-replica': executeReplica(run),
    'execute-last-pass': executeLastPass(run),
    'check-replica': checkReplica(run),
    'check-destination': checkDestination(run),
    'snapshot-volumes': snapshotVolumes(run),
    'create-volumes': createVolumes(run),
    'create-nics': createNics(run),
    'start-worker': startWorker(run),
    'prepare-guest': prepareGuest(run),
    'stop-worker': stopWorker(run),
    'create-server': createServer(run),
    'check-boot': checkBoot(run),
    'check-services': checkServices(run),
    'record-deployment': recordDeployment(run),
    'settle-deployment': settleDeployment(run),
  });
}
