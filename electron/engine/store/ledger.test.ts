import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../ports/ledger.ts';
import { sideOf } from '../../../shared/model/ledger.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import type { Clock } from '../time/clock.ts';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
import { ledgerScope } from './ledger.ts';
import { openStore, type Store } from './store.ts';

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-ledger-'));
  store = openStore(folder, undefined, createHastyClock());
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const binding = { endpointId: 'ep', replicaId: 'rep', executionId: 'exe' };
const volume = { kind: 'volume', key: 'disk-0', lifetime: 'replica' } as const;

/** A cloud that names things and may lose its answers. */
function cloud() {
  const things = new Map<string, string>();
  let lose: 'nothing' | 'answer' | 'request' = 'nothing';
  let created = 0;
  return {
    things,
    failNext: (how: 'answer' | 'request') => (lose = how),
    how: {
      find: async (entry: LedgerEntry) =>
        [...things].filter(([, name]) => name === entry.name).map(([id]) => ({ id }))[0],
      get: async (id: string) => (things.has(id) ? { id } : undefined),
      create: async (entry: LedgerEntry) => {
        const fault = lose;
        lose = 'nothing';
        if (fault === 'request') throw new Error('not reached');
        const id = `vol-${(created += 1)}`;
        things.set(id, entry.name);
        if (fault === 'answer') throw new Error('answer lost');
        return { id };
      },
    },
    gone: {
      findId: async (entry: LedgerEntry) => [...things].find(([, name]) => name === entry.name)?.[0],
      remove: async (id: string) => void things.delete(id),
    },
  };
}

describe('ensuring a resource', () => {
  test('the intent is on disk before the platform is asked, the id after it answered', async () => {
    const { how } = cloud();
    let during: readonly LedgerEntry[] = [];
    const create = async (entry: LedgerEntry) => {
      const other = openStore(folder);
      during = other.ledger.list();
      other.close();
      return how.create(entry);
    };
    const { entry } = await ledgerScope(store.ledger, binding).ensure(volume, { ...how, create }, signal);
    expect(during).toMatchObject([{ state: 'intended', name: entry.name, key: 'disk-0' }]);
    expect(store.ledger.list()).toMatchObject([{ state: 'existing', resourceId: 'vol-1' }]);
  });

  test('the same key gives the same resource, in a later execution too', async () => {
    const { how } = cloud();
    await ledgerScope(store.ledger, binding).ensure(volume, how, signal);
    const again = await ledgerScope(store.ledger, { ...binding, executionId: 'exe-2' }).ensure(volume, how, signal);
    expect(again).toMatchObject({ resource: { id: 'vol-1' }, created: false });
  });

  test('what a lost answer left is adopted, not created twice', async () => {
    const { how, things, failNext } = cloud();
    failNext('answer');
    const scope = ledgerScope(store.ledger, binding);
    await expect(scope.ensure(volume, how, signal)).rejects.toThrow('answer lost');
    expect(await scope.ensure(volume, how, signal)).toMatchObject({ resource: { id: 'vol-1' }, created: true });
    expect(things.size).toBe(1);
  });

  test('what is gone on the platform is created anew', async () => {
    const { how, things } = cloud();
    const scope = ledgerScope(store.ledger, binding);
    await scope.ensure(volume, how, signal);
    things.clear();
    expect(await scope.ensure(volume, how, signal)).toMatchObject({ resource: { id: 'vol-2' }, created: true });
  });

  test('two at once for one key get one resource', async () => {
    const { how, things } = cloud();
    const scope = ledgerScope(store.ledger, binding);
    await Promise.all([scope.ensure(volume, how, signal), scope.ensure(volume, how, signal)]);
    expect(things.size).toBe(1);
  });

  test('temporary resources belong to one execution alone', async () => {
    const { how } = cloud();
    const worker = { kind: 'server', key: 'worker', lifetime: 'temporary' } as const;
    await ledgerScope(store.ledger, binding).ensure(worker, how, signal);
    const other = ledgerScope(store.ledger, { ...binding, executionId: 'exe-2' });
    expect(other.find('server', 'worker')).toBeUndefined();
    expect(await other.ensure(worker, how, signal)).toMatchObject({ created: true, resource: { id: 'vol-2' } });
  });

  test('source and destination of a replica see their own alone, even behind one endpoint', async () => {
    const { how } = cloud();
    const destination = ledgerScope(store.ledger, binding);
    const source = ledgerScope(store.ledger, { ...binding, side: 'source' });
    await destination.ensure(volume, how, signal);
    expect([source.list(), source.find('volume', 'disk-0')]).toEqual([[], undefined]);
    expect(await source.ensure(volume, how, signal)).toMatchObject({ created: true, resource: { id: 'vol-2' } });
    expect(await source.ensure(volume, how, signal)).toMatchObject({ created: false, resource: { id: 'vol-2' } });
    expect([...destination.list(), ...source.list()].map((entry) => entry.key)).toEqual(['disk-0', 'disk-0']);
    expect(store.ledger.list().map(sideOf)).toEqual(['destination', 'source']);
  });
});

