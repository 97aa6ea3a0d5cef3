import type { Clock } from '../../electron/engine/time/clock.ts';
import { startEuropeanCloud, type EuropeanCloud, type EuropeanCloudOptions } from '../rigs/european-cloud/start.ts';
import type { PlatformCalls } from './platform-calls.ts';
import { simulatedCalls } from './simulated-calls.ts';

/** The simulated European cloud, with its calls as the conformance suites want them. */
export async function startEuropeanCloudWithCalls(
  options: EuropeanCloudOptions = {},
): Promise<{ readonly cloud: EuropeanCloud; readonly calls: PlatformCalls; readonly clock: Clock }> {
  const { onCall, of, clock } = simulatedCalls({ changes: ({ method }) => method !== 'GET' });
  const cloud = await startEuropeanCloud({ transitionMs: 3, ...options, onCall });
  return { cloud, calls: of(cloud), clock };
}

/** What an endpoint's form takes. */
export function europeanCloudConnection(
  cloud: EuropeanCloud,
  serviceAccountKey: object = cloud.serviceAccountKey,
): object {
  return {
    project_id: cloud.projectId,
    region_name: cloud.region.toUpperCase(),
    service_account_key: Buffer.from(JSON.stringify(serviceAccountKey)).toString('base64'),
    iaas_url: cloud.urls.iaas,
  };
}
