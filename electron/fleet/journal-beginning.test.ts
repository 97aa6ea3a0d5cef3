import { describe, expect, it } from 'vitest';
import { begun } from './journal-beginning.ts';
import type { JournalRecord, StoredRecord } from './journal-record.ts';

const epoch = (number: number, begins?: number): JournalRecord => ({
  kind: 'epoch',
  epoch: number,
  member: { id: `m${number}`, name: 'm' },
  at: '',
  ...(begins === undefined ? {} : { begins }),
});
const changes = (number: number): JournalRecord => ({
  kind: 'changes',
  epoch: number,
  member: `m${number}`,
  changes: [],
});
const journal = (...records: JournalRecord[]): StoredRecord[] =>
  records.map((record, index) => ({ sequence: index + 1, record }));
const sequences = (records: readonly StoredRecord[]): number[] => begun(records).map(({ sequence }) => sequence);

describe('a journal', () => {
  it.each([
    ['nothing was recorded', journal(), []],
    ['everything from before is there', journal(epoch(1, 2), changes(1), changes(1), changes(1)), [1, 2, 3, 4]],
    ['there was nothing before', journal(epoch(1, 0)), [1]],
    ['a part from before is missing', journal(epoch(1, 2), changes(1)), []],
    ['another member began again', journal(epoch(1, 2), changes(1), epoch(2, 1), changes(2), epoch(3)), [3, 4, 5]],
    ['nobody came further', journal(epoch(1, 2), changes(1), epoch(2, 1)), []],
  ])('where %s', (_case, records, expected) => expect(sequences(records)).toEqual(expected));
});
