import type { Member } from './journal-record.ts';
import type { Here } from './live-messages.ts';

/** The other members of a fleet, as far as they were heard of within the time that a claim lasts. */
export interface MembersHeard {
  heard(message: Here): void;
  gone(member: string): void;
  /** In the order of their ids. */
  list(): readonly Here[];
  /** Who says that it works on a replica. */
  holder(replicaId: string): Member | undefined;
}

/** @param now by a clock that only goes forward, milliseconds */
export function membersHeard(self: string, lastingMs: number, now: () => number): MembersHeard {
  const known = new Map<string, { readonly here: Here; readonly at: number }>();
  const current = (): readonly Here[] => {
    for (const [id, { at }] of known) if (now() - at > lastingMs) known.delete(id);
    return [...known.values()].map(({ here }) => here).toSorted((one, other) => (one.member.id < other.member.id ? -1 : 1));
  };
  return {
    heard(here) {
      if (here.member.id !== self) known.set(here.member.id, { here, at: now() });
    },
    gone: (member) => void known.delete(member),
    list: current,
    holder: (replicaId) => current().find(({ works }) => works.includes(replicaId))?.member,
  };
}
