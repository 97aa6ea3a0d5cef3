import type { Envelope } from '../../shared/contract/envelope.ts';
import type { ExecutionProgress } from '../../shared/model/progress.ts';
import { wavesJournal, type FleetHooks } from '../engine/ports/replica-fleet.ts';
import type { Member } from './journal-record.ts';
import type { AskedCall, FleetLive, Here, LiveHandlers } from './live-messages.ts';
import { membersHeard, type MembersHeard } from './members-heard.ts';

export interface MemberTalkOptions {
  readonly self: Member;
  /** How long a member that is not heard of still counts as there, milliseconds. */
  readonly lastingMs: number;
  /** By a clock that only goes forward, milliseconds. */
  now(): number;
  readonly hooks: Pick<FleetHooks, 'progress'>;
  /** What this member says of itself, apart from its name and whether it leaves. */
  own(): Pick<Here, 'carries' | 'reaches' | 'works' | 'refuses'>;
  /** Whether this member has the claim of a replica. */
  holds(replicaId: string): boolean;
  /** Others have something new, or take something new: it is time to look. */
  wake(): void;
  asked(call: AskedCall): Promise<Envelope<unknown>> | undefined;
  connect(handlers: LiveHandlers): FleetLive;
}

/** What one member tells the others while it is connected, and what it has heard of them. */
export interface MemberTalk {
  readonly others: MembersHeard;
  readonly isDraining: () => boolean;
  here(): Here;
  /** Says that this member is there, and how it stands. */
  tellHere(): void;
  /** The same, if it is something else than was said last. */
  tellChanges(): void;
  /** The newest numbers of what runs here; they are told with the next changes. */
  publish(replicaId: string, progress: ExecutionProgress): void;
  recorded(replicaId: string): void;
  /** Asks a member, by its name or id, to take nothing new. Says whether there is one of that name. */
  drain(name: string, drains: boolean): boolean;
  leave(): void;
  gone(): void;
  /** Bytes per second of what runs, by replica: here and elsewhere. */
  rates(): ReadonlyMap<string, number>;
  /** Resolves when numbers of each of these replicas were heard. */
  introduced(replicas: () => Iterable<string>): Promise<void>;
  ask(call: AskedCall, signal: AbortSignal): Promise<Envelope<unknown> | undefined>;
  /** Whether this member's user may tell the others anything: a viewer only listens. */
  mayTell(): boolean;
}

export function memberTalk({
  self,
  lastingMs,
  now,
  hooks,
  own,
  holds,
  wake,
  asked,
  connect,
}: MemberTalkOptions): MemberTalk {
  const others = membersHeard(self.id, lastingMs, now);
  /** The newest numbers of what runs here, by replica, and those that were not told yet. */
  const numbers = new Map<string, ExecutionProgress>();
  const untold = new Set<string>();
  /** The newest rates of what runs elsewhere. */
  const heardRates = new Map<string, number>();
  const introductions = new Set<() => void>();
  let isDraining = false;
  let lastTold = '';

  const here = (): Here => ({ kind: 'here', member: self, isDraining, ...own() });

  function tellHere(): void {
    const message = here();
    lastTold = JSON.stringify(message);
    live.tell(message);
  }

  function tellNumbers(): void {
    for (const replica of untold) {
      const progress = numbers.get(replica);
      if (progress !== undefined) live.tell({ kind: 'progress', replica, progress });
    }
    untold.clear();
  }

  function hearProgress(replica: string, progress: ExecutionProgress): void {
    if (holds(replica)) return;
    hooks.progress(progress);
    // Whoever says what it works on says it before its numbers; of anything else nothing is kept.
    if (others.holder(replica) !== undefined) heardRates.set(replica, progress.total.rateBytesPerSecond);
    for (const look of introductions) look();
  }

  const live = connect({
    hear(message) {
      switch (message.kind) {
        case 'here':
          others.heard(message);
          break;
        case 'gone':
          others.gone(message.member);
          wake();
          break;
        case 'who':
          tellHere();
          for (const replica of own().works) untold.add(replica);
          tellNumbers();
          break;
        case 'progress':
          hearProgress(message.replica, message.progress);
          break;
        case 'recorded':
          if (!holds(message.replica)) wake();
          break;
        case 'drain':
          if (message.member === self.id && message.isDraining !== isDraining) {
            ({ isDraining } = message);
            tellHere();
            wake();
          }
          break;
      }
    },
    asked,
  });
  live.tell({ kind: 'who' });

  return {
    others,
    isDraining: () => isDraining,
    here,
    tellHere,
    tellChanges() {
      tellNumbers();
      const mine = own().works;
      for (const replica of numbers.keys()) if (!mine.includes(replica)) numbers.delete(replica);
      for (const replica of heardRates.keys()) if (others.holder(replica) === undefined) heardRates.delete(replica);
      if (JSON.stringify(here()) !== lastTold) tellHere();
    },
    publish(replicaId, progress) {
      numbers.set(replicaId, progress);
      untold.add(replicaId);
    },
    recorded: (replica) => live.tell({ kind: 'recorded', replica }),
    drain(name, drains) {
      const found = [here(), ...others.list()].filter(
        ({ member: { id, name: known } }) => id === name || known === name,
      );
      for (const {
        member: { id },
      } of found)
        live.tell({ kind: 'drain', member: id, isDraining: drains });
      return found.length > 0;
    },
    leave() {
      isDraining = true;
      tellHere();
    },
    gone: () => live.tell({ kind: 'gone', member: self.id }),
    rates: () =>
      new Map([
        ...heardRates,
        ...[...numbers].map(([replica, { total }]) => [replica, total.rateBytesPerSecond] as const),
      ]),
    introduced(replicas) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (![...replicas()].every((id) => id === wavesJournal || heardRates.has(id))) return;
        introductions.delete(look);
        resolve();
      };
      introductions.add(look);
      look();
      return promise;
    },
    ask: (call, signal) => live.ask(call, signal),
    mayTell: () => live.mayTell(),
  };
}
