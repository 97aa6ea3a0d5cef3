import { expect, test } from 'vitest';
import type { LedgerEntry, LedgerScope } from '../ports/ledger.ts';
import { dropUnreachableWorker } from './worker-server.ts';
import type { WorkerKeyRing, WorkerKeys } from './worker-entries.ts';

const entry = (entryId: string, state: LedgerEntry['state'], key = 'worker/disk-copy/server', kind: LedgerEntry['kind'] = 'server'): LedgerEntry => ({
  entryId, endpointId: 'e', kind, key, name: entryId, lifetime: 'temporary', state, resourceId: entryId, details: {}, createdAt: '',
});

test('before a worker starts, those go that nobody can enter, and all whose deletion was interrupted, servers first', async () => {
  const entries = [
    entry('old-rule', 'removing', 'worker/disk-copy/rule/22', 'security-group-rule'), entry('group', 'existing', 'worker/disk-copy/group', 'security-group'),
    entry('known', 'existing'), entry('lost', 'existing'), entry('half-deleted', 'removing'), entry('gone', 'removed'), entry('other-role', 'removing', 'worker/osmorphing/server'),
  ];
  const released: string[] = [];
  const ledger = { list: () => entries, release: async ({ name }: LedgerEntry) => void released.push(name) } as unknown as LedgerScope;
  const deleter = { findId: async () => undefined, isThere: async () => false, remove: async () => undefined };
  const keyRing: WorkerKeyRing = new Map([['known', {} as WorkerKeys]]);
  await dropUnreachableWorker({ deleterFor: () => deleter }, keyRing, { ledger, note: () => undefined }, 'disk-copy', new AbortController().signal);
  expect(released).toEqual(['lost', 'half-deleted', 'old-rule']);
});
