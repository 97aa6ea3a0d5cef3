import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { OpenDeployment } from '../deployments/deployment-service.ts';
import { endpointOf, openDestination, type CoreParts } from './core-context.ts';
import { replicaEnvironments } from './replica-environments.ts';
import { resolveSecrets } from './secret-references.ts';

/** The destination of a replica as a deployment uses it. The source may be lost by now: nobody asks for it. */
export async function openDeployment(core: CoreParts, replica: Replica, options: DeploymentOptions): Promise<OpenDeployment> {
  const to = endpointOf(core, replica.destinationEndpointId);
  const learn = (name: string, secret: string): void => core.redactor.learn(name, secret);
  const written = replicaEnvironments(core, replica);
  const environment = await resolveSecrets(written.values('destination'), core.vault, learn);
  const luksKeys = [];
  for (const { secret, device } of options.luksKeys ?? []) {
    const key = await core.vault.resolve(secret);
    learn(secret, key);
    luksKeys.push({ key, device });
  }
  const destination = await openDestination(core, to);
  return {
    destination,
    environment,
    luksKeys,
    findings: async (vm) => written.findings(vm),
    close: () => destination.close(),
  };
}
