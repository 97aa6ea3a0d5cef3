import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './database.ts';
import { endpointStore, type EndpointStore } from './endpoints.ts';
import { eventStore, type EventStore } from './events.ts';
import { executionStore, type ExecutionStore } from './executions.ts';
import { ledgerEntryStore, type LedgerEntryStore } from './ledger-entries.ts';
import { replicaStore, type ReplicaStore } from './replicas.ts';
import { snapshotStore, type SnapshotStore } from './snapshots.ts';
import { taskStore, type TaskStore } from './tasks.ts';

/** What a project keeps, one part a table. The engine is its only writer. */
export interface Store {
  readonly db: DatabaseSync;
  readonly endpoints: EndpointStore;
  readonly replicas: ReplicaStore;
  readonly executions: ExecutionStore;
  readonly tasks: TaskStore;
  readonly events: EventStore;
  readonly ledger: LedgerEntryStore;
  readonly snapshots: SnapshotStore;
  close(): void;
}

/**
 * Opens the store in a project's state folder. `createTransferTables` makes the tables of replication, once.
 * @throws CausewayError `engine.database-unreadable`, `engine.database-version`
 */
export function openStore(folder: string, createTransferTables: (db: DatabaseSync) => void = () => undefined): Store {
  const db = openDatabase(folder, [{ number: 2, name: 'state of transfers', sql: '', run: createTransferTables }]);
  return {
    db,
    endpoints: endpointStore(db),
    replicas: replicaStore(db),
    executions: executionStore(db),
    tasks: taskStore(db),
    events: eventStore(db),
    ledger: ledgerEntryStore(db),
    snapshots: snapshotStore(db),
    close: () => db.close(),
  };
}
