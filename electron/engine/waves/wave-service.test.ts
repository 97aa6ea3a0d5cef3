import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import { isEnded } from '../../../shared/model/wave.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import { openStore, type Store } from '../store/store.ts';
import type { WaveRunStore } from '../store/wave-runs.ts';
import { waveOrder } from '../../../shared/model/wave-order.ts';
import { waveService, type MemberRun, type MemberRuns, type WaveService } from './wave-service.ts';

const replicas = Array.from({ length: 7 }, (_, index) => ({ id: `rep-${index}`, name: `vm-${index}` }));

/** A store with nothing in it, to be copied: making one takes longer than a whole history. */
const empty = mkdtempSync(join(tmpdir(), 'causeway-waves-empty-'));
openStore(empty).close();
afterAll(() => rmSync(empty, { recursive: true, force: true }));

type WorldRun = { -readonly [K in keyof MemberRun]: MemberRun[K] } & { readonly replicaId: string };

/** Executions as they outlive an engine, what began when, and an engine that can be killed at any write to its store. */
class World {
  readonly runs: WorldRun[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'causeway-waves-'));
  #store!: Store;
  service!: WaveService;
  /** How many more changes happen before the engine is killed. */
  changesLeft = Infinity;
  mayNotStart = false;

  constructor() {
    cpSync(empty, this.#folder, { recursive: true });
    this.open();
  }

  get store(): WaveRunStore {
    return this.#store.waveRuns;
  }

  open(): void {
    this.#store = openStore(this.#folder);
    // Nothing cuts the power here.
    this.#store.db.exec('PRAGMA synchronous = OFF');
    this.changesLeft = Infinity;
    this.service = waveService({
      store: this.#mortal(this.#store.waveRuns),
      runs: this.#memberRuns(),
      emit: () => undefined,
      clean: (error) => error,
    });
  }

  /** Nothing that the former engine still does has an effect. */
  kill(): void {
    this.changesLeft = 0;
    this.#store.close();
    for (const run of this.runs) if (run.state === 'active') run.state = 'interrupted';
    this.open();
  }

  close(): void {
    this.#store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  change(): void {
    if (this.changesLeft <= 0) throw new Error('killed');
    this.changesLeft -= 1;
  }

  #mortal(store: WaveRunStore): WaveRunStore {
    const mortal =
      <A extends unknown[], R>(write: (...values: A) => R) =>
      (...values: A): R => {
        this.change();
        return write(...values);
      };
    return {
      ...store,
      add: mortal(store.add),
      setState: mortal(store.setState),
      release: mortal(store.release),
      setStarting: mortal(store.setStarting),
      setStarted: mortal(store.setStarted),
      setMember: mortal(store.setMember),
    };
  }

  #memberRuns(): MemberRuns {
    const latest = (replicaId: string): WorldRun | undefined =>
      this.runs.findLast((run) => run.replicaId === replicaId);
    return {
      start: (_action, replicaId) => {
        this.change();
        this.#expectStartable(replicaId);
        const run: WorldRun = {
          id: `exe-${this.runs.length}`,
          replicaId,
          number: (latest(replicaId)?.number ?? 0) + 1,
          state: 'active',
        };
        this.runs.push(run);
        return run;
      },
      resume: (_action, replicaId) => {
        this.change();
        const run = latest(replicaId);
        if (run?.state !== 'interrupted') throw new Error('only what was interrupted is resumed');
        run.state = 'active';
      },
      find: (_action, id) => this.runs.find((run) => run.id === id),
      latest: (_action, replicaId) => latest(replicaId),
      cancel: (_action, id) => {
        this.change();
        const run = this.runs.find((one) => one.id === id);
        if (run !== undefined) run.state = 'cancelled';
      },
    };
  }

  #expectStartable(replicaId: string): void {
    expect(this.mayNotStart, 'something started after a cancellation').toBe(false);
    expect(
      this.runs.some((run) => run.replicaId === replicaId && (run.state === 'active' || run.state === 'interrupted')),
      'started twice',
    ).toBe(false);
    const open = this.store.listOpen()[0]!;
    const members = this.store.members(open.id);
    const member = members.find((one) => one.replicaId === replicaId)!;
    expect(member.state).toBe('starting');
    expect(open.state).not.toBe('cancelling');
    for (const before of member.after)
      expect(members.find((one) => one.replicaId === before)?.state, 'started before what it depends on').toBe(
        'completed',
      );
    for (const other of members)
      if (other.group < member.group)
        expect(['completed', 'failed', 'blocked', 'cancelled'], 'started before an earlier group ended').toContain(
          other.state,
        );
    const isFailed = members.some(({ group, state }) => group < member.group && state !== 'completed');
    if (open.groups[member.group]?.needsGo === true || isFailed)
      expect(open.released, 'started without a go').toBeGreaterThanOrEqual(member.group);
    expect(members.filter(({ state }) => state === 'running' || state === 'starting').length).toBeLessThanOrEqual(
      open.atOnce,
    );
  }
}

