import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { deploymentIntent } from '../../../cloud-resources/deployment/deployment-keys.ts';
import { hasLabels } from '../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, resourceTags, nameOf } from '../../../cloud-resources/ledgered-resource.ts';
import type { DeployedNic, DeploymentPlan, DeploymentRun } from '../../../ports/deployment-platform.ts';
import { readEnvironment } from '../environment.ts';
import type { CloudNic } from '../iaas/networks.ts';
import type { CloudSession } from '../session.ts';
import { planState } from './plan-deployment.ts';

/** One NIC a source NIC, in their order, with the address and groups of the plan. MAC addresses are the platform's. */
export async function createNics(
  session: CloudSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  signal: AbortSignal,
): Promise<readonly DeployedNic[]> {
  const iaas = session.iaas(readEnvironment(run.environment).project);
  const { nics: planned, securityGroupIds } = planState(plan);
  const nics: DeployedNic[] = [];
  for (const each of planned) {
    const { resource } = await ensureResource<CloudNic>(
      session,
      run.ledger,
      deploymentIntent(run, 'nic', `nic/${each.sourceNicId}`, { project: iaas.projectId, networkId: each.networkId }),
      {
        find: async (entry, s) =>
          (await iaas.nics.list(entryLabel(entry), s)).find((nic) => hasLabels(nic, entryLabel(entry))),
        get: (id, _entry, s) => iaas.nics.get(id, s),
        create: (entry, s) =>
          iaas.nics.create(
            each.networkId,
            {
              name: nameOf(entry),
              ...(each.address === undefined ? {} : { ipv4: each.address }),
              ...(securityGroupIds.length === 0 ? {} : { securityGroups: securityGroupIds }),
              labels: resourceTags(run, entry),
            },
            s,
          ),
      },
      signal,
    );
    if (resource.mac === undefined)
      throw new CausewayError('cloud.unexpected-answer', `NIC ${resource.id} has no MAC address`, {
        details: { nicId: resource.id },
      });
    nics.push({
      id: resource.id,
      sourceNicId: each.sourceNicId,
      networkId: each.networkId,
      macAddress: resource.mac.toLowerCase(),
      ipAddress: resource.ipv4,
      prefixLength: each.prefix === undefined ? undefined : Number(each.prefix.split('/')[1]),
      gateway: each.gateway,
    });
  }
  return nics;
}
