import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { PendingChanges, RowChange } from '../../engine/store/replica-changes.ts';
import type { FleetMemberOptions } from '../fleet-member.ts';
import { wrongSequence, type ClaimBoard, type JournalLog } from '../journal-log.ts';
import type { JournalRecord, Member, StoredRecord } from '../journal-record.ts';

/** A journal in memory, with the rules of the real one. `fault` says before each answer whether it is lost. */
export class MemoryJournal implements JournalLog {
  readonly records: (StoredRecord & { readonly replicaId: string })[] = [];
  readonly #fault: () => 'none' | 'before' | 'after';

  constructor(fault: () => 'none' | 'before' | 'after' = () => 'none') {
    this.#fault = fault;
  }

  of(replicaId: string): StoredRecord[] {
    return this.records.filter((record) => record.replicaId === replicaId);
  }

  async append(replicaId: string, record: JournalRecord, expected: number): Promise<number | typeof wrongSequence> {
    await Promise.resolve();
    const fault = this.#fault();
    if (fault === 'before') throw new CausewayError('fleet.unreachable', 'no answer');
    if ((this.of(replicaId).at(-1)?.sequence ?? 0) !== expected) return wrongSequence;
    const sequence = this.records.length + 1;
    this.records.push({ replicaId, sequence, record: structuredClone(record) });
    if (fault === 'after') throw new CausewayError('fleet.unreachable', 'no answer');
    return sequence;
  }

  async changed(after: number | undefined) {
    await Promise.resolve();
    return {
      replicas: new Set(
        this.records
          .filter(({ sequence }) => after !== undefined && sequence > after)
          .map(({ replicaId }) => replicaId),
      ),
      upTo: this.records.length,
    };
  }

  async read(replicaId: string, after: number): Promise<readonly StoredRecord[]> {
    await Promise.resolve();
    if (this.#fault() !== 'none') throw new CausewayError('fleet.unreachable', 'no answer');
    return this.of(replicaId).filter(({ sequence }) => sequence > after);
  }
}

/** Claims in memory. Whether one has ended is asked of `isOver`: a clock that runs ahead or behind is a fault like others. */
export class MemoryClaims {
  readonly #holders = new Map<string, Member>();
  isOver: (replicaId: string, holder: Member) => boolean = () => false;

  boardOf(member: Member, ttlMs = 1000): ClaimBoard {
    const current = (replicaId: string): Member | undefined => {
      const holder = this.#holders.get(replicaId);
      if (holder !== undefined && holder.id !== member.id && this.isOver(replicaId, holder))
        this.#holders.delete(replicaId);
      return this.#holders.get(replicaId);
    };
    return {
      ttlMs,
      take: async (replicaId) => {
        await Promise.resolve();
        const holder = current(replicaId);
        if (holder !== undefined && holder.id !== member.id) return { holder: holder.name };
        this.#holders.set(replicaId, member);
        return 'held';
      },
      renew: async (replicaId) => {
        await Promise.resolve();
        const holder = current(replicaId);
        if (holder?.id === member.id) return 'held';
        return holder === undefined ? 'ended' : { holder: holder.name };
      },
      release: async (replicaId) => {
        await Promise.resolve();
        if (this.#holders.get(replicaId)?.id === member.id) this.#holders.delete(replicaId);
      },
      holder: async (replicaId) => {
        await Promise.resolve();
        return current(replicaId)?.name;
      },
    };
  }
}

/** The rows of one member, in the order in which they were put. */
export class MemoryChanges {
  rows: RowChange[] = [];
  readonly marks: string[] = [];
  #pending: { readonly n: number; readonly change: RowChange }[] = [];
  #position = { sequence: 0, epoch: 0 };
  #n = 0;

  put(change: RowChange): void {
    this.rows.push(change);
    this.#pending.push({ n: ++this.#n, change });
  }

  readonly store: FleetMemberOptions['changes'] = {
    pending: (_replicaId, limit): PendingChanges => ({
      upTo: this.#pending.slice(0, limit).at(-1)?.n ?? 0,
      changes: this.#pending.slice(0, limit).map(({ change }) => change),
    }),
    appended: (_replicaId, upTo, position) => {
      this.#pending = this.#pending.filter(({ n }) => n > upTo);
      this.#position = position;
    },
    position: () => this.#position,
    apply: (_replicaId, changes, position) => {
      this.rows.push(...structuredClone(changes));
      this.#position = position;
    },
    forget: () => {
      this.rows = [];
      this.#pending = [];
      this.#position = { sequence: 0, epoch: 0 };
    },
    snapshot: () => structuredClone(this.rows),
    noteMarks: (marks) => void this.marks.push(...marks),
  };
}
