import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import { addNeeds, requireQuota, type QuotaNeeds } from '../../../cloud-resources/quota-needs.ts';
import type { VolumePlan, VolumeRules } from '../../../cloud-resources/replica-volumes.ts';
import { volumeTypeOf } from '../../../cloud-resources/volume-type.ts';
import type { OpenStackSession } from './context.ts';
import type { DestinationEnvironment } from './environment.ts';
import { quotaWords, readQuotas, volumeNeeds } from './quotas.ts';
import { copyWorkerNeeds } from './worker-plan.ts';

/** Of which type the volumes of a replica are, and what is refused before the first of them is made. */
export async function volumeRules(
  session: OpenStackSession,
  environment: DestinationEnvironment,
  signal: AbortSignal,
): Promise<VolumeRules> {
  const types = await session.cloud.volume.types(signal);
  return {
    zone: undefined,
    typeOf(disk) {
      const wanted = volumeTypeOf(disk, environment.storage_mappings);
      return wanted === undefined
        ? undefined
        : resolvedOrThrow('volume type', 'storage_mappings', wanted, resolve(types, wanted)).name;
    },
    async checkQuota(plans, s) {
      requireQuota(
        addNeeds(needsOfVolumes(plans), await copyWorkerNeeds(session, environment, s)),
        await readQuotas(session.cloud, s),
        quotaWords,
      );
    },
  };
}

/** What the volumes still take of the project's quotas. */
export function needsOfVolumes(plans: readonly VolumePlan[]): QuotaNeeds {
  return addNeeds(
    ...plans.map(({ volume, type, growth }) =>
      volume === undefined ? volumeNeeds(type, 1, growth) : volumeNeeds(volume.type, 0, growth),
    ),
  );
}
