import { afterEach, expect, it } from 'vitest';
import { openAzure, type AzureCloud } from '../../electron/engine/platforms/resource-group-cloud/client/open-azure.ts';
import { connectionTo } from '../rigs/resource-group-cloud/source-lab.ts';
import { startResourceGroupCloud, type ResourceGroupCloud } from '../rigs/resource-group-cloud/start.ts';
import type { Bucket, RequestKind } from '../rigs/resource-group-cloud/throttling.ts';

const signal = new AbortController().signal;
let cloud: ResourceGroupCloud;
let client: AzureCloud;
afterEach(async () => {
  client.close();
  await cloud.close();
});

async function open(throttling: Partial<Readonly<Record<RequestKind, Bucket>>>): Promise<void> {
  cloud = await startResourceGroupCloud({ transitionMs: 2, throttling });
  client = openAzure(connectionTo(cloud));
}

async function createMany(count: number): Promise<void> {
  const { networkSecurityGroups } = await client.network();
  await Promise.all(Array.from({ length: count }, (_, index) => client.submit(`create group ${index}`, (options) =>
    networkSecurityGroups.createOrUpdate(cloud.resourceGroup, `group-${index}`, { location: cloud.location }, options), signal)));
}

async function readMany(count: number): Promise<void> {
  const { resourceGroups } = await client.resources();
  for (let index = 0; index < count; index += 1) await client.call('read the group', (options) => resourceGroups.get(cloud.resourceGroup, options), signal);
}

const refused = (): number => cloud.calls.filter(({ status }) => status === 429).length;

it('a bucket of requests is not emptied: what it has left is read from each answer', async () => {
  // Fills faster than documented, so that a busy machine is no reason for a refusal.
  await open({ reads: { size: 20, perSecond: 50 } });
  await readMany(40);
  expect(refused()).toBe(0);
});

it('requests that come all at once go through although the bucket does not have enough', async () => {
  await open({ writes: { size: 6, perSecond: 20 } });
  await createMany(12);
  expect(refused()).toBeGreaterThan(0);
  expect(cloud.calls.filter(({ operation, status }) => operation === 'NetworkSecurityGroups_CreateOrUpdate' && Number(status) < 300)).toHaveLength(12);
});
