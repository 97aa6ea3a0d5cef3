import type { WavePlan } from './wave-plan.ts';

export interface NamedReplica {
  readonly id: string;
  readonly name: string;
  /** How long its work is expected to take, in seconds; absent: unknown. */
  readonly seconds?: number | undefined;
}

export interface OrderedMember extends NamedReplica {
  readonly group: number;
  /** Ids of members. */
  readonly after: readonly string[];
}

export interface WaveOrder {
  /** Each with at least one member; those that no group names are the last one. */
  readonly groups: readonly { readonly name: string; readonly needsGo: boolean }[];
  /** In the order in which they may start. */
  readonly members: readonly OrderedMember[];
  /** Names in the plan that no member has. */
  readonly unknown: readonly string[];
  /** Names of members that could never start, because they wait for each other. */
  readonly circular: readonly string[];
}

const byName = new Intl.Collator('en', { numeric: true });

/** The name of the group of members that no group names. */
export const restGroup = 'Other members';

/**
 * A wave's members in the order that its plan says; within that, those first that keep the wave busy for longest, with all that
 * waits for them: a long one that begins last would run alone at the end. Never throws: what is wrong with a plan is part of the
 * answer.
 */
export function waveOrder(replicas: readonly NamedReplica[], plan: WavePlan | undefined): WaveOrder {
  const known = new Map([
    ...replicas.map((replica) => [replica.name, replica] as const),
    ...replicas.map((replica) => [replica.id, replica] as const),
  ]);
  const unknown = new Set<string>();
  const find = (reference: string): NamedReplica | undefined => {
    const found = known.get(reference);
    if (found === undefined) unknown.add(reference);
    return found;
  };
  const placed = new Map<string, number>();
  const groups: { name: string; needsGo: boolean }[] = [];
  for (const { name, needsGo = false, members } of plan?.groups ?? []) {
    const ids = members.flatMap((reference) => find(reference)?.id ?? []).filter((id) => !placed.has(id));
    if (ids.length === 0) continue;
    for (const id of ids) placed.set(id, groups.length);
    groups.push({ name, needsGo });
  }
  if (placed.size < replicas.length) groups.push({ name: restGroup, needsGo: false });
  const after = new Map<string, Set<string>>();
  for (const [reference, before] of Object.entries(plan?.after ?? {})) {
    const member = find(reference);
    const ids = before.flatMap((one) => find(one)?.id ?? []);
    if (member !== undefined) after.set(member.id, new Set([...(after.get(member.id) ?? []), ...ids]));
  }
  const secondsFrom = pathSeconds(replicas, after);
  const members = replicas
    .map(({ id, name }) => ({
      id,
      name,
      group: placed.get(id) ?? groups.length - 1,
      after: [...(after.get(id) ?? [])],
    }))
    .sort(
      (one, other) =>
        one.group - other.group || secondsFrom(other.id) - secondsFrom(one.id) || byName.compare(one.name, other.name),
    );
  return { groups, members, unknown: [...unknown], circular: circularOf(members) };
}

/** How long a member and the longest chain of those that wait for it take. */
function pathSeconds(
  replicas: readonly NamedReplica[],
  after: ReadonlyMap<string, ReadonlySet<string>>,
): (id: string) => number {
  const own = new Map(replicas.map(({ id, seconds = 0 }) => [id, seconds]));
  const waiting = new Map<string, string[]>();
  for (const [id, before] of after) for (const one of before) waiting.set(one, [...(waiting.get(one) ?? []), id]);
  const known = new Map<string, number>();
  const from = (id: string): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    // Until it is known: so a circle ends.
    known.set(id, 0);
    const sum = (own.get(id) ?? 0) + Math.max(0, ...(waiting.get(id) ?? []).map(from));
    known.set(id, sum);
    return sum;
  };
  return from;
}

/** Members that nothing can free: in turn, those are taken away that wait for none of the others, and of whose group all earlier ones are gone. */
function circularOf(members: readonly OrderedMember[]): string[] {
  let left = [...members];
  for (;;) {
    const ids = new Set(left.map(({ id }) => id));
    const first = Math.min(...left.map(({ group }) => group));
    const stuck = left.filter(({ group, after }) => group > first || after.some((id) => ids.has(id)));
    if (stuck.length === left.length)
      return stuck
        .filter(({ group, after }) => group === first || after.some((id) => ids.has(id)))
        .map(({ name }) => name);
    left = stuck;
    if (left.length === 0) return [];
  }
}
