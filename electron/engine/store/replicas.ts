import type { DatabaseSync } from 'node:sqlite';
import type { Replica, ReplicaDisk } from '../../../shared/model/replica.ts';
import { keptUntilChange } from './kept-until-change.ts';
import { integer, json, optionalJson, optionalText, text, type Row } from './rows.ts';

export type ReplicaStore = ReturnType<typeof replicaStore>;

/** What a replica's row itself holds; disks and the last execution are looked up. */
export type NewReplica = Omit<Replica, 'disks' | 'lastSuccess' | 'lastExecutionId'>;

/** Replicas and what is known of their disks' volumes. */
export function replicaStore(db: DatabaseSync) {
  const insert =
    db.prepare(`INSERT INTO replicas (id, name, source_endpoint_id, destination_endpoint_id, vm_id, vm_name,
    source_environment, destination_environment, provider_configuration, created_at, wave, cleared, checks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const update =
    db.prepare(`UPDATE replicas SET name = ?, source_environment = ?, destination_environment = ?, provider_configuration = ?,
    wave = ?, cleared = ?, checks = ? WHERE id = ?`);
  const select = `SELECT r.*, (SELECT e.id FROM executions e WHERE e.replica_id = r.id ORDER BY number DESC LIMIT 1) AS last_execution_id
    FROM replicas r`;
  const byId = db.prepare(`${select} WHERE r.id = ?`);
  const byName = db.prepare(`${select} WHERE r.name = ?`);
  const all = db.prepare(`${select} ORDER BY r.name`);
  const remove = db.prepare('DELETE FROM replicas WHERE id = ?');
  const succeeded = db.prepare('UPDATE replicas SET last_success = ? WHERE id = ?');
  const disksOf = db.prepare('SELECT * FROM replica_disks WHERE replica_id = ? ORDER BY rowid');
  const allDisks = db.prepare('SELECT * FROM replica_disks ORDER BY rowid');
  const putDisk =
    db.prepare(`INSERT INTO replica_disks (replica_id, disk_id, size_bytes, volume_id, first_written_from) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (replica_id, disk_id) DO UPDATE SET size_bytes = excluded.size_bytes, volume_id = excluded.volume_id,
      first_written_from = CASE WHEN volume_id IS excluded.volume_id THEN first_written_from ELSE excluded.first_written_from END,
      synchronised_by = CASE WHEN volume_id IS excluded.volume_id THEN synchronised_by ELSE NULL END,
      synchronised_to = CASE WHEN volume_id IS excluded.volume_id THEN synchronised_to ELSE NULL END`);
  const replaceVolume = db.prepare('UPDATE replica_disks SET volume_id = ? WHERE replica_id = ? AND disk_id = ?');
  const forgetVolumes =
    db.prepare(`UPDATE replica_disks SET volume_id = NULL, first_written_from = NULL, synchronised_by = NULL,
    synchronised_to = NULL WHERE replica_id = ?`);
  const neverSucceeded = db.prepare('UPDATE replicas SET last_success = NULL WHERE id = ?');
  const firstWritten = db.prepare('SELECT first_written_from FROM replica_disks WHERE replica_id = ? AND disk_id = ?');
  const setFirstWritten = db.prepare(
    'UPDATE replica_disks SET first_written_from = ? WHERE replica_id = ? AND disk_id = ?',
  );
  const synchronised = db.prepare(
    `UPDATE replica_disks SET synchronised_by = ?, synchronised_to = ?, first_written_from = '' WHERE replica_id = ? AND disk_id = ?`,
  );

  function fromRow(row: Row, disks: readonly Row[]): Replica {
    return {
      id: text(row, 'id'),
      name: text(row, 'name'),
      sourceEndpointId: text(row, 'source_endpoint_id'),
      destinationEndpointId: text(row, 'destination_endpoint_id'),
      vmId: text(row, 'vm_id'),
      vmName: text(row, 'vm_name'),
      sourceEnvironment: json(row, 'source_environment'),
      destinationEnvironment: json(row, 'destination_environment'),
      ...optionalText(row, 'provider_configuration', 'providerConfiguration'),
      ...optionalText(row, 'wave', 'wave'),
      ...optionalJson<NonNullable<Replica['cleared']>, 'cleared'>(row, 'cleared', 'cleared'),
      ...optionalJson<NonNullable<Replica['checks']>, 'checks'>(row, 'checks', 'checks'),
      createdAt: text(row, 'created_at'),
      ...optionalText(row, 'last_success', 'lastSuccess'),
      ...optionalText(row, 'last_execution_id', 'lastExecutionId'),
      disks: disks.map(diskFromRow),
    };
  }

  const kept = keptUntilChange(db, () => {
    const disks = Map.groupBy(allDisks.all(), (row) => text(row, 'replica_id'));
    return all.all().map((row) => fromRow(row, disks.get(text(row, 'id')) ?? []));
  });

  return {
    add(replica: NewReplica): void {
      insert.run(
        replica.id,
        replica.name,
        replica.sourceEndpointId,
        replica.destinationEndpointId,
        replica.vmId,
        replica.vmName,
        JSON.stringify(replica.sourceEnvironment),
        JSON.stringify(replica.destinationEnvironment),
        replica.providerConfiguration ?? null,
        replica.createdAt,
        replica.wave ?? null,
        clearedText(replica),
        checksText(replica),
      );
    },
    /** Everything that people may change. */
    update(replica: NewReplica): void {
      update.run(
        replica.name,
        JSON.stringify(replica.sourceEnvironment),
        JSON.stringify(replica.destinationEnvironment),
        replica.providerConfiguration ?? null,
        replica.wave ?? null,
        clearedText(replica),
        checksText(replica),
        replica.id,
      );
    },
    /** By id, else by name. */
    find(idOrName: string): Replica | undefined {
      const row = byId.get(idOrName) ?? byName.get(idOrName);
      return row === undefined ? undefined : fromRow(row, disksOf.all(text(row, 'id')));
    },
    /** The same objects until something changes. */
    list(): Replica[] {
      return [...kept()];
    },
    remove(id: string): void {
      remove.run(id);
    },
    /** Records a disk's volume; another volume than before forgets what the former one held. */
    putDisk(replicaId: string, disk: { diskId: string; sizeBytes: number; volumeId: string; isNew: boolean }): void {
      putDisk.run(replicaId, disk.diskId, disk.sizeBytes, disk.volumeId, disk.isNew ? null : '');
    },
    /** Another volume with the very same content took the place of a disk's. */
    replaceVolume(replicaId: string, diskId: string, volumeId: string): void {
      replaceVolume.run(volumeId, replicaId, diskId);
    },
    /** The replica's volumes belong to something else now; its next execution begins with new ones. */
    forgetVolumes(replicaId: string): void {
      forgetVolumes.run(replicaId);
      neverSucceeded.run(replicaId);
    },
    /**
     * Claims a volume for writing from a snapshot, durably, before the first byte goes out. True when the volume holds
     * nothing but zeros and, maybe, bytes of this very snapshot: then its zeros need no writing.
     */
    claimForWriting(replicaId: string, diskId: string, snapshotTag: string): boolean {
      const before = firstWritten.get(replicaId, diskId)?.['first_written_from'];
      if (before === snapshotTag) return true;
      setFirstWritten.run(before === null ? snapshotTag : '', replicaId, diskId);
      return before === null;
    },
    setSynchronised(replicaId: string, diskId: string, executionId: string, takenAt: string): void {
      synchronised.run(executionId, takenAt, replicaId, diskId);
    },
    setLastSuccess(replicaId: string, at: string): void {
      succeeded.run(at, replicaId);
    },
  };
}

function diskFromRow(row: Row): ReplicaDisk {
  return {
    diskId: text(row, 'disk_id'),
    sizeBytes: integer(row, 'size_bytes'),
    ...optionalText(row, 'volume_id', 'volumeId'),
    ...optionalText(row, 'synchronised_by', 'synchronisedBy'),
    ...optionalText(row, 'synchronised_to', 'synchronisedTo'),
  };
}

function clearedText({ cleared }: NewReplica): string | null {
  return cleared === undefined ? null : JSON.stringify(cleared);
}

function checksText({ checks }: NewReplica): string | null {
  return checks === undefined || checks.length === 0 ? null : JSON.stringify(checks);
}
