import { afterEach, expect, it } from 'vitest';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';
import { awsHarness, unit, type SourceLab } from '../rigs/large-public-cloud/source-harness.ts';

const signal = new AbortController().signal;
const BLOCK = 512 * 1024;
let made: SourceLab;
afterEach(() => made.close());

async function expectCopied(
  platform: SourcePlatform,
  snapshot: Snapshot,
  base?: Snapshot,
  former?: readonly Buffer[],
): Promise<readonly Buffer[]> {
  const replicas = [];
  for (const [index, diskId] of made.diskIds.entries()) {
    const reader = await platform.openDisk(snapshot, diskId, base, signal);
    const { replica } = await readOnto(reader, former?.[index], signal);
    await reader.close();
    expect(firstDifference(replica, await made.content(index))).toBeUndefined();
    replicas.push(replica);
  }
  return replicas;
}

it('goes through with a first copy and an increment where others of the account have used up what it may ask', async () => {
  made = await awsHarness({ cloud: { hasQuotas: true }, source: { attempts: 8 } });
  const { platform, vmId, environment, cloud } = made;
  const { quotas } = cloud.world;
  const refusedOf = (service: RegExp): number =>
    cloud.calls.filter(({ operation = '', status }) => service.test(operation) && Number(status) >= 400).length;
  await made.write(0, 0, unit, 0x31);
  quotas?.drain();
  const first = await platform.createSnapshot({ vmId, tag: 'first', environment }, signal);
  quotas?.drain();
  const copied = await expectCopied(platform, first);
  quotas?.drain();
  await platform.promoteToBase(first, undefined, signal);

  await made.write(0, 2 * BLOCK, BLOCK, 0x32);
  quotas?.drain();
  const second = await platform.createSnapshot({ vmId, tag: 'second', environment, base: first }, signal);
  quotas?.drain();
  await expectCopied(platform, second, first, copied);
  quotas?.drain();
  await platform.promoteToBase(second, first, signal);
  expect(cloud.world.snapshots.size).toBe(2);
  await platform.deleteBase(second, signal);
  expect(await made.leftovers()).toEqual([]);
  // Buckets fill again within milliseconds: which of the calls finds one empty depends on how busy the computer is.
  expect(refusedOf(/^(?:Describe|Create|Delete)|Block/)).toBeGreaterThan(0);
});

it('goes on where the credentials of a role and the tokens of blocks end in the middle, also under throttling', async () => {
  const role = 'arn:aws:iam::123456789012:role/causeway';
  made = await awsHarness({ cloud: { hasQuotas: true }, connection: { role_arn: role }, source: { attempts: 8 } });
  const { platform, vmId, environment, cloud } = made;
  const { world } = cloud;
  world.roles.set(role, undefined);
  /** As when their time is over, although they were good for longer. */
  const endAll = (): void => {
    for (const [id, key] of world.keys) if (key.sessionToken !== undefined) world.keys.set(id, { ...key, endsAt: 0 });
    world.tokenGeneration += 1;
    world.quotas?.drain();
  };
  const assumed = (): number => cloud.calls.filter(({ operation }) => operation === 'AssumeRole').length;
  await made.write(0, 0, unit, 0x41);
  const first = await platform.createSnapshot({ vmId, tag: 'first', environment }, signal);
  expect(assumed()).toBe(1);
  const reader = await platform.openDisk(first, made.diskIds[0] ?? '', undefined, signal);
  const into = Buffer.alloc(unit);
  for await (const { offset, length } of reader.extents(signal)) {
    endAll();
    // In two parts, so that something ends while the other one is read.
    const half = length / 2;
    await Promise.all([
      reader.read(offset, into.subarray(offset, offset + half), signal),
      reader.read(offset + half, into.subarray(offset + half, offset + length), signal),
    ]);
  }
  expect(firstDifference(into, await made.content(0))).toBeUndefined();
  await reader.close();
  await platform.promoteToBase(first, undefined, signal);
  endAll();
  await platform.deleteBase(first, signal);
  expect(await made.leftovers()).toEqual([]);
  // At the beginning, in the middle of the reading, and for the removal.
  expect(assumed()).toBe(3);
});
