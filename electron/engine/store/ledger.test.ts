import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../ports/ledger.ts';
import { sideOf } from '../../../shared/model/ledger.ts';
import { ledgerScope } from './ledger.ts';
import { openStore, type Store } from './store.ts';

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-ledger-'));
  store = openStore(folder);
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
      find: async (entry: LedgerEntry) => [...things].filter(([, name]) => name === entry.name).map(([id]) => ({ id }))[0],
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
    await expect(scope.release(entry, { ...gone, remove: async () => Promise.reject(new Error('busy')) }, signal)).rejects.toThrow('busy');
    expect(scope.list()).toMatchObject([{ state: 'removing', resourceId: 'vol-1' }]);
    await scope.release(entry, gone, signal);
    expect([things.size, scope.list()]).toEqual([0, []]);
  });
});

test('whatever gets lost, in any order: never two resources for one key, and none that the ledger does not know', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('ok', 'answer', 'request', 'vanish', 'release'), { maxLength: 12 }), async (steps) => {
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
    }),
    { numRuns: 60 },
  );
});
