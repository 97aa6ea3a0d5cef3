// lease: emulated guests
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createQemuHypervisorSource } from '../../electron/engine/platforms/qemu-hypervisor/index.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { qemuHarness, type QemuHarness } from '../conformance/qemu-harness.ts';
import { leftovers, readDisk, takeSnapshot, vmStatus } from '../conformance/qemu-state.ts';
import { QmpRelay } from '../conformance/qmp-relay.ts';
import { firstDifference } from '../conformance/read-snapshot.ts';

const BLOCK = 64 * 1024;
const signal = new AbortController().signal;
/** At every command takes most of a minute; otherwise at every sixth. */
const everyCommand = process.env['CAUSEWAY_EVERY_STEP'] === '1';
const stride = everyCommand ? 1 : 6;

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
    const relay = await QmpRelay.start(join(harness.folder, 'relay.qmp'), join(harness.folder, 'source.qmp'));
    const platform = createQemuHypervisorSource({ qmp_sockets: { 'web-01': relay.path }, scratch_folder: harness.scratchFolder }, { scratchFolder: join(harness.folder, 'ours') });
    open.unshift(() => platform.close(), () => relay.close());
    return { relay, platform };
  };

  it('leaves nothing behind, and the base whole, whichever of its commands a snapshot is cancelled at', async () => {
    const harness = await boot();
    const { relay, platform } = await relayed(harness);
    const base = await takeSnapshot(harness, 'base', undefined, platform);
    const { replica } = await readDisk(platform, base, 'system');
    await platform.promoteToBase(base, undefined, signal);
    const cancelledAt: string[] = [];
    for (let isCancelled = true; isCancelled; ) {
      await harness.write(0, cancelledAt.length * 2 * BLOCK, BLOCK, 0x60 + cancelledAt.length);
      const cancel = cancelAt(relay, cancelledAt.length, cancelledAt);
      const outcome = await platform.createSnapshot({ vmId: harness.vmId, tag: `try-${cancelledAt.length}`, environment: {}, base }, cancel).then((taken) => taken, (error: unknown) => error);
      relay.onCommand = () => undefined;
      isCancelled = outcome instanceof Error;
      if (isCancelled) expect(outcome, (outcome as Error).message).toMatchObject({ code: 'general.cancelled' });
      else await platform.discardSnapshot(outcome as Snapshot, base, signal);
      expect([await vmStatus(harness), await leftovers(harness)], cancelledAt.at(-1)).toEqual(['running', { inQemu: [], files: [] }]);
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
      for (let isCancelled = true; isCancelled; ) {
        const turn = cancelledAt.length;
        await harness.write(0, turn * 2 * BLOCK, BLOCK, 0x60 + turn);
        const taken = await takeSnapshot(harness, `${way}-${turn}`, base, platform);
        const result = await readDisk(platform, taken, 'system', base, Buffer.from(replica));
        expect([result.coverage, firstDifference(result.replica, await harness.content(0))], `${way} ${turn}`).toEqual(['changed', undefined]);
        const cancel = cancelAt(relay, turn, cancelledAt);
        const outcome = await finish(taken, cancel).then(() => undefined, (error: unknown) => error);
        relay.onCommand = () => undefined;
        isCancelled = cancelledAt.length > turn;
        if (outcome !== undefined) {
          expect(outcome, cancelledAt.at(-1)).toMatchObject({ code: 'general.cancelled' });
          await finish(taken, signal);
        }
        expect([await vmStatus(harness), await leftovers(harness)], cancelledAt.at(-1)).toEqual(['running', { inQemu: [], files: [] }]);
        if (way === 'promote') [base, replica] = [taken, result.replica];
      }
      expect(cancelledAt).toEqual(expect.arrayContaining(['transaction', 'block-export-del', 'blockdev-del']));
    }
  });

  for (const when of ['before', 'after'] as const) {
    it(`is taken over, and kept or given up, by another process, whichever command the first one died ${when}`, async () => {
      const harness = await boot();
      const ours = { scratchFolder: join(harness.folder, 'ours') };
      const another = (socket: string) => createQemuHypervisorSource({ qmp_sockets: { 'web-01': socket }, scratch_folder: harness.scratchFolder }, ours);
      const mine = join(harness.folder, 'source.qmp');
      const second = another(mine);
      let base = await takeSnapshot(harness, 'base', undefined, second);
      let { replica } = await readDisk(second, base, 'system');
      await second.promoteToBase(base, undefined, signal);
      await second.close();

      /** What the first process asks for until it dies, and what the second one asks for then. */
      const dyingAt = async (index: number, ask: (platform: SourcePlatform) => Promise<unknown>): Promise<string | undefined> => {
        const path = join(harness.folder, `relay-${index}.qmp`);
        const relay = await QmpRelay.start(path, mine);
        const first = another(path);
        let left = index;
        let diedAt: string | undefined;
        relay.onCommand = (name) => {
          if (name === 'query-jobs' || left-- !== 0) return;
          diedAt = name;
          relay.die(when);
        };
        await ask(first).catch(() => undefined);
        await first.close();
        await relay.close();
        return diedAt;
      };

      const seen: (string | undefined)[] = [];
      for (const way of ['create', 'promote', 'discard'] as const) {
        for (let index = when === 'before' ? 0 : 3 % stride; seen.at(-1) !== way; index += stride) {
          const tag = `${way}-${index}`;
          await harness.write(0, (index % 120) * 2 * BLOCK, BLOCK, 1 + (seen.length % 250));
          const create = (platform: SourcePlatform) => takeSnapshot(harness, tag, base, platform);
          const finish = (platform: SourcePlatform, taken: Snapshot) => (way === 'promote' ? platform.promoteToBase(taken, base, signal) : platform.discardSnapshot(taken, base, signal));
          let diedAt = way === 'create' ? await dyingAt(index, create) : undefined;
          const platform = another(mine);
          const taken = await create(platform);
          const result = await readDisk(platform, taken, 'system', base, Buffer.from(replica));
          const at = `${way} ${diedAt ?? ''}`;
          expect([await vmStatus(harness), result.coverage, firstDifference(result.replica, await harness.content(0))], at).toEqual(['running', 'changed', undefined]);
          await platform.close();
          if (way !== 'create') diedAt = await dyingAt(index, (first) => finish(first, taken));
          const last = another(mine);
          await finish(last, taken);
          await last.close();
          expect([await vmStatus(harness), await leftovers(harness)], at).toEqual(['running', { inQemu: [], files: [] }]);
          if (way === 'promote') [base, replica] = [taken, result.replica];
          seen.push(diedAt ?? way);
        }
      }
      if (everyCommand) expect(seen).toEqual(expect.arrayContaining(['stop', 'cont', 'transaction', 'blockdev-create', 'block-export-del', 'blockdev-del']));
      else expect(seen.length).toBeGreaterThan(10);
    }, 120_000);
  }

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
