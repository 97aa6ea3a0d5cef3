import { DatabaseSync } from 'node:sqlite';
import type { Ownership } from '../ports/ledger.ts';
import type { ReplicaFleet } from '../ports/replica-fleet.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { lifeRecordStore, type LifeRecordStore } from './life-records.ts';
import { openDatabase } from './database.ts';
import { bandwidthLimitStore, type BandwidthLimitStore } from './bandwidth-limit.ts';
import { deploymentStore, type DeploymentStore } from './deployments.ts';
import { describedStore, type DescribedStore } from './described.ts';
import { endpointStore, type EndpointStore } from './endpoints.ts';
import { eventStore, type EventStore } from './events.ts';
import { executionRateStore, type ExecutionRateStore } from './execution-rates.ts';
import { executionStore, type ExecutionStore } from './executions.ts';
import { guestInspectionStore, type GuestInspectionStore } from './guest-inspections.ts';
import { ledgerEntryStore, type LedgerEntryStore } from './ledger-entries.ts';
import { notificationOutbox, type NotificationOutbox } from './notification-outbox.ts';
import { ownVmStore, type OwnVmStore } from './own-vms.ts';
import { progressByDayStore, type ProgressByDayStore } from './progress-by-day.ts';
import { queueLimitStore, type QueueLimitStore } from './queue-limit.ts';
import { replicaStore, type ReplicaStore } from './replicas.ts';
import { snapshotStore, type SnapshotStore } from './snapshots.ts';
import { storeIdentity, thisComputer, type Computer, type StoreIdentity } from './store-identity.ts';
import { taskStore, type TaskStore } from './tasks.ts';
import { waveCalendarStore, type WaveCalendarStore } from './wave-calendar.ts';
import { waveFactsStore, type WaveFactsStore } from './wave-facts.ts';
import { waveRunStore, type WaveRunStore } from './wave-runs.ts';
import { workerPoolSettingsStore, type WorkerPoolSettingsStore } from './worker-pool-settings.ts';

/** What a project keeps, one part a table. The engine is its only writer. */
export interface Store {
  readonly db: DatabaseSync;
  readonly identity: StoreIdentity;
  readonly endpoints: EndpointStore;
  readonly replicas: ReplicaStore;
  readonly executions: ExecutionStore;
  readonly tasks: TaskStore;
  readonly rates: ExecutionRateStore;
  readonly deployments: DeploymentStore;
  readonly deploymentTasks: TaskStore;
  readonly events: EventStore;
  readonly ledger: LedgerEntryStore;
  readonly snapshots: SnapshotStore;
  readonly queueLimit: QueueLimitStore;
  readonly bandwidthLimit: BandwidthLimitStore;
  readonly workerPool: WorkerPoolSettingsStore;
  readonly ownVms: OwnVmStore;
  readonly described: DescribedStore;
  readonly waveRuns: WaveRunStore;
  readonly waveFacts: WaveFactsStore;
  readonly progressByDay: ProgressByDayStore;
  readonly life: LifeRecordStore;
  readonly waveCalendar: WaveCalendarStore;
  readonly guestInspections: GuestInspectionStore;
  readonly notifications: NotificationOutbox;
  /** From now on requests of replicas wait until others could continue from what was recorded, and what other members have marked is this store's as well. */
  joinFleet(fleet: Pick<ReplicaFleet, 'settled' | 'claimed' | 'epoch'>, marks: () => readonly string[]): void;
  close(): void;
}

/**
 * Opens the store in a project's state folder. `createTransferTables` makes the tables of replication, once.
 * @param clock for pauses between queries of platforms
 * @throws CausewayError `engine.database-unreadable`, `engine.database-version`
 */
export function openStore(
  folder: string,
  createTransferTables: (db: DatabaseSync) => void = () => undefined,
  clock: Clock = systemClock,
  computer: Computer = thisComputer(),
): Store {
  const db = openDatabase(folder, [{ number: 2, name: 'state of transfers', sql: schemaOf(createTransferTables) }]);
  const identity = storeIdentity(db, computer);
  let fleet: Pick<ReplicaFleet, 'settled' | 'claimed' | 'epoch'> | undefined;
  let fleetMarks = (): readonly string[] => [];
  const ownership = (): Ownership => {
    const { mark, former } = identity.ownership();
    return { mark, former: [...former, ...fleetMarks()] };
  };
  return {
    db,
    identity,
    endpoints: endpointStore(db),
    replicas: replicaStore(db),
    executions: executionStore(db),
    tasks: taskStore(db),
    rates: executionRateStore(db),
    deployments: deploymentStore(db),
    deploymentTasks: taskStore(db, 'deployments'),
    events: eventStore(db),
    ledger: ledgerEntryStore(db, clock, ownership, () => fleet),
    snapshots: snapshotStore(db),
    queueLimit: queueLimitStore(db),
    bandwidthLimit: bandwidthLimitStore(db),
    workerPool: workerPoolSettingsStore(db),
    ownVms: ownVmStore(db, computer),
    described: describedStore(db),
    waveRuns: waveRunStore(db),
    waveFacts: waveFactsStore(db),
    progressByDay: progressByDayStore(db),
    life: lifeRecordStore(db),
    waveCalendar: waveCalendarStore(db),
    guestInspections: guestInspectionStore(db),
    notifications: notificationOutbox(db),
    joinFleet(joined, marks) {
      fleet = joined;
      fleetMarks = marks;
    },
    close: () => db.close(),
  };
}

/** The statements that `create` amounts to, so that a change of them is noticed in databases that have the former ones. */
function schemaOf(create: (db: DatabaseSync) => void): string {
  const scratch = new DatabaseSync(':memory:');
  create(scratch);
  const rows = scratch
    .prepare(
      `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all();
  scratch.close();
  return rows.map((row) => `${String(row['sql'])};\n`).join('');
}
