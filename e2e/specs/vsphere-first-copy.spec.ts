import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import { vsphereHarness, type VsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;

describe('the list of areas in use', () => {
  let lab: VsphereHarness;
  beforeEach(async () => {
    lab = await vsphereHarness();
  });
  afterEach(() => lab.close());

  const prepare = (): Promise<void> => lab.platform.prepare(lab.vmId, { automatically_enable_cbt: true }, signal);
  const snapshot = (): Promise<Snapshot> =>
    lab.platform.createSnapshot({ vmId: lab.vmId, tag: 'one', environment: {} }, signal);
  const read = async (of: Snapshot): Promise<DiskRead> => {
    const reader = await lab.platform.openDisk(of, lab.diskIds[0] ?? '', undefined, signal);
    try {
      return await readOnto(reader, undefined, signal);
    } finally {
      await reader.close();
    }
  };
  const untrack = (): void => {
    lab.vm.isTracked = false;
    lab.rig.world.applyTracking(lab.vm);
  };
  const asked = (): number => lab.rig.world.askedChangeIds.filter((id) => id === '*').length;

  it('is what a first copy goes by, where it can be trusted', async () => {
    await lab.write(0, 3 * MIB, MIB, 0x42);
    untrack();
    // A host that can't tell what is allocated, so that it is seen which list was taken.
    for (const { faults } of lab.ports) faults.add({ kind: 'no-block-map' });
    await prepare();
    await lab.write(0, 9 * MIB, 65_536, 0x43);
    const taken = await snapshot();
    const result = await read(taken);
    expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
    expect(result).toMatchObject({ coverage: 'allocated', dataBytes: MIB + 65_536 });
    expect(asked()).toBeGreaterThan(0);
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it.each([
    [
      'on storage other than VMFS',
      async () => {
        lab.rig.world.datastoreType = 'NFS';
        untrack();
        await prepare();
      },
    ],
    [
      'when somebody else has enabled tracking',
      async () => {
        lab.rig.world.resetTracking(lab.vm);
        await prepare();
      },
    ],
    [
      'when tracking was reset since',
      async () => {
        untrack();
        await prepare();
        lab.rig.world.resetTracking(lab.vm);
      },
    ],
    [
      'on top of a snapshot',
      async () => {
        untrack();
        await prepare();
        await lab.rig.takeSnapshot(lab.vm, 'by hand');
      },
    ],
  ] as const)('is not asked for %s', async (_name, happen) => {
    await lab.write(0, 3 * MIB, MIB, 0x42);
    await happen();
    const taken = await snapshot();
    expect(firstDifference((await read(taken)).replica, await lab.content(0))).toBeUndefined();
    expect(asked()).toBe(0);
    await lab.platform.discardSnapshot(taken, undefined, signal);
    for (const id of [...lab.vm.snapshots.keys()]) await lab.rig.removeSnapshot(lab.vm, id);
  });
});