describe('releasing a resource', () => {
  test('a mere intent is looked up by its name and removed', async () => {
    const { how, gone, things, failNext } = cloud();
    failNext('answer');
    const scope = ledgerScope(store.ledger, binding);
    await expect(scope.ensure(volume, how, signal)).rejects.toThrow();
    const [entry] = scope.list();
    if (entry !== undefined) await scope.release(entry, gone, signal);
    expect([things.size, store.ledger.list()]).toEqual([0, []]);
  });

  test('an interrupted removal stays visible and is ended later', async () => {
    const { how, gone, things } = cloud();
    const scope = ledgerScope(store.ledger, binding);
    const { entry } = await scope.ensure(volume, how, signal);
    await expect(
      scope.release(entry, { ...gone, remove: async () => Promise.reject(new Error('busy')) }, signal),
    ).rejects.toThrow('busy');
    expect(scope.list()).toMatchObject([{ state: 'removing', resourceId: 'vol-1' }]);
    await scope.release(entry, gone, signal);
    expect([things.size, scope.list()]).toEqual([0, []]);
  });
});

test('whatever gets lost, in any order: never two resources for one key, and none that the ledger does not know', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('ok', 'answer', 'request', 'vanish', 'release'), { maxLength: 12 }),
      async (steps) => {
        const { how, gone, things, failNext } = cloud();
        const scope = ledgerScope(store.ledger, { ...binding, replicaId: `rep-${Math.random()}` });
        for (const step of steps) {
          if (step === 'answer' || step === 'request') failNext(step);
          if (step === 'vanish') things.clear();
          if (step === 'release') for (const entry of scope.list()) await scope.release(entry, gone, signal);
          else await scope.ensure(volume, how, signal).catch(() => undefined);
          expect(things.size).toBeLessThanOrEqual(1);
          const known = scope.list().map((entry) => entry.name);
          for (const name of things.values()) expect(known).toContain(name);
        }
      },
    ),
    { numRuns: rounds(60) },
  );
});

/** A cloud whose creations land late, whose list lags behind them, and a laptop whose clock is set meanwhile. */
function laggingWorld() {
  let now = 0;
  let wallAhead = 0;
  const things = new Map<string, { readonly name: string; readonly listedFrom: number }>();
  const clock: Clock = {
    monotonic: () => now,
    wallTime: () => Date.now() + now + wallAhead,
    sleep: async (ms) => void (now += ms),
    after: () => () => undefined,
  };
  let made = 0;
  const listed = (name: string): string | undefined =>
    [...things].find(([, thing]) => thing.name === name && thing.listedFrom <= now)?.[0];
  return {
    clock,
    things,
    pass: (ms: number) => (now += ms),
    setWallClock: (ms: number) => (wallAhead += ms),
    find: async (entry: LedgerEntry) => {
      const id = listed(entry.name);
      return id === undefined ? undefined : { id };
    },
    get: async (id: string) => ((things.get(id)?.listedFrom ?? Infinity) <= now ? { id } : undefined),
    /** Carries a request out; lists show what it made after `lagMs`. */
    post(entry: LedgerEntry, lagMs: number): { id: string } {
      const id = `made-${(made += 1)}`;
      things.set(id, { name: entry.name, listedFrom: now + lagMs });
      return { id };
    },
    findId: async (entry: LedgerEntry) => listed(entry.name),
    remove: async (id: string) => void things.delete(id),
  };
}

