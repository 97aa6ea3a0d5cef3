// lease: emulated guests
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createQemuHypervisorSource } from '../../electron/engine/platforms/qemu-hypervisor/index.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { qemuHarness, type QemuHarness } from '../conformance/qemu-harness.ts';
import { leftovers, readDisk, takeSnapshot, vmStatus } from '../conformance/qemu-state.ts';
import { QmpRelay } from '../conformance/qmp-relay.ts';
import { firstDifference } from '../conformance/read-snapshot.ts';

const BLOCK = 64 * 1024;
const signal = new AbortController().signal;

/** By a cancel. What a killed process leaves is in the conformance suite of sources. */
describe('a running QEMU VM whose snapshots are interrupted', () => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  const boot = async () => {
    const harness = await qemuHarness();
    open.unshift(() => harness.close());
    return harness;
  };
  const relayed = async (harness: QemuHarness) => {
    const relay = await QmpRelay.start(join(harness.folder, 'cancels.qmp'), join(harness.folder, 'source.qmp'));
    const platform = createQemuHypervisorSource(
      { qmp_sockets: { 'web-01': relay.path }, scratch_folder: harness.scratchFolder },
      { scratchFolder: join(harness.folder, 'ours') },
    );
    open.unshift(
      () => platform.close(),
      () => relay.close(),
    );
    return { relay, platform };
  };

  it('leaves nothing behind, and the base whole, whichever of its commands a snapshot is cancelled at', async () => {
    const harness = await boot();
    const { relay, platform } = await relayed(harness);
    const base = await takeSnapshot(harness, 'base', undefined, platform);
    const { replica } = await readDisk(platform, base, 'system');
    await platform.promoteToBase(base, undefined, signal);
    const cancelledAt: string[] = [];
    for (let isCancelled = true; isCancelled;) {
      await harness.write(0, cancelledAt.length * 2 * BLOCK, BLOCK, 0x60 + cancelledAt.length);
      const cancel = cancelAt(relay, cancelledAt.length, cancelledAt);
      const outcome = await platform
        .createSnapshot({ vmId: harness.vmId, tag: `try-${cancelledAt.length}`, environment: {}, base }, cancel)
        .then(
          (taken) => taken,
          (error: unknown) => error,
        );
      relay.onCommand = () => undefined;
      isCancelled = outcome instanceof Error;
      if (isCancelled) expect(outcome, (outcome as Error).message).toMatchObject({ code: 'general.cancelled' });
      else await platform.discardSnapshot(outcome as Snapshot, base, signal);
      expect([await vmStatus(harness), await leftovers(harness)], cancelledAt.at(-1)).toEqual([
        'running',
        { inQemu: [], files: [] },
      ]);
    }
    expect(cancelledAt).toEqual(expect.arrayContaining(['transaction', 'blockdev-add', 'nbd-server-start']));
    const writes = cancelledAt.length + 1;
    const taken = await takeSnapshot(harness, 'final', base, platform);
    const result = await readDisk(platform, taken, 'system', base, replica);
    expect([result.coverage, result.dataBytes]).toEqual(['changed', writes * BLOCK]);
    expect(firstDifference(result.replica, await harness.content(0))).toBeUndefined();
    await platform.promoteToBase(taken, base, signal);
  });

  it('keeps or gives up a snapshot in the end, whichever of its commands that was cancelled at first', async () => {
    const harness = await boot();
    const { relay, platform } = await relayed(harness);
    let base = await takeSnapshot(harness, 'base', undefined, platform);
    let { replica } = await readDisk(platform, base, 'system');
    await platform.promoteToBase(base, undefined, signal);
    for (const [way, finish] of [
      ['promote', (taken: Snapshot, until: AbortSignal) => platform.promoteToBase(taken, base, until)],
      ['discard', (taken: Snapshot, until: AbortSignal) => platform.discardSnapshot(taken, base, until)],
    ] as const) {
      const cancelledAt: string[] = [];
      for (let isCancelled = true; isCancelled;) {
        const turn = cancelledAt.length;
        await harness.write(0, turn * 2 * BLOCK, BLOCK, 0x60 + turn);
        const taken = await takeSnapshot(harness, `${way}-${turn}`, base, platform);
        const result = await readDisk(platform, taken, 'system', base, Buffer.from(replica));
        expect([result.coverage, firstDifference(result.replica, await harness.content(0))], `${way} ${turn}`).toEqual([
          'changed',
          undefined,
        ]);
        const cancel = cancelAt(relay, turn, cancelledAt);
        const outcome = await finish(taken, cancel).then(
          () => undefined,
          (error: unknown) => error,
        );
        relay.onCommand = () => undefined;
        isCancelled = cancelledAt.length > turn;
        if (outcome !== undefined) {
          expect(outcome, cancelledAt.at(-1)).toMatchObject({ code: 'general.cancelled' });
          await finish(taken, signal);
        }
        expect([await vmStatus(harness), await leftovers(harness)], cancelledAt.at(-1)).toEqual([
          'running',
          { inQemu: [], files: [] },
        ]);
        if (way === 'promote') [base, replica] = [taken, result.replica];
      }
      expect(cancelledAt).toEqual(expect.arrayContaining(['transaction', 'block-export-del', 'blockdev-del']));
    }
  });

  it('can be looked at all the time while snapshots are taken', async () => {
    const harness = await boot();
    for (let round = 0; round < 16; round++) {
      let isTaking = true;
      let looks = 0;
      const looking = (async () => {
        while (isTaking) {
          await harness.platform.describeVm(harness.vmId, signal);
          looks += 1;
        }
      })();
      const taken = await takeSnapshot(harness, `looked-at-${round}`).finally(() => (isTaking = false));
      await looking;
      expect(looks).toBeGreaterThan(0);
      await harness.platform.discardSnapshot(taken, undefined, signal);
    }
    expect(await vmStatus(harness)).toBe('running');
  });
});
/** Aborts when the command with this index comes by, and notes its name. */
function cancelAt(relay: QmpRelay, index: number, noted: string[]): AbortSignal {
  const cancel = new AbortController();
  let left = index;
  relay.onCommand = (name) => {
    // How often a job is asked about depends on the machine.
    if (name === 'query-jobs' || left-- !== 0) return;
    noted.push(name);
    cancel.abort();
  };
  return cancel.signal;
}
