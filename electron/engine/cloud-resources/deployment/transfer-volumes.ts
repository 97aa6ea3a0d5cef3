import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import type { Volume } from '../../ports/destination-platform.ts';
import type { CloudApi } from '../cloud-api.ts';
import { volumeKey } from '../replica-volumes.ts';
import { deploymentIntent } from './deployment-keys.ts';
import { closeEntry, claimVolume } from './claim-volume.ts';

/**
 * Gives the replica's own volumes to the deployment that used them in place. Nothing changes on the platform but their
 * labels; at every moment each volume is in the ledger.
 */
export async function transferVolumesToDeployment(
  cloud: CloudApi,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id, diskId } of volumes) {
    await claimVolume(
      cloud,
      run,
      deploymentIntent(run, 'volume', `disk/${diskId}`, { ...cloud.entryDetails, diskId }),
      id,
      {},
      signal,
    );
    const former = run.ledger.find('volume', volumeKey(diskId));
    if (former?.resourceId === id) await closeEntry(run, former, signal);
  }
}