const lagMs = fc.integer({ min: 0, max: 29_000 });
const histories = fc.array(
  fc.oneof(
    fc.record({ step: fc.constant('ensure' as const), lagMs }),
    fc.record({ step: fc.constant('ensure, answer lost' as const), lagMs }),
    fc.record({ step: fc.constant('ensure, refused' as const) }),
    fc.record({ step: fc.constant('killed in the request' as const), lagMs }),
    fc.record({ step: fc.constant('release' as const) }),
    fc.record({ step: fc.constant('killed while looking' as const) }),
    fc.record({ step: fc.constant('restart' as const) }),
    fc.record({ step: fc.constant('time passes' as const), ms: fc.integer({ min: 0, max: 60_000 }) }),
    fc.record({ step: fc.constant('clock is set' as const), ms: fc.constantFrom(-3_600_000, 3_600_000) }),
  ),
  { maxLength: 14 },
);

test('lists that lag, kills in the middle of requests, restarts, set clocks: no resource exists that the ledger calls removed or does not know', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const world = laggingWorld();
      const { clock, find, get, findId, remove } = world;
      const own = mkdtempSync(join(tmpdir(), 'causeway-ledger-'));
      let life = openStore(own, undefined, clock);
      const restart = (): void => {
        life.close();
        life = openStore(own, undefined, clock);
      };
      const scope = () => ledgerScope(life.ledger, binding);
      /** A life that ends within a call of the platform: what waits for that never goes on. */
      const killedIn = (work: (dying: (entry: LedgerEntry) => Promise<never>) => Promise<unknown>): Promise<void> =>
        new Promise(
          (resolve) =>
            void work((_entry) => (resolve(), new Promise<never>(() => undefined))).then(
              () => resolve(),
              () => resolve(),
            ),
        );
      try {
        for (const event of history) {
          if (event.step === 'ensure')
            await scope().ensure(
              volume,
              { find, get, create: async (entry) => world.post(entry, event.lagMs) },
              signal,
            );
          else if (event.step === 'ensure, answer lost') {
            const create = async (entry: LedgerEntry): Promise<never> => {
              world.post(entry, event.lagMs);
              throw new Error('answer lost');
            };
            await scope()
              .ensure(volume, { find, get, create }, signal)
              .catch(() => undefined);
          } else if (event.step === 'ensure, refused') {
            const create = async (): Promise<never> => {
              throw new CausewayError('cloud.quota-exceeded', 'no more', { details: { status: 403 } });
            };
            await scope()
              .ensure(volume, { find, get, create }, signal)
              .catch(() => undefined);
          } else if (event.step === 'killed in the request') {
            await killedIn((dying) =>
              scope().ensure(
                volume,
                { find, get, create: (entry) => (world.post(entry, event.lagMs), dying(entry)) },
                signal,
              ),
            );
            restart();
          } else if (event.step === 'release')
            for (const entry of scope().list()) await scope().release(entry, { findId, remove }, signal);
          else if (event.step === 'killed while looking') {
            for (const entry of scope().list())
              await killedIn((dying) =>
                scope().release(entry, { findId: dying, remove: (_id, removing) => dying(removing) }, signal),
              );
            restart();
          } else if (event.step === 'restart') restart();
          else if (event.step === 'time passes') world.pass(event.ms);
          else world.setWallClock(event.ms);
          const known = new Set(life.ledger.list().map(({ name }) => name));
          expect([...world.things.values()].filter(({ name }) => !known.has(name))).toEqual([]);
          const live = life.ledger
            .list()
            .filter(({ state }) => state !== 'removing')
            .map(({ name }) => name);
          expect([...world.things.values()].filter(({ name }) => live.includes(name)).length).toBeLessThanOrEqual(1);
        }
        for (const entry of scope().list()) await scope().release(entry, { findId, remove }, signal);
        expect([world.things.size, life.ledger.list()]).toEqual([0, []]);
      } finally {
        life.close();
        rmSync(own, { recursive: true, force: true });
      }
    }),
    { numRuns: rounds(80) },
  );
});

test('a creation that was surely refused is not waited for', async () => {
  const world = laggingWorld();
  const lives = openStore(folder, undefined, world.clock);
  const scope = ledgerScope(lives.ledger, binding);
  const create = async (): Promise<never> => {
    throw new CausewayError('cloud.quota-exceeded', 'no more', { details: { status: 403 } });
  };
  await expect(scope.ensure(volume, { ...world, create }, signal)).rejects.toThrow('no more');
  for (const entry of scope.list()) await scope.release(entry, world, signal);
  expect([world.clock.monotonic(), lives.ledger.list()]).toEqual([0, []]);
  lives.close();
});