const plans: fc.Arbitrary<WavePlan> = fc.record({
  groups: fc.array(
    fc.record({
      name: fc.constantFrom('A', 'B', 'C'),
      needsGo: fc.boolean(),
      members: fc.subarray(replicas.map(({ name }) => name)),
    }),
    { maxLength: 3 },
  ),
  // Of members with a greater number alone, so that groups rarely make circles.
  after: fc.dictionary(fc.constantFrom('vm-0', 'vm-1', 'vm-2'), fc.subarray(['vm-3', 'vm-4', 'vm-5', 'vm-6']), {
    maxKeys: 3,
  }),
});

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('complete', 'fail'), at: fc.nat(20) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('pause', 'continue', 'go', 'cancel', 'let-finish', 'retry', 'start', 'kill'),
        at: fc.nat(8),
      }),
    },
  ),
  { maxLength: 40 },
);

function carryOut(world: World, command: { readonly do: string; readonly at: number }, begin: () => void): void {
  const { service } = world;
  const active = world.runs.filter(({ state }) => state === 'active');
  switch (command.do) {
    case 'complete':
    case 'fail': {
      const run = active[command.at % Math.max(1, active.length)];
      if (run !== undefined) run.state = command.do === 'complete' ? 'completed' : 'failed';
      return service.tick();
    }
    case 'cancel':
    case 'let-finish':
      service.cancel('w', command.do === 'let-finish');
      world.mayNotStart = true;
      return;
    case 'retry':
      // What was cancelled in good order may be tried again on purpose.
      if (world.store.listOpen().every(({ state }) => state !== 'cancelling')) world.mayNotStart = false;
      return void service.retry('w');
    case 'start':
      if (world.store.listOpen().length === 0) world.mayNotStart = false;
      return begin();
    case 'kill':
      // Somewhere in the middle of what happens next.
      world.changesLeft = command.at;
      return service.tick();
    default:
      return void service[command.do as 'pause' | 'continue' | 'go']('w');
  }
}

function expectSound(world: World): void {
  for (const run of world.store.list('w', 1000)) {
    const members = world.store.members(run.id);
    const counts = world.store.counts(run.id);
    expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(replicas.length);
    if (!isEnded(run)) continue;
    expect(counts.waiting + counts.starting + counts.running, 'ended with members under way').toBe(0);
    if (run.state === 'completed') expect(counts.completed).toBe(replicas.length);
    if (run.state === 'failed') expect(counts.completed).toBeLessThan(replicas.length);
    for (const { startedId, state } of members)
      if (state === 'completed') expect(world.runs.find(({ id }) => id === startedId)?.state).toBe('completed');
  }
}

test('whatever people do, however members end and whenever the engine is killed: none starts twice or too early, and the counts add up', () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: 1, max: 4 }), commands, (plan, atOnce, history) => {
      const order = waveOrder(replicas, plan);
      fc.pre(order.circular.length === 0);
      const world = new World();
      const begin = (): void =>
        void world.service.start({ wave: 'w', action: 'synchronise', atOnce, options: {}, order });
      try {
        begin();
        for (const command of history) {
          try {
            carryOut(world, command, begin);
          } catch (error) {
            if (
              !/^(wave\.|engine\.)/.test((error as { code?: string }).code ?? '') &&
              (error as Error).message !== 'killed'
            )
              throw error;
          }
          if (world.changesLeft <= 0) {
            world.kill();
            world.service.resumeInterrupted();
          }
          expectSound(world);
        }
        // Whatever happened, it can be brought to an end.
        world.changesLeft = Infinity;
        for (let round = 0; world.store.listOpen().length > 0; round += 1) {
          expect(round).toBeLessThan(100);
          const [open] = world.store.listOpen();
          if (open?.state !== 'cancelling') world.mayNotStart = false;
          world.service.continue('w');
          for (const run of world.runs) if (run.state === 'active') run.state = 'completed';
          world.service.tick();
          const [left] = world.store.listOpen();
          if (left !== undefined && world.service.asShown(left).waitsFor !== undefined) world.service.go('w');
          expectSound(world);
        }
      } finally {
        world.close();
      }
    }),
    { numRuns: rounds(200), seed: 19 },
  );
});

test('a group waits for a go, and for a decision where an earlier one failed', () => {
  const world = new World();
  try {
    const order = waveOrder(replicas, {
      groups: [
        { name: 'Databases', members: ['vm-0', 'vm-1'] },
        { name: 'Applications', needsGo: true, members: ['vm-2'] },
      ],
    });
    world.service.start({ wave: 'w', action: 'cut-over', atOnce: 4, options: {}, order });
    expect(world.runs.map(({ replicaId }) => replicaId)).toEqual(['rep-0', 'rep-1']);
    expect(() => world.service.go('w')).toThrowError(expect.objectContaining({ code: 'wave.no-go-due' }));
    world.runs[0]!.state = 'completed';
    world.runs[1]!.state = 'completed';
    world.service.tick();
    const shown = () => world.service.asShown(world.store.list('w', 1)[0]!);
    expect(shown().waitsFor).toEqual({ group: 1, name: 'Applications', reason: 'go' });
    world.service.go('w');
    expect(world.runs).toHaveLength(3);
    world.runs[2]!.state = 'failed';
    world.service.tick();
    expect(shown().waitsFor).toEqual({ group: 2, name: 'Other members', reason: 'failures' });
    world.service.retry('w');
    expect(world.runs.at(-1)).toMatchObject({ replicaId: 'rep-2', number: 2 });
    world.runs.at(-1)!.state = 'completed';
    world.service.tick();
    expect(shown().counts).toMatchObject({ completed: 3, running: 4 });
  } finally {
    world.close();
  }
});
