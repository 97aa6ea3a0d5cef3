import type { Disk } from '../../../../shared/model/vm.ts';
import { addNeeds, requireQuota, type QuotaNeeds } from '../../cloud-resources/quota-needs.ts';
import type { VolumePlan, VolumeRules } from '../../cloud-resources/replica-volumes.ts';
import { resolvedOrThrow, resolveText } from '../../cloud-resources/resolve-reference.ts';
import { volumeTypeOf } from '../../cloud-resources/volume-type.ts';
import { required, type DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';
import { quotaWords } from './iaas/quotas.ts';
import type { CloudSession } from './session.ts';
import { copyWorkerNeeds } from './worker-plan.ts';

/** Where the volumes of a replica are made, of which class, and what is refused before the first of them is. */
export function volumeRules(session: CloudSession, iaas: Iaas, environment: DestinationEnvironment): VolumeRules {
  return {
    zone: required(environment, 'availability_zone'),
    typeOf: (disk) => performanceClassOf(disk, environment),
    async checkQuota(plans, signal) {
      const missing = plans.filter((each) => each.volume === undefined);
      const wanted = new Set(missing.map((each) => each.type).filter((name) => name !== undefined));
      if (wanted.size > 0) {
        const classes = (await iaas.lists.performanceClasses(signal)).map((each) => each.name);
        for (const name of wanted)
          resolvedOrThrow('volume performance class', 'storage_mappings', name, resolveText(classes, name));
      }
      requireQuota(
        addNeeds(volumeNeeds(plans), await copyWorkerNeeds(session, iaas, environment, signal)),
        await iaas.quotas.read(signal),
        quotaWords,
      );
    },
  };
}

/** What the volumes still take of the project's quotas. */
export function volumeNeeds(plans: readonly VolumePlan[]): QuotaNeeds {
  return {
    volumes: plans.filter((each) => each.volume === undefined).length,
    gigabytes: plans.reduce((sum, each) => sum + each.growth, 0),
  };
}

/** The performance class of a disk's volume, by the mapping and what is configured besides. Undefined: the platform's default class. */
export function performanceClassOf(disk: Disk, environment: DestinationEnvironment): string | undefined {
  return volumeTypeOf(disk, environment.storage_mappings, environment.default_volume_performance_class);
}
