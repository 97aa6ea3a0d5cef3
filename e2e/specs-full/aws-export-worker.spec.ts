import { afterAll, beforeAll, expect, it } from 'vitest';
import { startReplicationLab, type ReplicationLab } from '../rigs/large-public-cloud/replication-lab.ts';

const MIB = 2 ** 20;
const image = { migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718' } };
let lab: ReplicationLab;

beforeAll(async () => {
  lab = await startReplicationLab(2);
});
afterAll(() => lab?.close());

it.each([
  // Disks of Nitro instances have serials; of the interface's default type, only the order tells them apart.
  ['on Nitro', 'nitro', { disk_access: 'worker' }, { ...image, worker_instance_type: 't3.medium' }],
  ['on Xen, where the EBS direct APIs are denied', 'xen', {}, image],
])('replicates a VM by a worker %s', async (_, name, connection, environment) => {
  const { world } = lab.aws;
  if (name === 'xen') world.denied.add('ebs:ListSnapshotBlocks');
  await lab.fill(0, 3 * MIB, 5 * MIB + 4096, 0x41);
  await lab.fill(1, 900 * MIB, 2 * MIB, 0x42);
  await lab.createReplica(name, connection, environment);
  const full = await lab.execute(name);
  expect(full).toMatchObject({ state: 'completed', error: '', leftBehind: 0 });

  await lab.fill(1, 600 * MIB, MIB, 0x51);
  await lab.fill(0, 4 * MIB, MIB, 0);
  const increment = await lab.execute(name);
  expect(increment).toMatchObject({ state: 'completed', error: '', leftBehind: 0 });
  expect(increment.bytesRead).toBeLessThan(full.bytesRead / 2);
  expect(await lab.difference(name)).toBeUndefined();
  expect(world.snapshots.size).toBe(2);

  await lab.deleteReplica(name);
  expect(lab.leftovers()).toEqual([]);
  expect(lab.aws.violations).toEqual([]);
});
