import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Execution } from '../../shared/model/execution.ts';
import { createCore, type Core } from '../engine/core/core.ts';
import { destinationEnvironment } from '../engine/core/testing/deployment-project.ts';
import { MemoryLab } from '../engine/core/testing/memory-lab.ts';
import { wavesJournal } from '../engine/ports/replica-fleet.ts';
import { FakeClock } from '../engine/time/testing/fake-clock.ts';
import { engineInFleet } from './engine-in-fleet.ts';
import { FleetMember } from './fleet-member.ts';
import { historyProblems } from './history.ts';
import { MemoryClaims, MemoryJournal } from './testing/memory-fleet.ts';
import { MemoryLive } from './testing/memory-live.ts';

const names = ['web', 'app', 'db'];
const ttlMs = 1200;
const patience = { timeout: 30_000, interval: 20 };

let root: string;
let lab: MemoryLab;
let journal: MemoryJournal;
let claims: MemoryClaims;
let live: MemoryLive;
let clock: FakeClock;
let stopTime: () => Promise<void>;
const cores: Core[] = [];

/** Time of the fleet passes only where everything that runs has its turn: a busy machine is not silent, and loses no claim. */
function letTimePass(of: FakeClock): () => Promise<void> {
  let isOver = false;
  const passing = (async () => {
    while (!isOver) {
      await of.pass(50);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return () => {
    isOver = true;
    return passing;
  };
}

beforeEach(async () => {
  clock = new FakeClock();
  stopTime = letTimePass(clock);
  root = mkdtempSync(join(tmpdir(), 'causeway-engines-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', randomBytes(1024 * 1024));
  [journal, claims, live] = [new MemoryJournal(), new MemoryClaims(), new MemoryLive()];
  const first = createCore(optionsOf('first'));
  await first.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await first.call('endpoint.add', {
    name: 'to',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  await first.call('project.setSharing', { addresses: true });
  for (const name of names)
    await first.call('replica.create', { name, source: 'from', destination: 'to', vm: 'web', destinationEnvironment });
  await first.call('wave.create', { wave: 'night', replicas: names });
  await first.close();
});
afterEach(async () => {
  // Whatever is held up ends.
  lab.beforeWrite = async () => undefined;
  await Promise.all(cores.splice(0).map((core) => core.close()));
  await stopTime();
  rmSync(root, { recursive: true, force: true });
}, 60_000);

function optionsOf(name: string) {
  mkdirSync(join(root, name), { recursive: true });
  return {
    projectFolder: join(root, name),
    vault: lab.vault({ key: '{}' }, name),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
  };
}

/** An engine with a store of its own, as on another computer. */
async function member(name: string, carries: number, limits?: object): Promise<Core> {
  for (const part of ['endpoints', 'replicas', 'waves'])
    if (existsSync(join(root, 'first', part)))
      cpSync(join(root, 'first', part), join(root, name, part), { recursive: true });
  const self = { id: name, name: `computer ${name}` };
  const board = claims.boardOf(self, ttlMs);
  const core = createCore({
    ...optionsOf(name),
    fleet: (changes, hooks) =>
      engineInFleet({
        self,
        claims: board,
        log: journal,
        hooks,
        takesOver: true,
        carries,
        clock,
        member: new FleetMember({
          member: self,
          log: journal,
          claims: board,
          changes,
          marks: hooks.marks,
          clock,
          onApplying: hooks.applying,
          onApplied: hooks.applied,
        }),
        files: { turn: async () => ({ taken: [], conflicts: [], notShared: [] }), resolve: async () => undefined },
        live: (handlers) => live.connect(name, handlers),
      }),
  });
  cores.push(core);
  await core.call('trust.accept', { token: (await core.call('trust.show', {})).token });
  for (const [use, limit] of Object.entries(limits ?? {}))
    await core.call('fleet.setLimit', { name: use, limit: Number(limit) });
  await vi.waitFor(
    async () =>
      expect((await core.call('fleet.view', {})).members.find(({ isThis }) => isThis)?.reaches).toHaveLength(2),
    patience,
  );
  return core;
}

const last = async (core: Core, name: string): Promise<Execution | undefined> =>
  (await core.call('execution.list', { replica: name, limit: 1 }))[0];
const states = (core: Core) => Promise.all(names.map(async (name) => (await last(core, name))?.state));
const replicaId = async (core: Core, name: string): Promise<string> =>
  (await core.call('replica.show', { replica: name })).id;
const writersOf = (id: string): string[] => [
  ...new Set(journal.of(id).flatMap(({ record }) => (record.kind === 'epoch' ? record.member.id : []))),
];

/** Holds every copy up until it is let go. */
function holdCopies(): () => void {
  const gate = Promise.withResolvers<void>();
  lab.beforeWrite = () => gate.promise;
  return gate.resolve;
}

it('what a person leaves to the fleet is carried out by a member with room, and shown as running there with its numbers', async () => {
  const planner = await member('planner', 0);
  await member('worker', 2);
  const letGo = holdCopies();
  expect(await planner.call('replica.execute', { replica: 'web', inFleet: true })).toMatchObject({ state: 'pending' });
  await vi.waitFor(
    async () => expect(await last(planner, 'web')).toMatchObject({ state: 'running', member: 'computer worker' }),
    patience,
  );
  expect((await planner.call('fleet.view', {})).holders).toEqual({
    [await replicaId(planner, 'web')]: 'computer worker',
  });
  const heard = Promise.withResolvers<void>();
  planner.subscribe('execution.progress', () => heard.resolve());
  letGo();
  await heard.promise;
  await vi.waitFor(async () => expect(await last(planner, 'web')).toMatchObject({ state: 'completed' }), patience);
  expect((await last(planner, 'web'))?.member).toBeUndefined();
  expect(writersOf(await replicaId(planner, 'web'))).toEqual(['planner', 'worker']);
});

it('waits while nobody has room or reaches it, within limits, and urgent ones go first', async () => {
  const planner = await member('planner', 0, { 'endpoint from': 1 });
  for (const name of names)
    await planner.call('replica.execute', {
      replica: name,
      inFleet: true,
      options: name === 'db' ? { placement: { urgent: true } } : {},
    });
  await vi.waitFor(async () => expect((await planner.call('fleet.view', {})).waiting).toHaveLength(3), patience);
  expect(await states(planner)).toEqual(['pending', 'pending', 'pending']);
  const letGo = holdCopies();
  const worker = await member('worker', 3, { 'endpoint from': 1 });
  await vi.waitFor(async () => expect(await states(planner)).toEqual(['pending', 'pending', 'running']), patience);
  letGo();
  await vi.waitFor(
    async () => expect(await states(planner)).toEqual(['completed', 'completed', 'completed']),
    patience,
  );
  const begun = (await worker.call('execution.list', {})).toSorted((one, other) =>
    one.startedAt!.localeCompare(other.startedAt!),
  );
  for (const [index, { finishedAt }] of begun.entries())
    if (begun[index + 1] !== undefined)
      expect(Date.parse(begun[index + 1]!.startedAt!)).toBeGreaterThanOrEqual(Date.parse(finishedAt!));
});

it('a wave is led by one member and carried out by others, whoever pauses it or lets it go on', async () => {
  const planner = await member('planner', 0);
  const [one, two] = [await member('one', 1), await member('two', 1)];
  const letGo = holdCopies();
  await planner.call('wave.start', { wave: 'night', action: 'synchronise' });
  await vi.waitFor(
    async () => expect((await states(one)).toSorted()).toEqual(['pending', 'running', 'running']),
    patience,
  );
  expect(await one.call('wave.pause', { wave: 'night' })).toMatchObject({ state: 'paused' });
  expect(await two.call('wave.continue', { wave: 'night' })).toMatchObject({ state: 'running' });
  // What runs elsewhere is cancelled where it runs.
  const waiting = names[(await states(one)).indexOf('pending')]!;
  await two.call('execution.cancel', { execution: (await last(two, waiting))!.id });
  letGo();
  await vi.waitFor(
    async () =>
      expect((await two.call('wave.show', { wave: 'night' })).run).toMatchObject({
        state: 'failed',
        counts: { completed: 2, cancelled: 1 },
      }),
    patience,
  );
  expect(await planner.call('wave.retry', { wave: 'night' })).toMatchObject({ state: 'running' });
  await vi.waitFor(
    async () =>
      expect((await one.call('wave.show', { wave: 'night' })).run).toMatchObject({
        state: 'completed',
        counts: { completed: 3 },
      }),
    patience,
  );
  for (const id of [wavesJournal, ...(await Promise.all(names.map((name) => replicaId(one, name))))])
    expect(historyProblems(journal.of(id)), id).toEqual([]);
  expect(writersOf(wavesJournal)).toEqual(['planner']);
});

it('another member goes on with a wave whose leader is gone, and starts nothing twice', async () => {
  const planner = await member('planner', 0);
  const one = await member('one', 1);
  const letGo = holdCopies();
  await planner.call('wave.start', { wave: 'night', action: 'synchronise', atOnce: 2 });
  await vi.waitFor(
    async () => expect((await states(one)).filter((state) => state !== undefined)).toHaveLength(2),
    patience,
  );
  // Nothing is heard of it any more, and its claims have ended; what it still writes is refused.
  live.silent.add('planner');
  claims.isOver = (_id, holder) => holder.id === 'planner';
  await vi.waitFor(() => expect(writersOf(wavesJournal)).toEqual(['planner', 'one']), patience);
  letGo();
  await vi.waitFor(
    async () => expect((await one.call('wave.show', { wave: 'night' })).run).toMatchObject({ state: 'completed' }),
    patience,
  );
  expect((await one.call('execution.list', {})).map(({ number }) => number)).toEqual([1, 1, 1]);
  expect(historyProblems(journal.of(wavesJournal))).toEqual([]);
});

it('a member that is drained ends what it has and takes nothing new', async () => {
  const planner = await member('planner', 0);
  const one = await member('one', 2);
  const letGo = holdCopies();
  await planner.call('replica.execute', { replica: 'web', inFleet: true });
  await vi.waitFor(async () => expect(await last(planner, 'web')).toMatchObject({ state: 'running' }), patience);
  await vi.waitFor(() => planner.call('fleet.drain', { member: 'computer one', isDraining: true }), patience);
  await vi.waitFor(
    async () =>
      expect((await planner.call('fleet.view', {})).members.find(({ id }) => id === 'one')?.isDraining).toBe(true),
    patience,
  );
  await planner.call('replica.execute', { replica: 'app', inFleet: true });
  letGo();
  await vi.waitFor(async () => expect(await last(planner, 'web')).toMatchObject({ state: 'completed' }), patience);
  await member('two', 1);
  await vi.waitFor(async () => expect(await last(planner, 'app')).toMatchObject({ state: 'completed' }), patience);
  expect(writersOf(await replicaId(one, 'app'))).toEqual(['planner', 'two']);
  await expect(planner.call('fleet.drain', { member: 'nobody', isDraining: true })).rejects.toThrow(
    expect.objectContaining({ code: 'engine.not-found' }) as Error,
  );
});

it('what runs here already is not given away when it is left to the fleet as well', async () => {
  const one = await member('one', 1);
  const letGo = holdCopies();
  const { id } = await one.call('replica.execute', { replica: 'web' });
  await vi.waitFor(async () => expect(await last(one, 'web')).toMatchObject({ state: 'running' }), patience);
  expect(await one.call('replica.execute', { replica: 'web', inFleet: true })).toMatchObject({ id });
  letGo();
  await vi.waitFor(async () => expect(await last(one, 'web')).toMatchObject({ id, state: 'completed' }), patience);
});

it('what waits can be made urgent and says what it waits for, limits have names that executions have, and viewers change nothing', async () => {
  const planner = await member('planner', 0);
  const code = (expected: string): Error => expect.objectContaining({ code: expected }) as Error;
  const queue = async (): Promise<unknown> =>
    (await planner.call('fleet.view', {})).queue.map(({ replicaId: id, isUrgent, waitsFor }) => [
      id,
      isUrgent,
      waitsFor.kind,
    ]);
  const [web, app] = [await replicaId(planner, 'web'), await replicaId(planner, 'app')];
  await expect(planner.call('fleet.setUrgent', { replica: 'web', isUrgent: true })).rejects.toThrow(
    code('fleet.not-waiting'),
  );
  for (const replica of ['web', 'app']) await planner.call('replica.execute', { replica, inFleet: true });
  await vi.waitFor(
    async () =>
      expect(await queue()).toEqual([
        [web, false, 'nobody'],
        [app, false, 'nobody'],
      ]),
    patience,
  );
  await planner.call('fleet.setUrgent', { replica: 'app', isUrgent: true });
  expect(await queue()).toEqual([
    [app, true, 'nobody'],
    [web, false, 'nobody'],
  ]);
  await planner.call('fleet.setLimit', { name: 'link from > to', limit: 1 });
  for (const name of ['endpoint form', 'link to', 'host from/', 'from'])
    await expect(planner.call('fleet.setLimit', { name, limit: 1 })).rejects.toThrow(code('general.invalid-input'));
  // One that is there can be removed, whatever its name.
  expect(await planner.call('fleet.setLimit', { name: 'from', limit: null })).toEqual({ 'link from > to': 1 });
  expect(
    (await planner.call('fleet.verify', { replicas: ['app'] })).map(({ replicaId: id, problems, left }) => [
      id,
      problems,
      left,
    ]),
  ).toEqual([[app, [], []]]);

  const letGo = holdCopies();
  const worker = await member('worker', 1, { 'link from > to': 1 });
  await vi.waitFor(
    async () => expect((await planner.call('fleet.view', {})).inUse).toEqual({ 'link from > to': 1 }),
    patience,
  );
  await vi.waitFor(async () => expect(await queue()).toEqual([[web, false, 'limit']]), patience);
  await expect(planner.call('fleet.setUrgent', { replica: 'app', isUrgent: false })).rejects.toThrow(
    code('fleet.claimed-elsewhere'),
  );
  await expect(worker.call('fleet.setUrgent', { replica: 'app', isUrgent: false })).rejects.toThrow(
    code('fleet.not-waiting'),
  );
  live.viewers.add('planner');
  for (const [call, input] of [
    ['fleet.setLimit', { name: 'endpoint from', limit: 1 }],
    ['fleet.drain', { member: 'worker', isDraining: true }],
    ['fleet.setUrgent', { replica: 'web', isUrgent: true }],
  ] as const) {
    await expect(planner.call(call, input)).rejects.toThrow(code('fleet.forbidden'));
  }
  expect((await planner.call('fleet.view', {})).mayChange).toBe(false);
  letGo();
  await vi.waitFor(async () => expect(await last(worker, 'web')).toMatchObject({ state: 'completed' }), patience);
});

it('two members never use one worker: there is no pool in a fleet, also where there was one before it', async () => {
  const alone = createCore(optionsOf('pooled'));
  await alone.call('workers.setPool', { keep: 2 });
  await alone.close();
  const [one, two] = [await member('pooled', 3), await member('second', 3)];
  await expect(two.call('workers.setPool', { keep: 1 })).rejects.toMatchObject({ code: 'engine.pool-in-fleet' });
  const workers = (): number => [...lab.things.values()].filter(({ bytes }) => bytes === undefined).length;
  // The same replica by one member after the other, and by both at the same time.
  for (const round of [[one], [two], [one, two]]) {
    const before = lab.log.filter((step) => step === 'start worker').length;
    const ordered: string[] = [];
    // Whoever had it last keeps its claim for a moment.
    for (const [index, name] of names.entries())
      ordered.push(
        await vi.waitFor(
          async () => (await round[index % round.length]!.call('replica.execute', { replica: name, inFleet: true })).id,
          patience,
        ),
      );
    await vi.waitFor(
      async () =>
        expect((await Promise.all(names.map((name) => last(one, name)))).map((run) => [run?.id, run?.state])).toEqual(
          ordered.map((id) => [id, 'completed']),
        ),
      patience,
    );
    expect([lab.log.filter((step) => step === 'start worker').length - before, workers()]).toEqual([3, 0]);
  }
  for (const core of [one, two]) expect((await core.call('workers.pool', {})).workers).toEqual([]);
});
