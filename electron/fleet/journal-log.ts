import type { JournalRecord, StoredRecord } from './journal-record.ts';

/** Somebody else has appended since: nothing was written. */
export const wrongSequence = Symbol('wrong sequence');

/** The journals of a project's replicas, on servers that members share. Rejects with `fleet.unreachable`. */
export interface JournalLog {
  /**
   * Appends a record if the replica's last one still has this sequence; 0: if there is none. A request whose answer was lost is settled by
   * reading, so that the answer here is certain. Returns the new sequence.
   */
  append(
    replicaId: string,
    record: JournalRecord,
    expected: number,
    signal: AbortSignal,
  ): Promise<number | typeof wrongSequence>;
  /** Which replicas have records after a sequence, and the last sequence of all; without one: how far the journals are. */
  changed(
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly replicas: ReadonlySet<string>; readonly upTo: number }>;
  /** The records of a replica after a sequence, oldest first, as the servers' leader has them. */
  read(replicaId: string, after: number, signal: AbortSignal): Promise<readonly StoredRecord[]>;
}

/** Who works on which replica. A claim that is not renewed ends by itself. Claims only say who should try: what is written is fenced by the journal. */
export interface ClaimBoard {
  /** How long a claim lasts without being renewed, milliseconds. */
  readonly ttlMs: number;
  /** Takes a claim, or keeps it; the name of its holder if somebody else has it. */
  take(replicaId: string, signal: AbortSignal): Promise<'held' | { readonly holder: string }>;
  /** Lets a claim last longer that has not ended since it was taken. One that has ended is not taken again. */
  renew(replicaId: string, signal: AbortSignal): Promise<'held' | 'ended' | { readonly holder: string }>;
  release(replicaId: string): Promise<void>;
  /** Who claims a replica now; undefined: nobody. */
  holder(replicaId: string, signal: AbortSignal): Promise<string | undefined>;
}
