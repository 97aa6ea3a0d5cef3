import type { Member } from './journal-record.ts';
import type { Here } from './live-messages.ts';

/** The other members of a fleet, as far as they were heard of within the time that a claim lasts. */
export interface MembersHeard {
  heard(message: Here): void;
  gone(member: string): void;
  /** In the order of their ids. */
  list(): readonly Here[];
  /** How long ago something was heard of a member, milliseconds. */
  silence(member: string): number | undefined;
  /** Who says that it works on a replica. */
  holder(replicaId: string): Member | undefined;
}

/** Whoever names members that nobody knows must not fill the memory. */
const mostMembers = 500;

/** @param now by a clock that only goes forward, milliseconds */
export function membersHeard(self: string, lastingMs: number, now: () => number): MembersHeard {
  const known = new Map<string, { readonly here: Here; readonly at: number }>();
  /** Asked for each of thousands of runs, so that it is made once for what was heard. */
  let holders: ReadonlyMap<string, Member> | undefined;
  const forget = (id: string): void => {
    if (known.delete(id)) holders = undefined;
  };
  const current = (): readonly Here[] => {
    for (const [id, { at }] of known) if (now() - at > lastingMs) forget(id);
    return [...known.values()]
      .map(({ here }) => here)
      .toSorted((one, other) => (one.member.id < other.member.id ? -1 : 1));
  };
  return {
    heard(here) {
      if (
        here.member.id === self ||
        (!known.has(here.member.id) && known.size >= mostMembers && current().length >= mostMembers)
      )
        return;
      known.set(here.member.id, { here, at: now() });
      holders = undefined;
    },
    gone: forget,
    silence: (id) => {
      const at = known.get(id)?.at;
      return at === undefined ? undefined : now() - at;
    },
    list: current,
    holder(replicaId) {
      const members = current();
      holders ??= new Map(
        members.toReversed().flatMap(({ works, member }) => works.map((id) => [id, member] as const)),
      );
      return holders.get(replicaId);
    },
  };
}
