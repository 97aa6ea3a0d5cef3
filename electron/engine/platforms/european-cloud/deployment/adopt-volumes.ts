import type { DeploymentRun } from '../../../ports/deployment-platform.ts';
import type { Volume } from '../../../ports/destination-platform.ts';
import { readEnvironment } from '../environment.ts';
import { volumeKey } from '../replica-volumes.ts';
import type { CloudSession } from '../session.ts';
import { deploymentIntent } from './deployment-keys.ts';
import { letGo, takeOver } from './take-over.ts';

/**
 * Gives the replica's own volumes to the deployment that used them in place. Nothing changes on the platform but their
 * labels; at every moment each volume is in the ledger.
 */
export async function adoptVolumes(session: CloudSession, run: DeploymentRun, volumes: readonly Volume[], signal: AbortSignal): Promise<void> {
  const iaas = session.iaas(readEnvironment(run.environment).project);
  for (const { id, diskId } of volumes) {
    await takeOver(session, iaas, run, deploymentIntent(run, 'volume', `disk/${diskId}`, { project: iaas.projectId, diskId }), id, {}, signal);
    const former = run.ledger.find('volume', volumeKey(diskId));
    if (former?.resourceId === id) await letGo(run, former, signal);
  }
}
