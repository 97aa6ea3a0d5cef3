import { afterEach, expect, it } from 'vitest';
import { openAzure, type AzureCloud } from '../../electron/engine/platforms/resource-group-cloud/client/open-azure.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';
import { azureHarness } from '../rigs/resource-group-cloud/source-harness.ts';
import { connectionTo } from '../rigs/resource-group-cloud/source-lab.ts';
import { startResourceGroupCloud, type ResourceGroupCloud } from '../rigs/resource-group-cloud/start.ts';
import { documentedBuckets, type RequestKind } from '../rigs/resource-group-cloud/throttling.ts';
import type { Bucket } from '../rigs/cloud-kit/token-buckets.ts';

const signal = new AbortController().signal;
let cloud: ResourceGroupCloud;
let client: AzureCloud | undefined;
afterEach(async () => {
  if (client === undefined) return;
  client.close();
  client = undefined;
  await cloud.close();
  expect(cloud.violations).toEqual([]);
});

async function open(throttling: Partial<Readonly<Record<RequestKind, Bucket>>>): Promise<AzureCloud> {
  cloud = await startResourceGroupCloud({ transitionMs: 2, throttling });
  client = openAzure(connectionTo(cloud));
  return client;
}

async function createMany(client: AzureCloud, count: number): Promise<void> {
  const { networkSecurityGroups } = await client.network();
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      client.submit(
        `create group ${index}`,
        (options) =>
          networkSecurityGroups.createOrUpdate(
            cloud.resourceGroup,
            `group-${index}`,
            { location: cloud.location },
            options,
          ),
        signal,
      ),
    ),
  );
}

async function readMany(client: AzureCloud, count: number): Promise<void> {
  const { resourceGroups } = await client.resources();
  for (let index = 0; index < count; index += 1)
    await client.call('read the group', (options) => resourceGroups.get(cloud.resourceGroup, options), signal);
}

const refused = (): number => cloud.calls.filter(({ status }) => status === 429).length;

it('a bucket of requests is not emptied: what it has left is read from each answer', async () => {
  // Fills faster than documented, so that a busy machine is no reason for a refusal.
  await readMany(await open({ reads: { size: 20, perSecond: 50 } }), 40);
  expect(refused()).toBe(0);
});

it('requests that come all at once go through although the bucket does not have enough', async () => {
  // Fills so slowly that a busy machine is no reason for having enough.
  await createMany(await open({ writes: { size: 6, perSecond: 2 } }), 12);
  expect(refused()).toBeGreaterThan(0);
  expect(
    cloud.calls.filter(
      ({ operation, status }) => operation === 'NetworkSecurityGroups_CreateOrUpdate' && Number(status) < 300,
    ),
  ).toHaveLength(12);
});

it('a first copy and an increment go through the documented buckets when others have emptied them, also where tokens and signed addresses end in the middle', async () => {
  const emptied = Object.fromEntries(
    Object.entries(documentedBuckets).map(([kind, bucket]) => [kind, { ...bucket, atFirst: 0 }]),
  );
  const made = await azureHarness({ throttling: emptied });
  // At the pace of the service, which is what is looked at here.
  const platform = made.openWith(
    {},
    { clock: systemClock, timing: { requestMs: 10_000, pollFirstMs: 5, pollCapMs: 20 } },
  );
  const { cloud: lab, blobs } = made.lab;
  const { vmId, environment, diskIds } = made;
  const endAll = (): void => {
    lab.signIn.revokeAll();
    for (const { properties } of lab.world.snapshots.values()) blobs.expire(properties.uniqueId);
  };
  // One disk after the other: what ends in the middle of one must not end a second time in another one's, however slow they are.
  const expectCopied = async (
    snapshot: Snapshot,
    base?: Snapshot,
    former?: readonly Buffer[],
  ): Promise<readonly Buffer[]> => {
    const replicas: Buffer[] = [];
    for (const [index, diskId] of diskIds.entries()) {
      const reader = await platform.openDisk(snapshot, diskId, base, signal);
      await readOnto(reader, former?.[index], signal);
      endAll();
      const { replica } = await readOnto(reader, former?.[index], signal);
      await reader.close();
      expect(firstDifference(replica, await made.content(index))).toBeUndefined();
      replicas.push(replica);
    }
    return replicas;
  };
  await made.write(0, 2 ** 20, 2 ** 20, 0x51);
  const first = await platform.createSnapshot({ vmId, tag: 'first', environment }, signal);
  const copied = await expectCopied(first);
  await platform.promoteToBase(first, undefined, signal);
  await made.write(0, 2 ** 20, 65_536, 0x52);
  const second = await platform.createSnapshot({ vmId, tag: 'second', environment, base: first }, signal);
  await expectCopied(second, first, copied);
  await platform.promoteToBase(second, first, signal);
  await platform.deleteBase(second, signal);
  expect(await made.leftovers()).toEqual([]);
  expect(lab.calls.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  await platform.close();
  await made.close();
});
