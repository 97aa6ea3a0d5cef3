// needs: native workers
// Two movers of a fleet, each a VM of the destination to which volumes are attached: one is killed, or sleeps, in the middle of a disk, and the other
// one takes the volume to its own VM. Nobody starts a worker.
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { historyProblems, openLedgerEntries } from '../../electron/fleet/history.ts';
import { startLabFleet, type LabFleet } from '../rigs/project/lab-fleet.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const MiB = 1024 * 1024;
const never = new AbortController().signal;
const patience = { timeout: 120_000, interval: 100 };

describe('movers of a fleet on VMs of the destination', () => {
  let fleet: LabFleet;
  const attachedTo = (index: number): number =>
    (fleet.lab.cloud.world.servers.get(fleet.ownVms[index]!.vmId)?.attachments.size ?? 0) - 1;
  const ended = async (mover: number): Promise<string | undefined> =>
    (await fleet.movers[mover]!.call('execution.list', { replica: 'web', limit: 1 }))[0]?.state;

  beforeAll(async () => {
    fleet = await startLabFleet({
      names: ['web'],
      diskMiB: 12,
      fleet: { project: 'own-vms', replicas: 3, claimSeconds: 4 },
      movers: [{}, {}],
      onOwnVms: true,
    });
  }, 300_000);
  afterAll(() => fleet?.close(), 60_000);

  async function change(): Promise<void> {
    const file = await open(fleet.image('web'), 'r+');
    await file.write(randomBytes(6 * MiB), 0, 6 * MiB, MiB);
    await file.close();
  }

  async function expectAllWell(): Promise<void> {
    const { lab, log, ids, image, movers, ownVms } = fleet;
    const { disks } = await movers[1]!.call('replica.show', { replica: 'web' });
    expect(await firstDifference(image('web'), lab.cloud.volumePath(disks[0]!.volumeId!))).toBeUndefined();
    // A member's own store has the end of an execution some moments before the journal has it.
    await expect
      .poll(
        async () =>
          openLedgerEntries(await log.read(ids.get('web')!, 0, never)).filter(
            ({ lifetime }) => lifetime === 'temporary',
          ),
        patience,
      )
      .toEqual([]);
    expect(historyProblems(await log.read(ids.get('web')!, 0, never))).toEqual([]);
    expect([attachedTo(0), attachedTo(1)]).toEqual([0, 0]);
    // The movers, and nothing else.
    expect([...lab.cloud.world.servers.keys()].toSorted()).toEqual(ownVms.map(({ vmId }) => vmId).toSorted());
    expect(lab.cloud.calls.filter(({ operation }) => operation === 'CreateServer')).toHaveLength(2);
  }

  /** Until a part of the disk is on the volume that the first mover has. */
  async function halfCopied(): Promise<void> {
    // Whoever had it last keeps its claim for a moment.
    await vi.waitFor(
      () => fleet.movers[0]!.call('replica.execute', { replica: 'web', options: { bandwidthLimit: MiB } }),
      patience,
    );
    await expect.poll(() => attachedTo(0), patience).toBe(1);
    await expect
      .poll(
        async () =>
          (await fleet.movers[0]!.call('execution.show', { execution: 'web' })).progress?.total.bytesSent ?? 0,
        patience,
      )
      .toBeGreaterThan(MiB);
  }

  it('one that is killed loses its volume to the other, which continues', async () => {
    await halfCopied();
    await fleet.movers[0]!.kill();
    await expect.poll(() => attachedTo(1), patience).toBe(1);
    expect(attachedTo(0)).toBe(0);
    await expect.poll(() => ended(1), patience).toBe('completed');
    await expectAllWell();
    await fleet.movers[0]!.restart();
  }, 400_000);

  it('one that slept writes nothing more when it wakes up', async () => {
    await expect.poll(() => ended(0), patience).toBe('completed');
    await change();
    await halfCopied();
    fleet.movers[0]!.sleep();
    await expect.poll(() => ended(1), patience).toBe('running');
    await expect.poll(() => attachedTo(1), patience).toBe(1);
    // Its agent is still there, and its device is not.
    expect(await fleet.ownVms[0]!.devices()).toEqual([]);
    fleet.movers[0]!.wake();
    await expect.poll(() => ended(1), patience).toBe('completed');
    await expect.poll(() => fleet.ownVms[0]!.agents(), patience).toEqual([]);
    await expectAllWell();
  }, 400_000);
});
