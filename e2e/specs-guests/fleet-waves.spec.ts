// needs: native workers
// Movers as processes with three NATS servers: who carries out what waits, waves across members, limits, and what others see of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Execution } from '../../shared/model/execution.ts';
import { historyProblems } from '../../electron/fleet/history.ts';
import { wavesJournal } from '../../electron/engine/ports/replica-fleet.ts';
import { startLabFleet, type LabFleet } from '../rigs/project/lab-fleet.ts';
import type { FleetMover } from '../rigs/project/fleet-mover.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const KiB = 1024;
const names = ['vm-0', 'vm-1', 'vm-2', 'vm-3'];
const fleet = { project: 'waves', replicas: 3, claimSeconds: 4 };
const never = new AbortController().signal;
const patience = { timeout: 180_000, interval: 200 };

describe('a fleet in which the work is distributed', () => {
  let lab: LabFleet;
  /** A computer on which people plan, and two that carry out what waits. */
  let planner: FleetMover;
  let one: FleetMover;
  let two: FleetMover;

  beforeAll(async () => {
    lab = await startLabFleet({ names, diskMiB: 4, fleet, movers: [{ carries: 0 }, { carries: 2 }, { carries: 2 }] });
    [planner, one, two] = lab.movers as [FleetMover, FleetMover, FleetMover];
  }, 400_000);
  afterAll(() => lab?.close(), 120_000);

  const last = async (mover: FleetMover, name: string): Promise<Execution> =>
    (await mover.call('execution.list', { replica: name, limit: 1 }))[0]!;
  const waveState = async (mover: FleetMover): Promise<string | undefined> =>
    (await mover.call('wave.show', { wave: 'night' })).run?.state;
  /** The members that wrote a journal, by their ids, from a sequence on. */
  const writers = async (id: string, after = 0): Promise<string[]> =>
    (await lab.log.read(id, after, never)).flatMap(({ record }) => (record.kind === 'epoch' ? record.member.id : []));
  const idOf = async (mover: FleetMover): Promise<string> =>
    (await mover.call('fleet.view', {})).members.find(({ isThis }) => isThis)!.id;

  it('shows what another member carries out as running there, with its numbers', async () => {
    await expect
      .poll(
        async () =>
          (await planner.call('fleet.view', {})).members
            .map(({ carries, reaches }) => [carries, reaches.length > 0])
            .toSorted(),
        patience,
      )
      .toEqual([
        [0, true],
        [2, true],
        [2, true],
      ]);
    const asked = await planner.call('replica.execute', {
      replica: 'vm-0',
      inFleet: true,
      options: { bandwidthLimit: 300 * KiB },
    });
    expect(asked.state).toBe('pending');
    await expect
      .poll(async () => {
        const { state, member, progress } = await last(planner, 'vm-0');
        return [state, member?.includes('process'), (progress?.total.bytesDone ?? 0) > 0];
      }, patience)
      .toEqual(['running', true, true]);
    // Of what it does not carry out itself, it changes the limit where it runs.
    await planner.call('execution.limit', { execution: asked.id });
    await expect.poll(async () => (await last(planner, 'vm-0')).state, patience).toBe('completed');
    expect(await writers(lab.ids.get('vm-0')!)).not.toEqual([await idOf(planner)]);
    expect((await last(planner, 'vm-0')).member).toBeUndefined();
  }, 300_000);

  it('carries out a wave on all members within the limits, and goes on when whoever leads it is killed', async () => {
    await planner.call('wave.create', { wave: 'night', replicas: names });
    await planner.call('fleet.setLimit', { name: 'endpoint images', limit: 2 });
    await expect
      .poll(
        async () => [
          (await one.call('wave.list', {})).map(({ members }) => members),
          await two.call('fleet.limits', {}),
        ],
        patience,
      )
      .toEqual([[4], { 'endpoint images': 2 }]);
    await planner.call('wave.start', {
      wave: 'night',
      action: 'synchronise',
      atOnce: 4,
      options: { execution: { bandwidthLimit: 200 * KiB } },
    });
    await expect
      .poll(
        async () =>
          (await planner.call('execution.list', { latest: true })).filter(({ state }) => state === 'running').length,
        patience,
      )
      .toBe(2);
    // Others wait although there is room: no more than two at a time read from this source.
    expect(
      (await planner.call('fleet.view', {})).members.reduce(
        (sum, { works }) => sum + works.filter((id) => id !== wavesJournal).length,
        0,
      ),
    ).toBe(2);
    // A user of another member pauses it where it is led, and lets it go on.
    expect((await one.call('wave.pause', { wave: 'night' })).state).toBe('paused');
    expect((await two.call('wave.continue', { wave: 'night' })).state).toBe('running');
    await planner.killAndRestart();
    await expect.poll(async () => (await one.call('fleet.view', {})).holders[wavesJournal], patience).toBeDefined();
    for (const name of names) {
      await expect
        .poll(async () => {
          const execution = await last(one, name);
          if (execution.state === 'running')
            await one.call('execution.limit', { execution: execution.id }).catch(() => undefined);
          return execution.state;
        }, patience)
        .toBe('completed');
    }
    for (const mover of lab.movers) await expect.poll(() => waveState(mover), patience).toBe('completed');
    for (const id of [...lab.ids.values(), wavesJournal])
      expect(historyProblems(await lab.log.read(id, 0, never)), id).toEqual([]);
    // Each member was started once: none twice by the two that led the wave.
    const numbers = await Promise.all(names.map(async (name) => (await last(one, name)).number));
    expect(numbers).toEqual([2, 1, 1, 1]);
    for (const name of names) {
      const { disks } = await two.call('replica.show', { replica: name });
      expect(
        await firstDifference(lab.image(name), lab.lab.cloud.volumePath(disks[0]!.volumeId!)),
        name,
      ).toBeUndefined();
    }
  }, 600_000);

  it('gives nothing new to a member that leaves', async () => {
    await planner.call('fleet.setLimit', { name: 'endpoint images', limit: null });
    const leaving = await idOf(one);
    await planner.call('fleet.drain', { member: leaving, isDraining: true });
    await expect
      .poll(
        async () => (await two.call('fleet.view', {})).members.find(({ id }) => id === leaving)?.isDraining,
        patience,
      )
      .toBe(true);
    const before = new Map(
      await Promise.all(
        names.map(async (name) => [name, (await lab.log.read(lab.ids.get(name)!, 0, never)).at(-1)!.sequence] as const),
      ),
    );
    for (const name of names)
      await expect
        .poll(
          () => planner.call('replica.execute', { replica: name, inFleet: true }).then(() => 'asked', String),
          patience,
        )
        .toBe('asked');
    for (const name of names)
      await expect.poll(async () => (await last(planner, name)).state, patience).toBe('completed');
    for (const name of names) expect(await writers(lab.ids.get(name)!, before.get(name)), name).not.toContain(leaving);
    await planner.call('fleet.drain', { member: leaving, isDraining: false });
    await expect
      .poll(
        async () => (await two.call('fleet.view', {})).members.find(({ id }) => id === leaving)?.isDraining,
        patience,
      )
      .toBe(false);
  }, 300_000);
});
