import type { Clock } from '../../electron/engine/time/clock.ts';
import {
  startResourceGroupCloud,
  type ResourceGroupCloud,
  type ResourceGroupCloudOptions,
} from '../rigs/resource-group-cloud/start.ts';
import type { PlatformCalls } from './platform-calls.ts';
import { simulatedCalls } from './simulated-calls.ts';

/** The simulated resource-group cloud, with its calls as the conformance suites want them. */
export async function startResourceGroupCloudWithCalls(
  options: ResourceGroupCloudOptions = {},
): Promise<{ readonly cloud: ResourceGroupCloud; readonly calls: PlatformCalls; readonly clock: Clock }> {
  const { onCall, of, clock } = simulatedCalls({ changes: ({ method }) => method !== 'GET' });
  const cloud = await startResourceGroupCloud({ transitionMs: 3, ...options, onCall });
  return { cloud, calls: of(cloud), clock };
}

/** What an endpoint's form takes. */
export function resourceGroupCloudConnection(cloud: ResourceGroupCloud, more: object = {}): object {
  return {
    subscription_id: cloud.subscriptionId,
    tenant: cloud.tenant,
    service_principal_credentials: { client_id: cloud.clientId, client_secret: cloud.clientSecret },
    default_resource_group: cloud.resourceGroup,
    cloud_profile: 'CustomCloud',
    custom_cloud_properties: {
      active_directory: cloud.url,
      resource_manager: cloud.url,
      storage_suffix: 'blob.invalid',
    },
    ca_certificate: cloud.certificate.cert,
    ...more,
  };
}
