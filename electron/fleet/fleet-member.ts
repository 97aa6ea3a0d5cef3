import { CausewayError } from '../../shared/model/causeway-error.ts';
import { turnsByKey } from '../engine/concurrency/in-turn.ts';
import { wavesJournal, type ReplicaClaim, type ReplicaFleet } from '../engine/ports/replica-fleet.ts';
import type { ReplicaChanges, RowChange } from '../engine/store/replica-changes.ts';
import type { Clock } from '../engine/time/clock.ts';
import { begun } from './journal-beginning.ts';
import type { ClaimBoard, JournalLog } from './journal-log.ts';
import { wrongSequence } from './journal-log.ts';
import type { JournalRecord, Member } from './journal-record.ts';

/** Rows in one record. */
const mostChanges = 200;
/** Of one record, of which servers take 1 MiB unless they are configured otherwise. */
const mostBytes = 400_000;
/** A request begins only within this part of the time that a claim lasts: what is left is for its way to the cloud. */
const partForRequests = 0.75;
const notRenewed = 'the claim was not renewed in time';

/** By both clocks: the monotonic one of some systems stands still while the computer sleeps, and the other one may be set. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

interface Held {
  readonly lost: AbortController;
  epoch: number;
  /** When the request was sent that renewed the claim, which lasts from here. */
  renewedAt: Moment;
}

export interface FleetMemberOptions {
  readonly member: Member;
  readonly log: JournalLog;
  readonly claims: ClaimBoard;
  readonly changes: Pick<
    ReplicaChanges,
    'pending' | 'appended' | 'position' | 'apply' | 'forget' | 'snapshot' | 'noteMarks'
  >;
  /** Under which this member's store marks resources in clouds. */
  readonly marks?: () => readonly string[];
  readonly clock: Pick<Clock, 'monotonic' | 'wallTime'>;
  /** Rows of a replica are about to come from another member: what is known of its volumes here no longer applies. */
  readonly onApplying?: (replicaId: string) => void;
  readonly onApplied?: (replicaId: string) => void;
}

/**
 * One engine's part in a fleet. It works on a replica only while it holds the replica's claim, and every record that it appends carries the
 * sequence that it knows: who was replaced can append nothing more, however long it slept, because taking over is an append as well.
 */
export class FleetMember implements ReplicaFleet {
  readonly #options: FleetMemberOptions;
  readonly #held = new Map<string, Held>();
  readonly #inTurn = turnsByKey();

  constructor(options: FleetMemberOptions) {
    this.#options = options;
  }

