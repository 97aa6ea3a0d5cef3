import type { FleetHistory } from '../../shared/model/fleet.ts';
import { begun } from './journal-beginning.ts';
import type { StoredRecord } from './journal-record.ts';

/**
 * Reads the journal of one replica and says what must not have happened in it: an epoch with two writers, an epoch that goes back, a resource
 * of the ledger that was created twice, executions that overlap. Empty where all is as it has to be.
 */
export function historyProblems(records: readonly StoredRecord[]): string[] {
  const problems: string[] = [];
  let sequence = 0;
  let epoch = 0;
  let writer = '';
  const open = new Map<string, string>();
  const resources = new Map<string, string>();
  for (const { sequence: at, record } of records) {
    if (at <= sequence) problems.push(`record ${at} comes after record ${sequence}`);
    sequence = at;
    if (record.kind === 'epoch') {
      if (record.epoch !== epoch + 1) problems.push(`record ${at}: epoch ${record.epoch} follows epoch ${epoch}`);
      ({ epoch } = record);
      writer = record.member.id;
      if (record.begins !== undefined) {
        // Whoever began before had not recorded everything when it ended: this is where the journal begins.
        open.clear();
        resources.clear();
      }
      continue;
    }
    if (record.epoch !== epoch) problems.push(`record ${at}: of epoch ${record.epoch} within epoch ${epoch}`);
    if (record.member !== writer) problems.push(`record ${at}: ${record.member} writes in the epoch of ${writer}`);
    for (const { table, op, row } of record.changes) {
      const id = String(row['id'] ?? row['entry_id'] ?? '');
      if (table === 'executions' && op === 'put') {
        if (['pending', 'running', 'cancelling', 'interrupted'].includes(String(row['state'])))
          open.set(id, String(row['replica_id']));
        else open.delete(id);
        if (open.size > 1)
          problems.push(`record ${at}: executions ${[...open.keys()].join(', ')} are open at the same time`);
      }
      if (table === 'ledger' && op === 'put' && row['resource_id'] !== null && row['resource_id'] !== undefined) {
        const resource = `${String(row['kind'])} ${String(row['resource_id'])}`;
        const entry = resources.get(resource);
        if (entry !== undefined && entry !== id)
          problems.push(`record ${at}: ${resource} is in entries ${entry} and ${id}`);
        resources.set(resource, id);
      }
    }
  }
  return problems;
}

export interface OpenEntry {
  readonly name: string;
  readonly kind: string;
  readonly lifetime: string;
  readonly state: string;
  /** Empty: of no execution. */
  readonly execution: string;
}

/** Entries of the ledger that the journal leaves open. */
export function openLedgerEntries(records: readonly StoredRecord[]): readonly OpenEntry[] {
  const entries = new Map<string, OpenEntry>();
  for (const { record } of records) {
    for (const { table, op, row } of record.kind === 'changes' ? record.changes : []) {
      if (table !== 'ledger') continue;
      const text = (column: string): string => String(row[column] ?? '');
      if (op === 'put')
        entries.set(text('entry_id'), {
          name: text('name'),
          kind: text('kind'),
          lifetime: text('lifetime'),
          state: text('state'),
          execution: text('execution_id'),
        });
      else entries.delete(text('entry_id'));
    }
  }
  return [...entries.values()].filter(({ state }) => state !== 'removed');
}

/** What people are told of the journal of a replica. */
export function replicaHistory(records: readonly StoredRecord[]): Omit<FleetHistory, 'replicaId'> {
  return {
    records: records.length,
    epochs: records.filter(({ record }) => record.kind === 'epoch').length,
    problems: historyProblems(records),
    left: openLedgerEntries(begun(records))
      .filter(({ lifetime }) => lifetime === 'temporary')
      .map(({ name }) => name),
  };
}
