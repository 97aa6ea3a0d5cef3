import type { DeploymentRun } from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform } from '../../electron/engine/ports/destination-platform.ts';

/**
 * The calls of a deployment in their order, on volumes without content and without the engine: for specs that look at what
 * a parameter leads to in the records of a simulated platform. Rejects as the platform's calls do.
 */
export async function deployByHand(platform: DestinationPlatform, own: DeploymentRun, signal: AbortSignal) {
  const { deployment } = platform;
  if (deployment === undefined) throw new Error('the platform has no deployments');
  const volumes = await platform.ensureVolumes(own, own.vm.disks, signal);
  const plan = await deployment.plan(own, volumes, signal);
  const snapshots = await deployment.snapshotVolumes(own, volumes, signal);
  const copies = await deployment.volumesFromSnapshots(own, snapshots, signal);
  const nics = await deployment.createNics(own, plan, signal);
  const server = await deployment.createServer(own, plan, copies, nics, signal);
  return { own, deployment, volumes, snapshots, copies, nics, server };
}
