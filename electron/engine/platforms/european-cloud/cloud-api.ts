import type { CloudApi } from '../../cloud-resources/cloud-api.ts';
import { cloudCalls } from './cloud-calls.ts';
import type { Iaas } from './iaas/iaas.ts';
import { deleterFor } from './remove-resource.ts';
import type { CloudSession } from './session.ts';

/** A project of the European cloud as the shared steps of a destination see it. */
export function cloudApi(session: CloudSession, iaas: Iaas): CloudApi {
  return { ...cloudCalls(session, iaas), deleterFor: (entry) => deleterFor(session, entry) };
}
