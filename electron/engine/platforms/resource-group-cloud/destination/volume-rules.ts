import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { addNeeds, requireQuota, type QuotaNeeds } from '../../../cloud-resources/quota-needs.ts';
import type { VolumePlan, VolumeRules } from '../../../cloud-resources/replica-volumes.ts';
import { resolvedOrThrow, resolve } from '../../../cloud-resources/resolve-reference.ts';
import { diskProblem, diskTypeOf, usualDiskType, zoneFor } from './disk-types.ts';
import { isUploaded } from './direct-upload.ts';
import { blobPlaceOf } from './page-blobs.ts';
import type { DestinationEnvironment } from './environment.ts';
import { diskQuota, quotaWords, readOffers, readQuotas, type Offers } from './offers.ts';
import { placeOf, type AzureSession } from './session.ts';
import { copyWorkerNeeds } from './worker-plan.ts';

/** Where the volumes of a replica are made, of which type, and what is refused before the first of them is. */
export async function volumeRules(
  session: AzureSession,
  environment: DestinationEnvironment,
  vm: Vm,
  signal: AbortSignal,
): Promise<VolumeRules> {
  const { location } = placeOf(session, environment);
  const offers = await readOffers(session, location, signal);
  const areBlobs = blobPlaceOf(environment) !== undefined;
  return {
    zone: zoneFor(session, environment, vm, offers),
    // A page blob has the type of its account; types are for the disks that are made of it.
    typeOf: (disk) => (areBlobs ? undefined : diskTypeOf(disk, environment)),
    async checkQuota(plans, within) {
      refuseDisks(environment, vm, offers);
      if (areBlobs) return;
      const worker =
        isUploaded(session, environment, vm) && plans.every(({ volume }) => volume === undefined)
          ? {}
          : await copyWorkerNeeds(session, environment, vm, within);
      requireQuota(addNeeds(volumeNeeds(plans), worker), await readQuotas(session, location, within), quotaWords);
    },
  };
}

/** What the volumes still take of the quotas. */
export function volumeNeeds(plans: readonly VolumePlan[]): QuotaNeeds {
  return addNeeds(
    ...plans
      .filter((each) => each.volume === undefined)
      .map((each) => ({ [diskQuota(each.type ?? usualDiskType)]: 1 })),
  );
}

/** @throws `cloud.name-unknown`, `cloud.disk-too-large`, `general.invalid-input` */
function refuseDisks(environment: DestinationEnvironment, vm: Vm, { diskTypes }: Offers): void {
  for (const disk of vm.disks) {
    const type = resolvedOrThrow(
      'storage account type',
      'storage_map',
      diskTypeOf(disk, environment),
      resolve(diskTypes, diskTypeOf(disk, environment)),
    );
    const problem = diskProblem(disk, vm, type);
    if (problem === undefined) continue;
    const isTooLarge = problem.includes('GiB');
    throw new CausewayError(isTooLarge ? 'cloud.disk-too-large' : 'general.invalid-input', problem, {
      details: { parameter: 'storage_map', diskId: disk.id, type: type.name },
    });
  }
}
