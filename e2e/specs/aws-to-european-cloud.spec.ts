import { afterAll, beforeAll, expect, it } from 'vitest';
import { startReplicationLab, type ReplicationLab } from '../rigs/large-public-cloud/replication-lab.ts';

const MIB = 2 ** 20;
let lab: ReplicationLab;

beforeAll(async () => {
  lab = await startReplicationLab(1);
  await lab.createReplica('direct', {}, {});
});
afterAll(() => lab?.close());

it('replicates a VM of the large public cloud byte for byte, then only what changed, and leaves nothing', async () => {
  await lab.fill(0, 3 * MIB, 5 * MIB + 4096, 0x41);
  const full = await lab.execute('direct');
  expect(full).toMatchObject({ state: 'completed', error: '', leftBehind: 0 });

  await lab.fill(0, 600 * MIB, MIB, 0x51);
  await lab.fill(0, 4 * MIB, MIB, 0);
  const increment = await lab.execute('direct');
  expect(increment).toMatchObject({
    state: 'completed',
    error: '',
    leftBehind: 0,
    messages: expect.stringMatching(/EBS direct: \d+ requests \(\d+ per GiB read\)/),
  });
  expect(increment.bytesRead).toBeLessThan(full.bytesRead / 2);
  expect(await lab.difference('direct')).toBeUndefined();
  expect(lab.aws.world.snapshots.size).toBe(1);

  await lab.deleteReplica('direct');
  expect(lab.leftovers()).toEqual([]);
  expect(lab.aws.violations).toEqual([]);
});
