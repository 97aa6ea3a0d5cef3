// needs: native workers
// What people do in a fleet, each once with engines that carry it out: executions left to it, limits, draining and urgency from the command line,
// waves that are started, cancelled and retried there, rehearsals and cut-overs, and the calendar, which exactly one member carries out.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wavesJournal } from '../../electron/engine/ports/replica-fleet.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { historyProblems } from '../../electron/fleet/history.ts';
import type { Execution } from '../../shared/model/execution.ts';
import { wallTimeAt } from '../../shared/model/wall-time.ts';
import { CommandLine } from '../demo/command-line.ts';
import { closeAll } from '../rigs/closing.ts';
import type { FleetMover } from '../rigs/project/fleet-mover.ts';
import { startLabFleet, type LabFleet } from '../rigs/project/lab-fleet.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const KiB = 1024;
const minute = 60_000;
const names = ['vm-0', 'vm-1', 'vm-2'];
const fleet = { project: 'commands', replicas: 3, claimSeconds: 4 };
const never = new AbortController().signal;
const patience = { timeout: 3 * minute, interval: 250 };

describe('what people do in a fleet', () => {
  let lab: LabFleet;
  let one: FleetMover;
  let two: FleetMover;
  let causeway: CommandLine;
  const userFolder = mkdtempSync(join(tmpdir(), 'causeway-fleet-user-'));

  beforeAll(async () => {
    lab = await startLabFleet({ names, diskMiB: 4, fleet, movers: [{ carries: 2 }, { carries: 2 }] });
    [one, two] = lab.movers as [FleetMover, FleetMover];
    const { folder, keyFile } = lab.lab.project;
    causeway = new CommandLine(folder, { CAUSEWAY_KEY_FILE: keyFile, CAUSEWAY_USER_FOLDER: userFolder });
    await causeway.expect(['trust', 'accept', '--yes']);
    await causeway.expect([
      'fleet',
      'join',
      ...lab.nats.urls,
      '--name',
      fleet.project,
      '--copies',
      '3',
      '--claim-seconds',
      '4',
      '--carry',
      '0',
    ]);
    await causeway.expect(['wave', 'create', 'night', ...names]);
    await vi.waitFor(
      async () => expect((await one.call('wave.list', {})).map(({ members }) => members)).toEqual([3]),
      patience,
    );
  }, 400_000);
  afterAll(
    () =>
      closeAll(
        () => lab?.close(),
        () => rmSync(userFolder, { recursive: true }),
      ),
    120_000,
  );

  const rows = async (...args: readonly string[]): Promise<Record<string, unknown>[]> =>
    (await causeway.expect([...args, '--json']))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const last = async (name: string): Promise<Execution | undefined> =>
    (await one.call('execution.list', { replica: name, limit: 1 }))[0];
  const states = (): Promise<(string | undefined)[]> =>
    Promise.all(names.map(async (name) => (await last(name))?.state));
  const unlimited = async (): Promise<void> => {
    for (const name of names) {
      const execution = await last(name);
      if (execution?.state === 'running')
        await one.call('execution.limit', { execution: execution.id }).catch(() => undefined);
    }
  };
  /** Ids of the members that wrote a journal, in their order. */
  const writers = async (id: string): Promise<string[]> =>
    (await lab.log.read(id, 0, never)).flatMap(({ record }) => (record.kind === 'epoch' ? record.member.id : []));
  const consistent = async (): Promise<void> => {
    for (const id of [...lab.ids.values(), wavesJournal])
      expect(historyProblems(await lab.log.read(id, 0, never)), id).toEqual([]);
    expect(await rows('fleet', 'verify')).toEqual(
      names.map((replica) => expect.objectContaining({ replica, problems: [], left: [] }) as unknown),
    );
  };
  const same = async (): Promise<void> => {
    for (const name of names) {
      const { disks } = await two.call('replica.show', { replica: name });
      expect(
        await firstDifference(lab.image(name), lab.lab.cloud.volumePath(disks[0]!.volumeId!)),
        name,
      ).toBeUndefined();
    }
  };

  it(
    'leaves executions to it, and limits, drains and hurries from the command line',
    async () => {
      const view = () => one.call('fleet.view', {});
      await expect
        .poll(async () => (await view()).members.map(({ carries, reaches }) => [carries, reaches.length]), patience)
        .toEqual([
          [2, 2],
          [2, 2],
        ]);
      // Nobody takes anything new.
      const members = (await view()).members.map(({ name }) => name);
      for (const name of members)
        expect(await causeway.expect(['fleet', 'drain', name])).toContain('takes nothing new');
      await expect
        .poll(async () => (await view()).members.map(({ isDraining }) => isDraining), patience)
        .toEqual([true, true]);
      expect(await causeway.run(['fleet', 'drain', 'nobody'])).toMatchObject({ status: 1 });
      for (const name of names)
        expect(
          await causeway.expect([
            'replica',
            'execute',
            name,
            '--in-fleet',
            '--limit',
            '300k',
            ...(name === 'vm-1' ? ['--urgent'] : []),
          ]),
        ).toContain('waits for a member');
      expect(await causeway.expect(['fleet', 'limit', 'endpoint images', '1'])).toContain('endpoint images');
      expect(await causeway.run(['fleet', 'limit', 'endpoint imgaes', '1'])).toMatchObject({ status: 1 });
      await expect
        .poll(
          async () =>
            (await rows('fleet', 'status')).flatMap(({ queued, isUrgent, waitsFor }) =>
              queued === undefined ? [] : [[queued, isUrgent, waitsFor]],
            ),
          patience,
        )
        .toEqual([
          ['vm-1', true, 'a member that is not leaving'],
          ['vm-0', false, 'a member that is not leaving'],
          ['vm-2', false, 'a member that is not leaving'],
        ]);
      await causeway.expect(['fleet', 'urgent', 'vm-2']);
      await causeway.expect(['fleet', 'urgent', 'vm-1', '--undo']);
      expect(await causeway.run(['fleet', 'urgent', 'nobody'])).toMatchObject({ status: 1 });
      await expect
        .poll(
          async () =>
            (await view()).queue.map(({ replicaId, isUrgent }) => [
              names.find((name) => lab.ids.get(name) === replicaId),
              isUrgent,
            ]),
          patience,
        )
        .toEqual([
          ['vm-2', true],
          ['vm-0', false],
          ['vm-1', false],
        ]);
      for (const name of members) await causeway.expect(['fleet', 'drain', name, '--undo']);
      await expect.poll(states, patience).toEqual(['pending', 'pending', 'running']);
      await expect
        .poll(
          async () =>
            (await rows('fleet', 'status')).flatMap(({ limit, inUse }) =>
              limit === undefined ? [] : [[limit, inUse]],
            ),
          patience,
        )
        .toEqual([['endpoint images', 1]]);
      // What runs cannot be hurried.
      expect(await causeway.run(['fleet', 'urgent', 'vm-2'])).toMatchObject({ status: 1 });
      await causeway.expect(['fleet', 'limit', 'endpoint images', 'none']);
      await expect
        .poll(async () => {
          await unlimited();
          return states();
        }, patience)
        .toEqual(['completed', 'completed', 'completed']);
      await same();
      await consistent();
    },
    8 * minute,
  );

  it(
    'carries out waves that the command line starts, cancels and retries',
    async () => {
      const numbers = await Promise.all(names.map(async (name) => (await last(name))?.number ?? 0));
      // There is something to copy, so that there is something to cancel.
      for (const name of names) writeFileSync(lab.image(name), randomBytes(4 * 1024 * KiB));
      await one.call('wave.start', {
        wave: 'night',
        action: 'synchronise',
        atOnce: 3,
        options: { execution: { bandwidthLimit: 50 * KiB, verify: 'all' } },
      });
      await expect.poll(states, patience).toEqual(['running', 'running', 'running']);
      // Led elsewhere, cancelled where it is led.
      expect(await causeway.run(['wave', 'cancel', 'night'])).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('0 of 3 completed, 3 cancelled') as string,
      });
      await expect.poll(states, patience).toEqual(['cancelled', 'cancelled', 'cancelled']);
      await expect
        .poll(async () => (await two.call('wave.show', { wave: 'night' })).run?.state, patience)
        .toBe('cancelled');
      const retrying = causeway.run(['wave', 'retry', 'night']);
      await expect
        .poll(async () => {
          await unlimited();
          return [(await two.call('wave.show', { wave: 'night' })).run?.state, await states()];
        }, patience)
        .toEqual(['completed', ['completed', 'completed', 'completed']]);
      expect(await retrying).toMatchObject({ status: 0 });
      // Led by the command, which waits, and carried out by the others.
      await causeway.expect(['wave', 'start', 'night', '--at-once', '2']);
      expect(await states()).toEqual(['completed', 'completed', 'completed']);
      for (const [index, name] of names.entries()) expect((await last(name))?.number, name).toBe(numbers[index]! + 3);
      await same();
      await consistent();
    },
    8 * minute,
  );

  it(
    'carries out the calendar in exactly one member, and in another one when that is gone',
    async () => {
      const numberOf = async (mover: FleetMover): Promise<number> =>
        (await mover.call('execution.list', { replica: 'vm-0', limit: 1 }))[0]?.number ?? 0;
      const idOf = async (mover: FleetMover): Promise<string> =>
        (await mover.call('fleet.view', {})).members.find(({ isThis }) => isThis)!.id;
      const [ids, before, number] = [
        [await idOf(one), await idOf(two)],
        (await writers(wavesJournal)).length,
        await numberOf(two),
      ];
      const { time } = wallTimeAt(Date.now() + 2 * minute, 'UTC');
      await causeway.expect(['wave', 'plan', 'night', '--synchronise', `${time} UTC`]);
      // One of both has the calendar before anything is due.
      const carrying = async (): Promise<string[]> =>
        (await writers(wavesJournal)).slice(before).filter((id) => ids.includes(id));
      await expect.poll(carrying, patience).toHaveLength(1);
      const [owner, other] = (await carrying())[0] === ids[0] ? [one, two] : [two, one];
      owner.sleep();
      const runOf = async (mover: FleetMover) => (await mover.call('wave.show', { wave: 'night' })).run;
      await expect
        .poll(async () => [(await runOf(other))?.state, await numberOf(other)], { timeout: 5 * minute, interval: 1000 })
        .toEqual(['completed', number + 1]);
      expect((await writers(wavesJournal)).at(-1)).toBe(await idOf(other));
      owner.wake();
      // Whoever wakes up learns of it, and starts nothing once more at its next look.
      await expect.poll(async () => (await runOf(owner))?.id, patience).toBe((await runOf(other))?.id);
      await systemClock.sleep(35_000, never);
      expect([await numberOf(owner), await numberOf(other)]).toEqual([number + 1, number + 1]);
      await causeway.expect(['wave', 'plan', 'night', '--clear', 'synchronisation']);
      await consistent();
    },
    12 * minute,
  );

  it(
    'carries out the calendar in another member when the one that has it was killed',
    async () => {
      const numberOf = async (mover: FleetMover): Promise<number> =>
        (await mover.call('execution.list', { replica: 'vm-0', limit: 1 }))[0]?.number ?? 0;
      const idOf = async (mover: FleetMover): Promise<string> =>
        (await mover.call('fleet.view', {})).members.find(({ isThis }) => isThis)!.id;
      const [ids, before, number] = [
        [await idOf(one), await idOf(two)],
        (await writers(wavesJournal)).length,
        await numberOf(two),
      ];
      const { time } = wallTimeAt(Date.now() + 2 * minute, 'UTC');
      await causeway.expect(['wave', 'plan', 'night', '--synchronise', `${time} UTC`]);
      const carrying = async (): Promise<string[]> =>
        (await writers(wavesJournal)).slice(before).filter((id) => ids.includes(id));
      await expect.poll(carrying, patience).toHaveLength(1);
      const [owner, other] = (await carrying())[0] === ids[0] ? [one, two] : [two, one];
      await owner.kill();
      const runOf = async (mover: FleetMover) => (await mover.call('wave.show', { wave: 'night' })).run;
      await expect
        .poll(async () => [(await runOf(other))?.state, await numberOf(other)], { timeout: 5 * minute, interval: 1000 })
        .toEqual(['completed', number + 1]);
      expect((await writers(wavesJournal)).at(-1)).toBe(await idOf(other));
      await owner.restart();
      await expect.poll(async () => (await runOf(owner))?.id, patience).toBe((await runOf(other))?.id);
      await systemClock.sleep(35_000, never);
      expect([await numberOf(owner), await numberOf(other)]).toEqual([number + 1, number + 1]);
      await causeway.expect(['wave', 'plan', 'night', '--clear', 'synchronisation']);
      await consistent();
    },
    12 * minute,
  );

  it(
    'rehearses and cuts over',
    async () => {
      await causeway.expect(['wave', 'start', 'night']);
      await causeway.expect(['wave', 'plan', 'night', '--rehearsal-network', 'backup']);
      await causeway.expect([
        'wave',
        'start',
        'night',
        '--action',
        'rehearse',
        '--skip-morphing',
        '--boot-check',
        'none',
      ]);
      const deployments = async (purpose: string) =>
        (await one.call('deployment.list', {})).filter(({ options }) => options.purpose === purpose);
      expect((await deployments('rehearsal')).map(({ state }) => state)).toEqual(names.map(() => 'completed'));
      // The sources are images, which nothing runs from.
      await causeway.expect([
        'wave',
        'start',
        'night',
        '--action',
        'cut-over',
        '--source-is-stopped',
        '--skip-morphing',
        '--boot-check',
        'none',
      ]);
      expect((await deployments('cut-over')).map(({ state }) => state)).toEqual(names.map(() => 'completed'));
      const lives = await two.call('replica.life', { wave: 'night' });
      expect(lives.map(({ state }) => state)).toEqual(names.map(() => 'running-at-destination'));
      await consistent();
    },
    8 * minute,
  );
});
