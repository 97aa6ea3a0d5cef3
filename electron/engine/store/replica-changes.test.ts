import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noFleet } from '../ports/replica-fleet.ts';
import { inTransaction } from './database.ts';
import { replicaChanges, type ReplicaChanges } from './replica-changes.ts';
import { openStore, type Store } from './store.ts';

describe('the changes of replicas', () => {
  let folder: string;
  const stores: Store[] = [];
  function engine(name: string): { store: Store; changes: ReplicaChanges } {
    const store = openStore(mkdtempSync(join(folder, name)));
    stores.push(store);
    store.db.exec(`INSERT INTO endpoints VALUES ('end', 'end', 'x', '{}', 't', 't');
      INSERT INTO replicas (id, name, source_endpoint_id, destination_endpoint_id, vm_id, vm_name, source_environment, destination_environment, created_at)
      VALUES ('web', 'web', 'end', 'end', 'v', 'v', '{}', '{}', 't'), ('db', 'db', 'end', 'end', 'v', 'v', '{}', '{}', 't')`);
    return { store, changes: replicaChanges(store.db) };
  }
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'causeway-changes-'))));
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
    rmSync(folder, { recursive: true });
  });

  function execute({ store }: { store: Store }): void {
    store.executions.add({ id: 'exe', replicaId: 'web', options: {}, createdAt: 't' });
    store.tasks.plan('exe', [{ id: 'copy', title: 'Copy', cleanUp: false }]);
    store.executions.setState('exe', 'running');
    store.ledger.add({
      entryId: 'res',
      endpointId: 'end',
      replicaId: 'web',
      kind: 'volume',
      key: 'disk-0',
      name: 'causeway-res',
      lifetime: 'replica',
      state: 'intended',
      details: { size: 1 },
      createdAt: 't',
    } as never);
    store.events.append({ type: 'note', replicaId: 'web', executionId: 'exe', message: 'copying', details: {} });
  }

  it('make another store the same, which does not take them for its own', () => {
    const [one, two] = [engine('one'), engine('two')];
    execute(one);
    const { upTo, changes } = one.changes.pending('web', 100);
    two.changes.apply('web', changes, { sequence: 7, epoch: 2 });
    expect(two.store.executions.find('exe')).toEqual(one.store.executions.find('exe'));
    expect(two.store.tasks.list('exe')).toEqual(one.store.tasks.list('exe'));
    expect(two.store.ledger.list().map(({ name, state }) => [name, state])).toEqual([['causeway-res', 'intended']]);
    expect(two.store.events.listAfter(0, { limit: 10 }).map(({ message }) => message)).toEqual(['copying']);
    expect([two.changes.pendingReplicas(), two.changes.position('web')]).toEqual([[], { sequence: 7, epoch: 2 }]);
    one.changes.appended('web', upTo, { sequence: 7, epoch: 2 });
    expect(one.changes.pendingReplicas()).toEqual([]);
    // As a whole, for the first record of a journal, they say the same.
    const three = engine('three');
    three.changes.apply('web', one.changes.snapshot('web'), { sequence: 1, epoch: 1 });
    expect(three.store.tasks.list('exe')).toEqual(one.store.tasks.list('exe'));
  });

  it('say nothing of another replica than the one that they are recorded of', () => {
    const [one, two] = [engine('one'), engine('two')];
    execute(one);
    const { changes } = one.changes.pending('web', 100);
    two.changes.apply('db', changes, { sequence: 7, epoch: 2 });
    expect([
      two.store.executions.find('exe'),
      two.store.ledger.list(),
      two.store.events.listAfter(0, { limit: 10 }),
    ]).toEqual([undefined, [], []]);
    two.changes.apply('web', changes, { sequence: 8, epoch: 2 });
    two.changes.apply(
      'db',
      changes.map(({ table, row }) => ({ table, row, op: 'delete' })),
      { sequence: 9, epoch: 2 },
    );
    expect(two.store.ledger.list().map(({ name }) => name)).toEqual(['causeway-res']);
    expect(two.store.tasks.list('exe')).toEqual(one.store.tasks.list('exe'));
  });

  it("bring the marks of other members, under which resources are this store's as well", () => {
    const { store, changes } = engine('one');
    const { mark } = store.identity.ownership();
    store.joinFleet(noFleet, changes.marks);
    changes.noteMarks(['other.1', 'other.1']);
    expect(store.ledger.ownership()).toEqual({ mark, former: ['other.1'] });
    expect(replicaChanges(store.db).marks()).toEqual(['other.1']);
  });

  it('are recorded with what they change, or not at all, and each for its replica', () => {
    const { store, changes } = engine('one');
    expect(() =>
      inTransaction(store.db, () => {
        store.executions.add({ id: 'exe', replicaId: 'db', options: {}, createdAt: 't' });
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(changes.pendingReplicas()).toEqual([]);
    store.executions.add({ id: 'exe', replicaId: 'db', options: {}, createdAt: 't' });
    expect(changes.pendingReplicas()).toEqual(['db']);
    expect(changes.pending('web', 10).changes).toEqual([]);
  });

  it('come in parts that fit, the first one always', () => {
    const one = engine('one');
    execute(one);
    const all = one.changes.pending('web', 100).changes;
    expect(one.changes.pending('web', 2).changes).toEqual(all.slice(0, 2));
    expect(one.changes.pending('web', 100, 1).changes).toEqual(all.slice(0, 1));
  });

  it('are forgotten with everything of the replica but its description', () => {
    const one = engine('one');
    execute(one);
    one.changes.forget('web');
    expect([
      one.store.executions.find('exe'),
      one.store.ledger.list({ removed: true }),
      one.store.events.listAfter(0, { limit: 10 }),
      one.changes.pendingReplicas(),
    ]).toEqual([undefined, [], [], []]);
    expect(one.store.replicas.find('web')?.name).toBe('web');
    expect(one.changes.position('web')).toEqual({ sequence: 0, epoch: 0 });
  });

  it('of tables that this version does not know are not needed', () => {
    const { changes } = engine('one');
    changes.apply('web', [{ table: 'of_a_later_version', op: 'put', row: { id: 'x' } }], { sequence: 1, epoch: 1 });
    expect(changes.position('web').sequence).toBe(1);
  });
});
