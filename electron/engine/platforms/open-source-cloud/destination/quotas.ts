import type { Quotas, QuotaWords } from '../../../cloud-resources/quota-needs.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';

/** The quotas of all services, by the services' own names; those of a volume type as `volumes_<type>`, `gigabytes_<type>`. */
export async function readQuotas(cloud: OpenStackCloud, signal: AbortSignal): Promise<Quotas> {
  const { projectId } = await cloud.identity(signal);
  const [compute, volumes, networks] = await Promise.all([
    cloud.compute.limits(signal),
    whereAllowed(cloud.volume.quotas(projectId, signal)),
    whereAllowed(cloud.network.quotas(projectId, signal)),
  ]);
  return {
    instances: { limit: compute.maxTotalInstances, usage: compute.totalInstancesUsed },
    cores: { limit: compute.maxTotalCores, usage: compute.totalCoresUsed },
    ram: { limit: compute.maxTotalRAMSize, usage: compute.totalRAMUsed },
    ...Object.fromEntries(
      Object.entries(volumes).map(([name, { limit, in_use, reserved }]) => [name, { limit, usage: in_use + reserved }]),
    ),
    ...Object.fromEntries(Object.entries(networks).map(([name, { limit, used }]) => [name, { limit, usage: used }])),
  };
}

/** Some clouds keep quotas from members of a project; what can't be read can't be checked beforehand. */
async function whereAllowed<T extends object>(read: Promise<T>): Promise<T | Record<string, never>> {
  try {
    return await read;
  } catch (error) {
    if (
      error instanceof CausewayError &&
      (error.code === 'cloud.permission-denied' || error.code === 'cloud.not-found')
    )
      return {};
    throw error;
  }
}

export const quotaWords: QuotaWords = {
  instances: 'instances',
  cores: 'vCPUs',
  ram: 'MiB of memory',
  volumes: 'volumes',
  gigabytes: 'GiB of volumes',
  snapshots: 'snapshots',
  port: 'ports',
  floatingip: 'floating IPs',
  security_group: 'security groups',
  security_group_rule: 'security group rules',
};

/** What volumes of one type take: of the project's quotas, and of the type's own. @param gib all of them together */
export function volumeNeeds(type: string | undefined, volumes: number, gib: number): Record<string, number> {
  return {
    volumes,
    gigabytes: gib,
    ...(type === undefined ? {} : { [`volumes_${type}`]: volumes, [`gigabytes_${type}`]: gib }),
  };
}
