import { expect, test } from 'vitest';
import { historyProblems, openLedgerEntries } from './history.ts';
import type { JournalRecord, StoredRecord } from './journal-record.ts';

const epoch = (number: number, id: string): JournalRecord => ({
  kind: 'epoch',
  epoch: number,
  member: { id, name: id },
  at: '',
});
const changes = (
  number: number,
  member: string,
  ...rows: readonly (readonly [string, Record<string, string | null>])[]
): JournalRecord => ({
  kind: 'changes',
  epoch: number,
  member,
  changes: rows.map(([table, row]) => ({ table, op: 'put', row })),
});
const stored = (...records: readonly JournalRecord[]): StoredRecord[] =>
  records.map((record, index) => ({ sequence: index + 1, record }));
const execution = (id: string, state: string) => ['executions', { id, replica_id: 'r', state }] as const;
const entry = (id: string, resource: string | null, state = 'existing') =>
  [
    'ledger',
    { entry_id: id, kind: 'volume', resource_id: resource, name: `name of ${id}`, lifetime: 'temporary', state },
  ] as const;

test('a history in which members follow each other has no problems', () => {
  const records = stored(
    epoch(1, 'a'),
    changes(1, 'a', execution('x', 'running'), entry('e', null, 'intended')),
    epoch(2, 'b'),
    changes(
      2,
      'b',
      entry('e', 'volume-1'),
      execution('x', 'completed'),
      execution('y', 'pending'),
      entry('e', 'volume-1', 'removed'),
    ),
  );
  expect(historyProblems(records)).toEqual([]);
  expect(openLedgerEntries(records)).toEqual([]);
  expect(openLedgerEntries(records.slice(0, 2))).toEqual([
    { name: 'name of e', kind: 'volume', lifetime: 'temporary', state: 'intended', execution: '' },
  ]);
});

test.each([
  [
    'a writer that was replaced',
    stored(epoch(1, 'a'), epoch(2, 'b'), changes(2, 'a')),
    'record 3: a writes in the epoch of b',
  ],
  [
    'a record of an earlier epoch',
    stored(epoch(1, 'a'), epoch(2, 'a'), changes(1, 'a')),
    'record 3: of epoch 1 within epoch 2',
  ],
  ['an epoch that two members began', stored(epoch(1, 'a'), epoch(1, 'b')), 'record 2: epoch 1 follows epoch 1'],
  [
    'a resource that is in two entries',
    stored(epoch(1, 'a'), changes(1, 'a', entry('e', 'v'), entry('f', 'v'))),
    'record 2: volume v is in entries e and f',
  ],
  [
    'two executions at the same time',
    stored(epoch(1, 'a'), changes(1, 'a', execution('x', 'running'), execution('y', 'running'))),
    'record 2: executions x, y are open at the same time',
  ],
  [
    'records out of order',
    [...stored(epoch(1, 'a')), { sequence: 1, record: changes(1, 'a') }],
    'record 1 comes after record 1',
  ],
])('finds %s', (_what, records, problem) => {
  expect(historyProblems(records)).toEqual([problem]);
});
