import type { DatabaseSync } from 'node:sqlite';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { WaveAction } from '../../../shared/model/wave-action.ts';
import type { MemberState, WaveRunOptions, WaveRunState } from '../../../shared/model/wave.ts';
import { inTransaction } from './database.ts';
import { integer, json, optionalError, optionalText, text, type Row } from './rows.ts';

export type WaveRunStore = ReturnType<typeof waveRunStore>;

/** An open action is never stored as `interrupted`: it is, when no engine carries it out. */
export type StoredWaveState = Exclude<WaveRunState, 'interrupted'>;

export interface StoredGroup {
  readonly name: string;
  readonly needsGo: boolean;
}

export interface StoredWaveRun {
  readonly id: string;
  readonly wave: string;
  readonly action: WaveAction;
  readonly state: StoredWaveState;
  readonly atOnce: number;
  readonly options: WaveRunOptions;
  readonly groups: readonly StoredGroup[];
  readonly released: number;
  readonly createdAt: string;
  readonly finishedAt?: string;
}

export interface StoredMember {
  readonly replicaId: string;
  readonly name: string;
  readonly group: number;
  readonly after: readonly string[];
  readonly state: MemberState;
  readonly attempts: number;
  readonly formerNumber?: number;
  readonly startedId?: string;
  readonly error?: ErrorRecord;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** Actions on waves and how far each member is. */
export function waveRunStore(db: DatabaseSync) {
  const insertRun = db.prepare(
    `INSERT INTO wave_runs (id, wave, action, state, at_once, options, groups, created_at) VALUES (?, ?, ?, 'running', ?, ?, ?, ?)`,
  );
  const insertMember = db.prepare(
    `INSERT INTO wave_members (run_id, position, replica_id, replica_name, group_number, after, state) VALUES (?, ?, ?, ?, ?, ?, 'waiting')`,
  );
  const byId = db.prepare('SELECT * FROM wave_runs WHERE id = ?');
  const ofWave = db.prepare('SELECT * FROM wave_runs WHERE wave = ? ORDER BY created_at DESC, rowid DESC LIMIT ?');
  const open = db.prepare(`SELECT * FROM wave_runs WHERE state IN ('running', 'paused', 'cancelling') ORDER BY rowid`);
  const latest = db.prepare('SELECT * FROM wave_runs WHERE rowid IN (SELECT max(rowid) FROM wave_runs GROUP BY wave)');
  const members = db.prepare('SELECT * FROM wave_members WHERE run_id = ? ORDER BY position');
  const counts = db.prepare('SELECT state, count(*) AS number FROM wave_members WHERE run_id = ? GROUP BY state');
  const setState = db.prepare('UPDATE wave_runs SET state = ?, finished_at = ? WHERE id = ?');
  const release = db.prepare('UPDATE wave_runs SET released = ? WHERE id = ?');
  const setAtOnce = db.prepare('UPDATE wave_runs SET at_once = ? WHERE id = ?');
  const rename = db.prepare('UPDATE wave_runs SET wave = ? WHERE wave = ?');
  const setMember = db.prepare(
    'UPDATE wave_members SET state = ?, error = ?, finished_at = ? WHERE run_id = ? AND replica_id = ?',
  );
  const starting =
    db.prepare(`UPDATE wave_members SET state = 'starting', attempts = attempts + 1, former_number = ?, started_id = NULL, error = NULL,
    started_at = ?, finished_at = NULL WHERE run_id = ? AND replica_id = ?`);
  const started = db.prepare(
    `UPDATE wave_members SET state = 'running', started_id = ? WHERE run_id = ? AND replica_id = ?`,
  );

  return {
    add(
      run: Omit<StoredWaveRun, 'state' | 'released' | 'finishedAt'>,
      list: readonly Pick<StoredMember, 'replicaId' | 'name' | 'group' | 'after'>[],
    ): void {
      inTransaction(db, () => {
        insertRun.run(
          run.id,
          run.wave,
          run.action,
          run.atOnce,
          JSON.stringify(run.options),
          JSON.stringify(run.groups),
          run.createdAt,
        );
        for (const [position, member] of list.entries())
          insertMember.run(run.id, position, member.replicaId, member.name, member.group, JSON.stringify(member.after));
      });
    },
    find(id: string): StoredWaveRun | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : runFromRow(row);
    },
    /** Newest first. */
    list: (wave: string, limit: number): StoredWaveRun[] => ofWave.all(wave, limit).map(runFromRow),
    listOpen: (): StoredWaveRun[] => open.all().map(runFromRow),
    /** The newest of each wave. */
    listLatest: (): StoredWaveRun[] => latest.all().map(runFromRow),
    members: (id: string): StoredMember[] => members.all(id).map(memberFromRow),
    counts(id: string): Record<MemberState, number> {
      const found: Record<MemberState, number> = {
        waiting: 0,
        starting: 0,
        running: 0,
        completed: 0,
        failed: 0,
        blocked: 0,
        cancelled: 0,
      };
      for (const row of counts.all(id)) found[text(row, 'state') as MemberState] = integer(row, 'number');
      return found;
    },
    setState(id: string, state: StoredWaveState): void {
      const isOver = state === 'completed' || state === 'failed' || state === 'cancelled';
      setState.run(state, isOver ? new Date().toISOString() : null, id);
    },
    release: (id: string, group: number): void => void release.run(group, id),
    setAtOnce: (id: string, atOnce: number): void => void setAtOnce.run(atOnce, id),
    rename: (from: string, to: string): void => void rename.run(to, from),
    /** Durable before anything starts. */
    setStarting: (id: string, replicaId: string, formerNumber: number): void =>
      void starting.run(formerNumber, new Date().toISOString(), id, replicaId),
    setStarted: (id: string, replicaId: string, startedId: string): void => void started.run(startedId, id, replicaId),
    setMember(
      id: string,
      replicaId: string,
      state: Exclude<MemberState, 'starting' | 'running'>,
      error?: ErrorRecord,
    ): void {
      setMember.run(
        state,
        error === undefined ? null : JSON.stringify(error),
        state === 'waiting' ? null : new Date().toISOString(),
        id,
        replicaId,
      );
    },
  };
}

function runFromRow(row: Row): StoredWaveRun {
  return {
    id: text(row, 'id'),
    wave: text(row, 'wave'),
    action: text(row, 'action') as WaveAction,
    state: text(row, 'state') as StoredWaveState,
    atOnce: integer(row, 'at_once'),
    options: json(row, 'options'),
    groups: json(row, 'groups'),
    released: integer(row, 'released'),
    createdAt: text(row, 'created_at'),
    ...optionalText(row, 'finished_at', 'finishedAt'),
  };
}

function memberFromRow(row: Row): StoredMember {
  const former = row['former_number'];
  return {
    replicaId: text(row, 'replica_id'),
    name: text(row, 'replica_name'),
    group: integer(row, 'group_number'),
    after: json(row, 'after'),
    state: text(row, 'state') as MemberState,
    attempts: integer(row, 'attempts'),
    ...(typeof former === 'number' ? { formerNumber: former } : {}),
    ...optionalText(row, 'started_id', 'startedId'),
    ...optionalError(row),
    ...optionalText(row, 'started_at', 'startedAt'),
    ...optionalText(row, 'finished_at', 'finishedAt'),
  };
}
