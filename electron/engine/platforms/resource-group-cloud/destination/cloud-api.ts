import type { CloudApi } from '../../../cloud-resources/cloud-api.ts';
import { cloudCalls, type DiskRules } from './cloud-calls.ts';
import { deleterFor } from './remove-resource.ts';
import type { AzureSession, Place } from './session.ts';

/** A resource group as the shared steps of a destination see it. */
export function cloudApi(session: AzureSession, place: Place, rules?: DiskRules): CloudApi {
  return { ...cloudCalls(session, place, rules), deleterFor: (entry) => deleterFor(session, entry) };
}
