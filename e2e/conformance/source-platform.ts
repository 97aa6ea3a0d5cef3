import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto, type DiskRead } from './read-snapshot.ts';
import type { SourceHarness } from './source-harness.ts';
import { sourceInterruptions } from './source-interruptions.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const BLOCK = 64 * KIB;

/**
 * What every SourcePlatform has to keep, whatever stands behind it.
 *
 * @param samples how many faults and crash points are tried; `CAUSEWAY_ALL_FAULTS=1` tries all
 */
export function describeSourcePlatform(
  name: string,
  makeHarness: () => Promise<SourceHarness>,
  samples = { faults: 4, crashes: 4 },
): void {
  describe(`the source ${name}`, () => {
    const signal = new AbortController().signal;
    let harness: SourceHarness;
    let tags = 0;

    beforeEach(async () => {
      harness = await makeHarness();
      await harness.write(0, 1 * MIB, 2 * MIB, 0x11);
      await harness.write(1, 64 * KIB, 128 * KIB, 0x22);
      await harness.write(1, 5 * MIB, 1 * MIB, 0x33);
    });
    afterEach(async () => {
      await harness.close();
    });

    const snapshot = (base?: Snapshot, tag = `tag-${++tags}`) =>
      harness.platform.createSnapshot(
        { vmId: harness.vmId, tag, environment: harness.environment, ...(base === undefined ? {} : { base }) },
        signal,
      );
    const read = async (of: Snapshot, diskId: string, base?: Snapshot, former?: Buffer): Promise<DiskRead> => {
      const reader = await harness.platform.openDisk(of, diskId, base, signal);
      try {
        return await readOnto(reader, former, signal);
      } finally {
        await reader.close();
      }
    };
    const diskId = (index: number) => harness.diskIds[index] ?? '';
    const contents = () => Promise.all([harness.content(0), harness.content(1)]);

    /** A promoted full snapshot with the replicas of both disks. */
    const full = async () => {
      const taken = await snapshot();
      const first = await read(taken, diskId(0));
      const second = await read(taken, diskId(1));
      await harness.platform.promoteToBase(taken, undefined, signal);
      return { base: taken, replicas: [first.replica, second.replica] as const };
    };
    const expectSame = (one: Buffer, other: Buffer) => expect(firstDifference(one, other)).toBeUndefined();

    it('lists its VM and describes it with the disks that a snapshot has', async () => {
      const listed = (await harness.platform.listVms(signal)).find((vm) => vm.id === harness.vmId);
      const vm = await harness.platform.describeVm(harness.vmId, signal);
      const sizes = await contents();
      expect(listed).toMatchObject({ diskCount: 2, totalBytes: sizes[0].length + sizes[1].length });
      expect(vm.disks.map((disk) => [disk.id, disk.size_bytes])).toEqual(
        sizes.map((bytes, index) => [diskId(index), bytes.length]),
      );
      const taken = await snapshot();
      expect(taken.disks).toEqual(vm.disks.map((disk) => ({ diskId: disk.id, sizeBytes: disk.size_bytes })));
      expect(JSON.parse(JSON.stringify(taken))).toEqual(taken);
      await harness.platform.discardSnapshot(taken, undefined, signal);
    });

    it('passes its own check', async () => {
      expect((await harness.platform.check(signal)).steps.filter((step) => step.outcome === 'failed')).toEqual([]);
    });

    it('gives the whole of each disk as it was at the snapshot, holes as zeros', async () => {
      const before = await contents();
      const taken = await snapshot();
      if (harness.isLive) {
        await harness.write(0, 1 * MIB, 1 * MIB, 0x99);
        await harness.zero(1, 5 * MIB, 512 * KIB);
      }
      for (const index of [0, 1] as const) {
        const result = await read(taken, diskId(index));
        expect(result.coverage).toBe('allocated');
        expectSame(result.replica, before[index]);
        expect(result.zeroBytes).toBeGreaterThan(0);
      }
      await harness.platform.promoteToBase(taken, undefined, signal);
    });

    it('gives every changed byte since the base, and little more', async () => {
      const { base, replicas } = await full();
      await harness.write(0, 4 * MIB, 256 * KIB, 0x44);
      await harness.write(0, 7 * MIB, BLOCK, 0x45);
      const before = await contents();
      const taken = await snapshot(base);
      if (harness.isLive) await harness.write(0, 4 * MIB, 64 * KIB, 0x46);
      for (const index of [0, 1] as const) {
        const result = await read(taken, diskId(index), base, replicas[index]);
        expectSame(result.replica, before[index]);
        if (!harness.tracksChanges) expect(result.coverage).toBe('allocated');
        else {
          expect(result.coverage).toBe('changed');
          const changed = index === 0 ? [256 * KIB, BLOCK] : [];
          const unit = result.granularityBytes;
          if (harness.changesAreRough === true)
            expect(result.dataBytes + result.zeroBytes).toBeGreaterThanOrEqual(
              changed.reduce((sum, length) => sum + length, 0),
            );
          else
            expect(result.dataBytes + result.zeroBytes).toBe(
              changed.reduce((sum, length) => sum + Math.ceil(length / unit) * unit, 0),
            );
        }
      }
      await harness.platform.promoteToBase(taken, base, signal);
    });

    it('reports a block that became zero as zero', async () => {
      const { base, replicas } = await full();
      await harness.zero(1, 5 * MIB, 512 * KIB);
      const before = await harness.content(1);
      const taken = await snapshot(base);
      const result = await read(taken, diskId(1), base, replicas[1]);
      expectSame(result.replica, before);
      const zeros = result.extents.filter(
        (extent) =>
          extent.kind === 'zero' && extent.offset <= 5 * MIB && extent.offset + extent.length >= 5 * MIB + 512 * KIB,
      );
      if (harness.changesAreRough !== true) {
        expect(zeros).toHaveLength(1);
        if (harness.tracksChanges) expect(result.dataBytes).toBe(0);
      }
      await harness.platform.promoteToBase(taken, base, signal);
    });

    it('chains increments over many bases', async () => {
      let { base, replicas } = await full();
      for (let round = 0; round < 3; round++) {
        await harness.write(0, (2 + round) * MIB, BLOCK, 0x60 + round);
        const before = await contents();
        const taken = await snapshot(base);
        const next = [
          await read(taken, diskId(0), base, replicas[0]),
          await read(taken, diskId(1), base, replicas[1]),
        ] as const;
        expectSame(next[0].replica, before[0]);
        expectSame(next[1].replica, before[1]);
        if (harness.tracksChanges) {
          expect(next[0].dataBytes).toBeGreaterThanOrEqual(BLOCK);
          expect(next[0].dataBytes).toBeLessThanOrEqual(Math.max(BLOCK, next[0].granularityBytes));
          expect(next[1].dataBytes).toBe(0);
        }
        await harness.platform.promoteToBase(taken, base, signal);
        base = taken;
        replicas = [next[0].replica, next[1].replica];
      }
    });

    it('keeps the base valid when a snapshot is discarded, with nothing lost of what came before or after it', async () => {
      const { base, replicas } = await full();
      await harness.write(0, 3 * MIB, BLOCK, 0x51);
      const given = await snapshot(base);
      if (harness.isLive) await harness.write(0, 6 * MIB, BLOCK, 0x52);
      await harness.platform.discardSnapshot(given, base, signal);
      await harness.platform.discardSnapshot(given, base, signal);
      await harness.write(1, 7 * MIB, BLOCK, 0x53);
      const before = await contents();
      const taken = await snapshot(base);
      for (const index of [0, 1] as const) {
        const result = await read(taken, diskId(index), base, replicas[index]);
        expectSame(result.replica, before[index]);
        expect(result.coverage).toBe(harness.tracksChanges ? 'changed' : 'allocated');
      }
      await harness.platform.discardSnapshot(given, base, signal);
      expect(await harness.platform.isAlive(taken, signal)).toBe(true);
      await harness.platform.promoteToBase(taken, base, signal);
    });

    it('lets promotion and deletion of a base be repeated', async () => {
      const { base } = await full();
      await harness.write(0, 0, BLOCK, 0x54);
      const taken = await snapshot(base);
      await read(taken, diskId(0), base, await harness.content(0));
      await harness.platform.promoteToBase(taken, base, signal);
      await harness.platform.promoteToBase(taken, base, signal);
      await harness.platform.deleteBase(taken, signal);
      await harness.platform.deleteBase(taken, signal);
    });

    it('confirms to the end that one state was read', async () => {
      const { base } = await full();
      await harness.write(0, 2 * MIB, BLOCK, 0x69);
      const taken = await snapshot(base);
      for (const index of [0, 1]) await read(taken, diskId(index), base, await harness.content(index));
      if (harness.isLive) await harness.write(0, 2 * MIB, BLOCK, 0x6a);
      await harness.platform.assertUnchanged(taken, signal);
      await harness.platform.assertUnchanged(taken, signal);
      await harness.platform.promoteToBase(taken, base, signal);
    });

    for (const [way, release] of [
      ['promoted', (taken: Snapshot, base: Snapshot) => harness.platform.promoteToBase(taken, base, signal)],
      ['discarded', (taken: Snapshot, base: Snapshot) => harness.platform.discardSnapshot(taken, base, signal)],
    ] as const) {
      it(`denies it right after a snapshot was spoilt, which can still be ${way}`, async () => {
        const { base } = await full();
        const taken = await snapshot(base);
        const reader = await harness.platform.openDisk(taken, diskId(1), base, signal);
        await harness.platform.assertUnchanged(taken, signal);
        await reader.read(0, Buffer.alloc(BLOCK), signal);
        await harness.spoil(taken);
        const denied = await harness.platform.assertUnchanged(taken, signal).then(
          () => undefined,
          (error: unknown) => (error as { code?: string }).code,
        );
        expect(['source.changed-while-reading', 'source.snapshot-lost']).toContain(denied);
        await reader.close().catch(() => undefined);

        await release(taken, base);
        await release(taken, base);
        const before = await harness.content(1);
        const next = await snapshot(way === 'promoted' ? taken : base);
        expectSame((await read(next, diskId(1))).replica, before);
        await harness.platform.assertUnchanged(next, signal);
        await harness.platform.discardSnapshot(next, undefined, signal);
      });
    }

    it('gives the same snapshot for the same tag', async () => {
      const before = await contents();
      const taken = await snapshot(undefined, 'said-twice');
      if (harness.isLive) await harness.write(0, 0, MIB, 0x55);
      expect(await snapshot(undefined, 'said-twice')).toEqual(taken);
      expect(await harness.platform.isAlive(taken, signal)).toBe(true);
      expectSame((await read(taken, diskId(0))).replica, before[0]);
      await harness.platform.discardSnapshot(taken, undefined, signal);
    });

    it('reads a disk that was added since the base whole', async () => {
      const { base } = await full();
      const size = harness.diskUnitBytes ?? 4 * MIB;
      const added = await harness.addDisk(size, 0x66);
      const taken = await snapshot(base);
      expect(taken.disks.map((disk) => disk.diskId)).toContain(added);
      const result = await read(taken, added, base);
      expect(result.coverage).toBe('allocated');
      expectSame(result.replica, Buffer.alloc(size, 0x66));
      await harness.platform.promoteToBase(taken, base, signal);
    });

    it('reads a disk that grew since the base whole', async () => {
      const { base } = await full();
      const size = (await harness.content(1)).length + (harness.diskUnitBytes ?? 4 * MIB);
      await harness.growDisk(1, size);
      await harness.write(1, size - MIB, MIB, 0x67);
      const before = await harness.content(1);
      const taken = await snapshot(base);
      const result = await read(taken, diskId(1), base);
      expect(result.coverage).toBe('allocated');
      expectSame(result.replica, before);
      await harness.platform.promoteToBase(taken, base, signal);
    });

    it('reads the whole disk when the base is lost', async () => {
      const { base } = await full();
      await harness.write(0, 2 * MIB, BLOCK, 0x68);
      await harness.loseBase();
      const before = await harness.content(0);
      const taken = await snapshot(base);
      const result = await read(taken, diskId(0), base);
      expect(result.coverage).toBe('allocated');
      expectSame(result.replica, before);
      await harness.platform.promoteToBase(taken, base, signal);
    });

    it('reads the whole disk for a base that the snapshot was not made on', async () => {
      const { base } = await full();
      const taken = await snapshot();
      const reader = await harness.platform.openDisk(taken, diskId(0), base, signal);
      expect(reader.coverage).toBe('allocated');
      await reader.close();
      await harness.platform.discardSnapshot(taken, undefined, signal);
    });

    it('stops reading when it is cancelled, and can be used again', async () => {
      const taken = await snapshot();
      const reader = await harness.platform.openDisk(taken, diskId(0), undefined, signal);
      const cancel = new AbortController();
      const reads = Array.from({ length: 12 }, (_, index) => {
        const into = Buffer.alloc(512 * KIB);
        return reader.read(index * 512 * KIB, into, cancel.signal);
      });
      cancel.abort();
      const results = await Promise.allSettled(reads);
      expect(
        results
          .filter((result) => result.status === 'rejected')
          .map((result) => (result.reason as { code?: string }).code),
      ).toEqual(results.map(() => 'general.cancelled'));
      const again = Buffer.alloc(BLOCK);
      await reader.read(1 * MIB, again, signal);
      expectSame(again, Buffer.alloc(BLOCK, 0x11));
      await reader.close();
      await reader.close();
      await harness.platform.discardSnapshot(taken, undefined, signal);
      await full();
    });

    it('answers many reads at once, of any offset and length', async () => {
      const before = await harness.content(0);
      const taken = await snapshot();
      const reader = await harness.platform.openDisk(taken, diskId(0), undefined, signal);
      const reads = Array.from({ length: 200 }, (_, index) => {
        const offset = (index * 7919 * 131) % (before.length - 100_000);
        return { offset, length: 1 + ((index * 4801) % 99_999) };
      });
      const wrong = await Promise.all(
        reads.map(async ({ offset, length }) => {
          const into = Buffer.alloc(length, 0xee);
          await reader.read(offset, into, signal);
          return into.equals(before.subarray(offset, offset + length)) ? [] : [offset];
        }),
      );
      expect(wrong.flat()).toEqual([]);
      await reader.close();
      await harness.platform.discardSnapshot(taken, undefined, signal);
    });

    sourceInterruptions(() => ({ harness, full, contents, newTag: () => `tag-${++tags}` }), samples);

    it('says what is missing when a VM or a disk is not there', async () => {
      await expect(harness.platform.describeVm('no-such-vm', signal)).rejects.toMatchObject({
        code: 'source.vm-not-found',
      });
      const taken = await snapshot();
      await expect(harness.platform.openDisk(taken, 'no-such-disk', undefined, signal)).rejects.toMatchObject({
        code: 'source.disk-not-found',
      });
      await harness.platform.discardSnapshot(taken, undefined, signal);
    });
  });
}
