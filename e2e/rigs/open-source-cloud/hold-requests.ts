import { afterAll, expect } from 'vitest';
import { ApiDescriptions } from '../../../electron/engine/platforms/open-source-cloud/testing/api-descriptions/api-descriptions.ts';
import { watchRequests } from '../../../electron/engine/platforms/open-source-cloud/testing/watch-requests.ts';

// Before each file of specs: what the engine in this process sends to the cloud is held against the services' descriptions.
const descriptions = ApiDescriptions.ofEnvironment({ realIds: true });
const end = descriptions === undefined ? undefined : watchRequests(descriptions);

afterAll(() => {
  if (descriptions === undefined) return;
  end?.();
  console.log(`open-source cloud: ${descriptions.seen.size} operations were held against their descriptions`);
  expect(descriptions.violations).toEqual([]);
});
