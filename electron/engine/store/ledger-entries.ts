import type { DatabaseSync } from 'node:sqlite';
import type { LedgerEntry, Ownership } from '../ports/ledger.ts';
import type { ReplicaFleet } from '../ports/replica-fleet.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import type { Clock } from '../time/clock.ts';
import { json, optionalText, text, type Row } from './rows.ts';

export type LedgerEntryStore = ReturnType<typeof ledgerEntryStore>;

/** The rows of the ledger. The rules of their use are in `ledger.ts`. */
export function ledgerEntryStore(
  db: DatabaseSync,
  clock: Clock,
  ownership: () => Ownership,
  fleet: () => Pick<ReplicaFleet, 'settled' | 'claimed' | 'epoch'> | undefined = () => undefined,
) {
  const openedAt = clock.monotonic();
  const asked = new Map<string, number>();
  const insert = db.prepare('INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const setState = db.prepare(
    'UPDATE ledger SET state = ?, resource_id = ifnull(?, resource_id), updated_at = ? WHERE entry_id = ?',
  );
  const byId = db.prepare('SELECT * FROM ledger WHERE entry_id = ?');
  const open = db.prepare(`SELECT * FROM ledger WHERE state <> 'removed' ORDER BY created_at, rowid`);
  const all = db.prepare('SELECT * FROM ledger ORDER BY created_at, rowid');
  /** Entries of deleted resources that the store still lists. */
  const unwritten = new Set<string>();
  const flush = (): void => {
    try {
      for (const entryId of unwritten) {
        setState.run('removed', null, new Date().toISOString(), entryId);
        unwritten.delete(entryId);
      }
    } catch (error) {
      if (systemFailure(error) === undefined) throw error;
    }
  };
  const owned = (row: Row): LedgerEntry => ({ ...fromRow(row), owner: ownership() });
  return {
    clock,
    ownership,
    /** To be awaited before a platform is asked to create or remove something: what was recorded has to be known to whoever continues. */
    async settled(replicaId: string | undefined, signal: AbortSignal): Promise<void> {
      if (replicaId !== undefined) await fleet()?.settled(replicaId, signal);
    },
    /** What has to hold when a request of a replica's run begins. */
    claimed: (replicaId: string): (() => void) => fleet()?.claimed(replicaId) ?? (() => undefined),
    /** Number of the claim under which this engine works on a replica; 0 where it has its project for itself. */
    epoch: (replicaId: string): number => fleet()?.epoch(replicaId) ?? 0,
    /** When the platform was last asked to create the entry's resource, by the monotonic clock, at the latest. */
    lastAsked: (entryId: string): number => asked.get(entryId) ?? openedAt,
    /** Records that the platform is queried now, or (`at`) when it was last queried. */
    setAsked(entryId: string, at = clock.monotonic()): void {
      asked.set(entryId, at);
    },
    add(entry: LedgerEntry): void {
      insert.run(
        entry.entryId,
        entry.endpointId,
        entry.replicaId ?? null,
        entry.executionId ?? null,
        entry.kind,
        entry.key,
        entry.name,
        entry.lifetime,
        entry.state,
        entry.resourceId ?? null,
        JSON.stringify(entry.details),
        entry.createdAt,
        entry.createdAt,
      );
    },
    /** Moves an entry on, durably, and returns it as it now is. */
    setState(entry: LedgerEntry, state: LedgerEntry['state'], resourceId?: string): LedgerEntry {
      setState.run(state, resourceId ?? null, new Date().toISOString(), entry.entryId);
      return { ...entry, state, ...(resourceId === undefined ? {} : { resourceId }) };
    },
    /** The same for what was removed from its platform: where the store can't take it now, it is written with what comes later. */
    setRemoved(entry: LedgerEntry): void {
      unwritten.add(entry.entryId);
      flush();
    },
    find(entryId: string): LedgerEntry | undefined {
      flush();
      const row = byId.get(entryId);
      return row === undefined ? undefined : owned(row);
    },
    /** Everything that exists or may exist; with `removed`, the history as well. */
    list(options: { removed?: boolean } = {}): LedgerEntry[] {
      flush();
      return (options.removed === true ? all : open).all().map(owned);
    },
  };
}

function fromRow(row: Row): LedgerEntry {
  return {
    entryId: text(row, 'entry_id'),
    endpointId: text(row, 'endpoint_id'),
    ...optionalText(row, 'replica_id', 'replicaId'),
    ...optionalText(row, 'execution_id', 'executionId'),
    kind: text(row, 'kind') as LedgerEntry['kind'],
    key: text(row, 'key'),
    name: text(row, 'name'),
    lifetime: text(row, 'lifetime') as LedgerEntry['lifetime'],
    state: text(row, 'state') as LedgerEntry['state'],
    ...optionalText(row, 'resource_id', 'resourceId'),
    details: json(row, 'details'),
    createdAt: text(row, 'created_at'),
  };
}
