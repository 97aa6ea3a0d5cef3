import { expect, test } from 'vitest';
import type { LedgerEntry, LedgerScope, ResourceKind } from '../ports/ledger.ts';
import { stopWorker } from './stop-worker.ts';

test('the server goes before everything that it may use, whatever kind that is', async () => {
  const kinds: readonly ResourceKind[] = [
    'key-pair',
    'image',
    'other',
    'volume-backup',
    'volume-snapshot',
    'security-group',
    'nic',
    'public-ip',
    'volume',
    'server',
    'attachment',
  ];
  const entries = kinds.map((kind): LedgerEntry => ({
    entryId: kind,
    endpointId: 'e',
    kind,
    key: `worker/disk-copy/${kind}`,
    name: kind,
    lifetime: 'temporary',
    state: 'existing',
    resourceId: kind,
    details: {},
    createdAt: '',
  }));
  const removed: string[] = [];
  const ledger = {
    list: () => entries,
    release: async (entry: LedgerEntry) => void removed.push(entry.kind),
  } as unknown as LedgerScope;
  const deleter = { findId: async () => undefined, isThere: async () => false, remove: async () => undefined };
  await stopWorker({ deleterFor: () => deleter }, new Map(), { ledger }, 'disk-copy', new AbortController().signal);
  expect(removed.slice(0, 3)).toEqual(['attachment', 'server', 'volume']);
  expect(removed).toHaveLength(kinds.length);
});
