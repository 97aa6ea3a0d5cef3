import { isGuestCheck } from '../../../shared/model/after-boot-check.ts';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { OpenDeployment } from '../deployments/deployment-service.ts';
import { endpointOf, openDestination, type CoreParts } from './core-context.ts';
import { rehearsalEnvironment } from './life/purposes.ts';
import { replicaEnvironments } from './replica-environments.ts';

/** The destination of a replica as a deployment uses it. The source may be lost by now; it is not contacted. */
export async function openDeployment(
  core: CoreParts,
  replica: Replica,
  options: DeploymentOptions,
): Promise<OpenDeployment> {
  const destination = await openDestination(core, endpointOf(core, replica.destinationEndpointId));
  try {
    await core.accepted.load([endpointOf(core, replica.sourceEndpointId)]);
    const written = replicaEnvironments(core, replica);
    const usual = await written.opened('destination');
    const environment = options.purpose === 'rehearsal' ? rehearsalEnvironment(usual, options.rehearsal ?? {}) : usual;
    const luksKeys = [];
    for (const { secret, device } of options.luksKeys ?? [])
      luksKeys.push({ key: await core.gate.diskKey(secret), device });
    const checkCredentials = new Map<string, string>();
    for (const check of options.checks ?? [])
      if (isGuestCheck(check)) checkCredentials.set(check.secret, await core.gate.checkLogin(check));
    return {
      destination,
      environment,
      luksKeys,
      checkCredentials,
      findings: async (vm) => written.findings(vm),
      close: () => destination.close(),
    };
  } catch (error) {
    await destination.close();
    throw error;
  }
}