  /** Replicas that this member works on. */
  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  claim(replicaId: string, signal: AbortSignal): Promise<ReplicaClaim> {
    return this.#inTurn(replicaId, async () => {
      const held = this.#held.get(replicaId);
      if (held !== undefined && !held.lost.signal.aborted) return { lost: held.lost.signal };
      const { claims } = this.#options;
      const renewedAt = this.#now();
      const taken = await claims.take(replicaId, signal);
      if (taken !== 'held')
        throw new CausewayError('fleet.claimed-elsewhere', taken.holder, { details: { holder: taken.holder } });
      try {
        const epoch = await this.#takeOver(replicaId, signal);
        const fresh: Held = { lost: new AbortController(), epoch, renewedAt };
        this.#held.set(replicaId, fresh);
        await this.#flush(replicaId, signal);
        return { lost: fresh.lost.signal };
      } catch (error) {
        this.#lose(replicaId, 'the journal could not be read');
        await claims.release(replicaId).catch(() => undefined); // it ends by itself
        throw error;
      }
    });
  }

  /**
   * Whoever asks has recorded something under the claim that is held now. When its turn comes that claim may be lost, and be taken again: what
   * was recorded is forgotten then, and must not be acted on although nothing is pending any more.
   */
  settled(replicaId: string, signal: AbortSignal): Promise<void> {
    const held = this.#held.get(replicaId);
    return this.#inTurn(replicaId, async () => {
      signal.throwIfAborted();
      this.#refuseLate(replicaId, held);
      await this.#flush(replicaId, signal);
      // It may have taken longer than the claim lasts.
      this.#refuseLate(replicaId, held);
    });
  }

  claimed(replicaId: string): () => void {
    const held = this.#held.get(replicaId);
    return () => this.#refuseLate(replicaId, held);
  }

  epoch(replicaId: string): number {
    return this.#held.get(replicaId)?.epoch ?? 0;
  }

  /** Applies what others have appended since. Nothing where this member is the one that appends. */
  follow(replicaId: string, signal: AbortSignal): Promise<void> {
    return this.#inTurn(replicaId, async () => {
      if (!this.#held.has(replicaId)) await this.#catchUp(replicaId, signal);
    });
  }

  /** Gives a replica back, with everything appended. */
  release(replicaId: string, signal: AbortSignal): Promise<void> {
    return this.#inTurn(replicaId, async () => {
      if (!this.#held.has(replicaId)) return;
      await this.#flush(replicaId, signal);
      // Whoever still works under it does so no more.
      this.#lose(replicaId, 'given back');
      await this.#options.claims.release(replicaId);
    });
  }

  /**
   * Gives up claims that were not renewed for as long as they last, without asking anybody: a computer that slept knows it before it sends anything
   * more. They ended on the servers later than here, because a claim counts from when its renewal was sent.
   */
  expire(): void {
    for (const [replicaId, held] of this.#held)
      if (this.#ageOf(held) > this.#options.claims.ttlMs) this.#lose(replicaId, notRenewed);
  }

  /** Renews all claims. One that has ended, that somebody else has, or that could not be renewed in time, is lost. */
  async renew(signal: AbortSignal): Promise<void> {
    const { claims } = this.#options;
    // One that has ended must not begin anew: others may have worked on the replica meanwhile.
    this.expire();
    await Promise.all(
      [...this.#held].map(async ([replicaId, held]) => {
        const asked = this.#now();
        const renewed = await claims.renew(replicaId, signal).catch(() => undefined);
        // It may have been lost meanwhile, and claimed again.
        if (this.#held.get(replicaId) !== held) return;
        if (renewed === 'held') held.renewedAt = asked;
        else if (renewed !== undefined)
          this.#lose(replicaId, renewed === 'ended' ? 'the claim had ended' : `${renewed.holder} has taken over`);
        else this.expire();
      }),
    );
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.wallTime() };
  }

  /** How long ago the claim was renewed, by the clock that says more. */
  #ageOf({ renewedAt }: Held): number {
    const { monotonic, wall } = this.#now();
    return Math.max(monotonic - renewedAt.monotonic, wall - renewedAt.wall);
  }

  /** Refuses a request to a cloud that could arrive when the claim has ended. Then everything else that runs under it has to stop, too. */
  #refuseLate(replicaId: string, held: Held | undefined): void {
    if (
      held !== undefined &&
      this.#held.get(replicaId) === held &&
      this.#ageOf(held) > this.#options.claims.ttlMs * partForRequests
    )
      this.#lose(replicaId, notRenewed);
    if (held === undefined || held.lost.signal.aborted || this.#held.get(replicaId) !== held)
      throw new CausewayError('fleet.claim-lost', replicaId);
  }

  #lose(replicaId: string, why: string): void {
    const held = this.#held.get(replicaId);
    this.#held.delete(replicaId);
    held?.lost.abort(new CausewayError('fleet.claim-lost', why));
  }

  /** Everything that others have recorded, then a record that ends their epoch. */
  async #takeOver(replicaId: string, signal: AbortSignal): Promise<number> {
    const { log, changes, member, clock, marks } = this.#options;
    for (;;) {
      const { sequence, epoch: before, isBegun } = await this.#catchUp(replicaId, signal);
      const epoch = before + 1;
      // The first member of the fleet that works on it: what it has recorded before is where the journal begins.
      const rows = isBegun ? undefined : batchesOf(changes.snapshot(replicaId));
      const record: JournalRecord = {
        kind: 'epoch',
        epoch,
        member,
        at: new Date(clock.wallTime()).toISOString(),
        ...(marks === undefined ? {} : { marks: [...marks()] }),
        ...(rows === undefined ? {} : { begins: rows.length }),
      };
      const appended = await log.append(replicaId, record, sequence, signal);
      if (appended === wrongSequence) continue;
      let last = appended;
      for (const batch of rows ?? []) {
        const stored = await log.append(
          replicaId,
          { kind: 'changes', epoch, member: member.id, changes: batch },
          last,
          signal,
        );
        if (stored === wrongSequence) throw new CausewayError('fleet.claim-lost', replicaId);
        last = stored;
      }
      // Pending changes are part of what the journal begins with, and otherwise still to be appended.
      changes.appended(replicaId, isBegun ? 0 : Number.MAX_SAFE_INTEGER, { sequence: last, epoch });
      return epoch;
    }
  }

  /** Applies what the journal has and this store has not. Where the journal ends then; nothing is applied of one that has not begun. */
  async #catchUp(
    replicaId: string,
    signal: AbortSignal,
  ): Promise<{ readonly sequence: number; readonly epoch: number; readonly isBegun: boolean }> {
    const { log, changes, onApplying, onApplied } = this.#options;
    const known = changes.position(replicaId);
    // What a computer recorded before it ever followed the journal is of its own, and is appended when it works on the replica. What it recorded
    // without a claim after that never happened, as far as the fleet knows: whatever was done is in the journal.
    const isVoid = known.sequence > 0 && changes.pending(replicaId, 1).changes.length > 0;
    let records = await log.read(replicaId, isVoid ? 0 : known.sequence, signal);
    const last = records.at(-1);
    if (last === undefined) return { ...known, isBegun: known.sequence > 0 };
    changes.noteMarks(records.flatMap(({ record }) => (record.kind === 'epoch' ? (record.marks ?? []) : [])));
    if (isVoid || known.sequence === 0) records = begun(records);
    if (records.length === 0) return { sequence: last.sequence, epoch: last.record.epoch, isBegun: false };
    // Of waves, what a computer had for itself may be open where the fleet's is: one action at a time on each wave.
    if (isVoid || (known.sequence === 0 && replicaId === wavesJournal)) changes.forget(replicaId);
    onApplying?.(replicaId);
    for (const { sequence, record } of records)
      changes.apply(replicaId, record.kind === 'changes' ? record.changes : [], { sequence, epoch: record.epoch });
    onApplied?.(replicaId);
    return { ...changes.position(replicaId), isBegun: true };
  }

  async #flush(replicaId: string, signal: AbortSignal): Promise<void> {
    const { log, changes, member } = this.#options;
    for (;;) {
      const { upTo, changes: rows } = changes.pending(replicaId, mostChanges, mostBytes);
      if (rows.length === 0) return;
      const held = this.#held.get(replicaId);
      if (held === undefined || held.lost.signal.aborted) throw new CausewayError('fleet.claim-lost', replicaId);
      const record: JournalRecord = { kind: 'changes', epoch: held.epoch, member: member.id, changes: [...rows] };
      const sequence = await log.append(replicaId, record, changes.position(replicaId).sequence, signal);
      if (sequence === wrongSequence) {
        this.#lose(replicaId, 'another member has appended to the journal');
        throw new CausewayError('fleet.claim-lost', replicaId);
      }
      changes.appended(replicaId, upTo, { sequence, epoch: held.epoch });
    }
  }
}

/** Rows in groups that fit into a record. */
function batchesOf(rows: readonly RowChange[]): RowChange[][] {
  const batches: RowChange[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row));
    if (bytes + size > mostBytes || (batches.at(-1)?.length ?? 0) >= mostChanges) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(row);
    bytes += size;
  }
  return batches;
}
