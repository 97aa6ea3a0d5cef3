import type { CloudApi } from '../../../cloud-resources/cloud-api.ts';
import { cloudCalls } from './cloud-calls.ts';
import type { OpenStackSession } from './context.ts';
import { deleterFor } from './remove-resource.ts';

/** The endpoint's project as the shared steps of a destination see it. */
export function cloudApi(session: OpenStackSession): CloudApi {
  return { ...cloudCalls(session), deleterFor: (entry) => deleterFor(session, entry) };
}
