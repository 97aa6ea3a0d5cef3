import { callerRanges } from '../../../workers/caller-address.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import { addNeeds, requireQuota } from '../../../cloud-resources/quota-needs.ts';
import type { VolumeRules } from '../../../cloud-resources/replica-volumes.ts';
import { volumeTypeOf } from '../../../cloud-resources/volume-type.ts';
import type { OpenStackSession } from './context.ts';
import type { DestinationEnvironment } from './environment.ts';
import { quotaWords, readQuotas, volumeNeeds } from './quotas.ts';
import { callerOf, planWorker, workerNeeds } from './worker-plan.ts';

/** Of which type the volumes of a replica are, and what is refused before the first of them is made. */
export async function volumeRules(session: OpenStackSession, environment: DestinationEnvironment, signal: AbortSignal): Promise<VolumeRules> {
  const types = await session.cloud.volume.types(signal);
  return {
    zone: undefined,
    typeOf(disk) {
      const wanted = volumeTypeOf(disk, environment.storage_mappings);
      return wanted === undefined ? undefined : resolvedOrThrow('volume type', 'storage_mappings', wanted, resolve(types, wanted)).name;
    },
    async checkQuota(plans, s) {
      const plan = await planWorker(session.cloud, environment, 'disk-copy', s);
      const ranges = await callerRanges(callerOf(session, plan), plan.reachedThrough, s);
      const volumes = plans.map((each) => volumeNeeds(each.volume === undefined ? each.type : each.volume.type, each.volume === undefined ? 1 : 0, each.growth));
      requireQuota(addNeeds(...volumes, workerNeeds(plan, ranges.length)), await readQuotas(session.cloud, s), quotaWords);
    },
  };
}
