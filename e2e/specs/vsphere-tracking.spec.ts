import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference } from '../conformance/read-snapshot.ts';
import { vsphereHarness, type VsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';
import { sourceSteps } from '../rigs/virtualization-platform/source-steps.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;

describe('changed block tracking of the virtualization platform', () => {
  let lab: VsphereHarness;
  beforeEach(async () => {
    lab = await vsphereHarness();
  });
  afterEach(() => lab.close());

  const { snapshot, read, called, told } = sourceSteps(() => lab);
  const untrack = (): void => {
    lab.vm.isTracked = false;
    lab.rig.world.applyTracking(lab.vm);
  };

  describe('automatically_enable_cbt', () => {
    const prepare = (enable: boolean | undefined) =>
      lab.platform.prepare(lab.vmId, enable === undefined ? {} : { automatically_enable_cbt: enable }, signal);

    it('switches tracking on with a stun, effective for the next execution', async () => {
      untrack();
      await prepare(true);
      expect(await lab.leftovers()).toEqual([]);
      expect(told()).toMatch(/changed block tracking is on/);
      const base = await snapshot();
      const { replica } = await read(base);
      await lab.platform.promoteToBase(base, undefined, signal);
      await lab.write(0, MIB, 65_536, 0x41);
      const next = await snapshot(base);
      expect(await read(next, base, replica)).toMatchObject({ coverage: 'changed', dataBytes: 65_536 });
      await lab.platform.promoteToBase(next, base, signal);
    });

    it('needs no snapshot for a VM that is off', async () => {
      untrack();
      lab.vm.isRunning = false;
      await prepare(true);
      expect(called('CreateSnapshot_Task')).toBe(0);
      expect(lab.vm.disks.every(({ tracker }) => tracker !== undefined)).toBe(true);
    });

    it('leaves a VM with snapshots alone, and says which ones', async () => {
      untrack();
      const foreign = await lab.rig.takeSnapshot(lab.vm, 'before the update');
      await prepare(true);
      expect(called('ReconfigVM_Task')).toBe(0);
      expect(told()).toMatch(/stays off, because it has a snapshot \(before the update\)/);
      expect(await lab.platform.unsupportedDevices?.(lab.vmId, signal)).toContainEqual(
        expect.stringMatching(/cannot be enabled while the VM has snapshots \(before the update\)/),
      );
      await lab.rig.removeSnapshot(lab.vm, foreign);
    });

    it.each([false, undefined])(
      'changes nothing when it is %s; each execution then compares everything',
      async (enable) => {
        untrack();
        await prepare(enable);
        expect(called('ReconfigVM_Task')).toBe(0);
        const base = await snapshot();
        await lab.platform.promoteToBase(base, undefined, signal);
        const next = await snapshot(base);
        expect((await read(next, base)).coverage).toBe('allocated');
        expect(told()).toMatch(/changes are not tracked/);
        await lab.platform.discardSnapshot(next, base, signal);
      },
    );

    it('says what the account lacks, and goes on without', async () => {
      untrack();
      lab.rig.world.withheld.add('VirtualMachine.Config.ChangeTracking');
      await prepare(true);
      expect(told()).toMatch(/VirtualMachine\.Config\.ChangeTracking/);
    });
  });

  describe('changes that tracking would miss', () => {
    const ways: readonly (readonly [string, () => void, RegExp])[] = [
      [
        'a revert to a snapshot',
        () => lab.rig.world.happen('TaskEvent', lab.vmId, { descriptionId: 'VirtualMachineSnapshot.revert' }),
        /reverted/,
      ],
      ['a move to other storage', () => lab.rig.world.move(lab.vm, lab.vm.hostId, 'LocalDS_1'), /moved/],
      [
        'a restart by high availability',
        () => lab.rig.world.happen('VmRestartedOnAlternateHostEvent', lab.vmId),
        /host failed/,
      ],
      [
        'a loss of power of its host',
        () => {
          lab.rig.world.loseHostPower(lab.vm.hostId);
          lab.rig.world.powerOn(lab.vm);
        },
        /lost power/,
      ],
      ['a loss of power after which the VM stays off', () => lab.rig.world.loseHostPower(lab.vm.hostId), /lost power/],
      [
        'a loss of power of its host that ends up as a VM that was powered off',
        () => {
          lab.rig.world.loseHostPower(lab.vm.hostId);
          lab.rig.world.happen('VmPoweredOffEvent', lab.vmId);
        },
        /host lost its connection or power/,
      ],
      [
        'a part of its history was purged',
        () => {
          lab.rig.world.happen('TaskEvent', lab.vmId, { descriptionId: 'VirtualMachineSnapshot.revert' });
          lab.rig.world.purgeEvents();
          lab.rig.world.happen('VmMigratedEvent', lab.vmId);
        },
        /history since the last execution is incomplete/,
      ],
      ['a reset of tracking', () => lab.rig.world.resetTracking(lab.vm), /was reset/],
    ];
    it.each(ways)('after %s are found by a comparison', async (_name, happen, why) => {
      await lab.write(0, 0, 4 * MIB, 0x31);
      const base = await snapshot();
      const { replica } = await read(base);
      await lab.platform.promoteToBase(base, undefined, signal);
      // Tracking does not know of it.
      lab.rig.world.memory(lab.vm, 0).writeUnseen(2 * MIB, Buffer.alloc(65_536, 0x77));
      happen();
      const before = await lab.content(0);
      const next = await snapshot(base);
      const result = await read(next, base, replica);
      expect(firstDifference(result.replica, before)).toBeUndefined();
      expect(result.coverage).toBe('allocated');
      expect(told()).toMatch(why);
      await lab.platform.promoteToBase(next, base, signal);
      // The base after that is a good one again.
      await lab.write(0, 0, 65_536, 0x32);
      const last = await snapshot(next);
      expect((await read(last, next, result.replica)).coverage).toBe('changed');
      await lab.platform.promoteToBase(last, next, signal);
    });

    it('are found by a comparison where the server keeps no history', async () => {
      lab.rig.world.keepsEvents = false;
      const platform = lab.reopen();
      try {
        const base = await snapshot();
        await lab.platform.promoteToBase(base, undefined, signal);
        const next = await platform.createSnapshot(
          { vmId: lab.vmId, tag: 'without-history', environment: {}, base },
          signal,
        );
        expect((await read(next, base)).coverage).toBe('allocated');
        expect(told()).toMatch(/the server keeps no history/);
        await platform.discardSnapshot(next, base, signal);
      } finally {
        await platform.close();
      }
    });

    it.each([
      ['is shut down for the last execution', () => lab.platform.shutdown?.(lab.vmId, {}, signal)],
      [
        'was shut down and started',
        async () => {
          lab.rig.world.powerOff(lab.vm);
          lab.rig.world.powerOn(lab.vm);
        },
      ],
    ])('do not come from a VM that %s', async (_name, happen) => {
      const base = await snapshot();
      const { replica } = await read(base);
      await lab.platform.promoteToBase(base, undefined, signal);
      await lab.write(0, MIB, 65_536, 0x41);
      await happen();
      const next = await snapshot(base);
      expect(await read(next, base, replica)).toMatchObject({ coverage: 'changed', dataBytes: 65_536 });
      await lab.platform.promoteToBase(next, base, signal);
    });

    it('after a disk grew are found by comparisons until tracking starts anew', async () => {
      const base = await snapshot();
      await lab.platform.promoteToBase(base, undefined, signal);
      await lab.growDisk(0, 20 * MIB);
      const grown = await snapshot(base);
      expect((await read(grown, base)).coverage).toBe('allocated');
      await lab.platform.promoteToBase(grown, base, signal);
      // Its size is the same from now on, and so is the damage.
      lab.rig.world.memory(lab.vm, 0).writeUnseen(2 * MIB, Buffer.alloc(65_536, 0x77));
      const later = await snapshot(grown);
      const result = await read(later, grown);
      expect(result.coverage).toBe('allocated');
      expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
      expect(told()).toMatch(/misses changes, as the disk grew/);
      await lab.platform.promoteToBase(later, grown, signal);
      lab.rig.world.resetTracking(lab.vm);
      const anew = await snapshot(later);
      expect((await read(anew, later)).coverage).toBe('allocated');
      await lab.platform.promoteToBase(anew, later, signal);
      const last = await snapshot(anew);
      expect((await read(last, anew)).coverage).toBe('changed');
      await lab.platform.promoteToBase(last, anew, signal);
    });

    it.each(['runs', 'is off'])(
      'after a disk grew are tracked again by the next execution where tracking may be switched and the VM %s',
      async (power) => {
        lab.vm.isRunning = power === 'runs';
        const take = (tag: string, base?: Snapshot) =>
          lab.platform.createSnapshot(
            {
              vmId: lab.vmId,
              tag,
              environment: { automatically_enable_cbt: true },
              ...(base === undefined ? {} : { base }),
            },
            signal,
          );
        const base = await take('first');
        await lab.platform.promoteToBase(base, undefined, signal);
        expect(called('ReconfigVM_Task')).toBe(0);
        await lab.growDisk(0, 20 * MIB);
        const grown = await take('grown', base);
        const { coverage, replica } = await read(grown, base);
        expect([coverage, called('ReconfigVM_Task')]).toEqual(['allocated', 2]);
        expect(told()).toMatch(/disabled and enabled again/);
        await lab.platform.promoteToBase(grown, base, signal);
        await lab.write(0, 18 * MIB, 65_536, 0x41);
        const last = await take('last', grown);
        expect(await read(last, grown, replica)).toMatchObject({ coverage: 'changed', dataBytes: 65_536 });
        expect(called('ReconfigVM_Task')).toBe(2);
        await lab.platform.promoteToBase(last, grown, signal);
        expect(await lab.leftovers()).toEqual([]);
      },
    );

    it('are found by comparisons when somebody enabled tracking on top of a snapshot', async () => {
      untrack();
      const foreign = await lab.rig.takeSnapshot(lab.vm, 'by hand');
      lab.vm.isTracked = true;
      let base: Snapshot | undefined;
      for (const coverage of ['allocated', 'allocated', 'allocated'] as const) {
        const next: Snapshot = await snapshot(base);
        expect((await read(next, base)).coverage).toBe(coverage);
        await lab.platform.promoteToBase(next, base, signal);
        base = next;
      }
      expect(told()).toMatch(/misses changes, .* on top of a snapshot/);
      // The damage stays when the snapshot goes.
      await lab.rig.removeSnapshot(lab.vm, foreign);
      const next = await snapshot(base);
      expect((await read(next, base)).coverage).toBe('allocated');
      await lab.platform.promoteToBase(next, base, signal);
    });

    it('do not come from a snapshot that was taken while the disks were tracked', async () => {
      const foreign = await lab.rig.takeSnapshot(lab.vm, 'by hand');
      const base = await snapshot();
      await lab.platform.promoteToBase(base, undefined, signal);
      const next = await snapshot(base);
      expect((await read(next, base)).coverage).toBe('changed');
      await lab.platform.promoteToBase(next, base, signal);
      await lab.rig.removeSnapshot(lab.vm, foreign);
    });

    it('do not come from a move to another host alone', async () => {
      const base = await snapshot();
      await lab.platform.promoteToBase(base, undefined, signal);
      const other = [...lab.rig.hosts.keys()].find((id) => id !== lab.vm.hostId) ?? '';
      lab.rig.world.move(lab.vm, other);
      const next = await snapshot(base);
      expect((await read(next, base)).coverage).toBe('changed');
      await lab.platform.promoteToBase(next, base, signal);
    });

    it('are never taken from a list that ends early', async () => {
      const base = await snapshot();
      await lab.platform.promoteToBase(base, undefined, signal);
      const next = await snapshot(base);
      lab.rig.world.areaLimits.bytes = 0;
      await expect(read(next, base)).rejects.toMatchObject({ code: 'source.tracking-incomplete' });
      await lab.platform.discardSnapshot(next, base, signal);
    });
  });
});

it.each([1, 2, 4, 6, 7, 8, 9, 10, 12])(
  'leaves no snapshot of tracking when it is cancelled at call %i from its creation on',
  async (count) => {
    const cancel = new AbortController();
    let after = Infinity;
    const lab = await vsphereHarness({
      onCall: ({ operation }) => {
        if (operation === 'CreateSnapshot_Task') after = 0;
        after += 1;
        if (after === count) cancel.abort();
      },
    });
    try {
      lab.vm.isTracked = false;
      lab.rig.world.applyTracking(lab.vm);
      await expect(
        lab.platform.prepare(lab.vmId, { automatically_enable_cbt: true }, cancel.signal),
      ).rejects.toBeDefined();
      expect(lab.rig.calls.some(({ operation }) => operation === 'CreateSnapshot_Task')).toBe(true);
      expect(await lab.leftovers()).toEqual([]);
    } finally {
      await lab.close();
    }
  },
);

it('a single host compares whole disks when its short history no longer has the base', async () => {
  const lab = await vsphereHarness({ singleHost: true });
  const take = (tag: string, base?: Snapshot) =>
    lab.platform.createSnapshot(
      { vmId: lab.vmId, tag, environment: {}, ...(base === undefined ? {} : { base }) },
      signal,
    );
  const coverageOf = async (of: Snapshot, base: Snapshot): Promise<string> => {
    const reader = await lab.platform.openDisk(of, lab.diskIds[0] ?? '', base, signal);
    await reader.close();
    return reader.coverage;
  };
  try {
    const first = await take('one');
    await lab.platform.promoteToBase(first, undefined, signal);
    const second = await take('two', first);
    expect(await coverageOf(second, first)).toBe('changed');
    await lab.platform.promoteToBase(second, first, signal);
    // The host forgets events of a VM that is powered off, and all of them when it fails.
    lab.rig.world.powerOff(lab.vm);
    lab.rig.world.powerOn(lab.vm);
    const third = await take('three', second);
    expect(await coverageOf(third, second)).toBe('allocated');
    expect(lab.notes.join('\n')).toMatch(/history since the last execution is incomplete/);
    await lab.platform.promoteToBase(third, second, signal);
  } finally {
    await lab.close();
  }
});
