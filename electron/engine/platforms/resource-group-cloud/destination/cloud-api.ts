import type { CloudApi } from '../../../cloud-resources/cloud-api.ts';
import { cloudCalls, type DiskRules } from './cloud-calls.ts';
import type { DestinationEnvironment } from './environment.ts';
import { accountIdOf, blobPlaceOf, withPageBlobs } from './page-blobs.ts';
import { deleterFor } from './remove-resource.ts';
import type { AzureSession, Place } from './session.ts';

/**
 * A resource group as the shared steps of a destination see it.
 *
 * @param environment says whether the volumes of replicas are page blobs; without it they are managed disks
 */
export function cloudApi(
  session: AzureSession,
  place: Place,
  rules?: DiskRules,
  environment?: DestinationEnvironment,
): CloudApi {
  const blobs = environment === undefined ? undefined : blobPlaceOf(environment);
  const own =
    blobs === undefined || rules === undefined
      ? rules
      : { ...rules, storageAccountId: accountIdOf(session, place, blobs) };
  const base = cloudCalls(session, place, own);
  const calls = blobs === undefined ? base : withPageBlobs(base, session, place, blobs, own, environment);
  return { ...calls, deleterFor: (entry) => deleterFor(session, entry) };
}
