import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { OpenDeployment } from '../deployments/deployment-service.ts';
import { endpointOf, openDestination, type CoreParts } from './core-context.ts';
import { replicaEnvironments } from './replica-environments.ts';

/** The destination of a replica as a deployment uses it. The source may be lost by now; it is not contacted. */
export async function openDeployment(core: CoreParts, replica: Replica, options: DeploymentOptions): Promise<OpenDeployment> {
  const destination = await openDestination(core, endpointOf(core, replica.destinationEndpointId));
  try {
    await core.accepted.load([endpointOf(core, replica.sourceEndpointId)]);
    const written = replicaEnvironments(core, replica);
    const environment = await written.opened('destination');
    const luksKeys = [];
    for (const { secret, device } of options.luksKeys ?? []) luksKeys.push({ key: await core.gate.diskKey(secret), device });
    return { destination, environment, luksKeys, findings: async (vm) => written.findings(vm), close: () => destination.close() };
  } catch (error) {
    await destination.close();
    throw error;
  }
}
