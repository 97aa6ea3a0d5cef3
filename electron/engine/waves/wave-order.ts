import type { WavePlan } from '../../../shared/model/wave-plan.ts';

export interface NamedReplica {
  readonly id: string;
  readonly name: string;
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

/** The name of the group of members that no group names. */
export const restGroup = 'Other members';

/** A wave's members in the order that its plan says. Never throws: what is wrong with a plan is part of the answer. */
export function waveOrder(replicas: readonly NamedReplica[], plan: WavePlan | undefined): WaveOrder {
  const known = new Map([...replicas.map((replica) => [replica.name, replica] as const), ...replicas.map((replica) => [replica.id, replica] as const)]);
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
  const members = replicas
    .map(({ id, name }) => ({ id, name, group: placed.get(id) ?? groups.length - 1, after: [...(after.get(id) ?? [])] }))
    .sort((one, other) => one.group - other.group || one.name.localeCompare(other.name, 'en', { numeric: true }));
  return { groups, members, unknown: [...unknown], circular: circularOf(members) };
}

/** Members that nothing can free: in turn, those are taken away that wait for none of the others, and of whose group all earlier ones are gone. */
function circularOf(members: readonly OrderedMember[]): string[] {
  let left = [...members];
  for (;;) {
    const ids = new Set(left.map(({ id }) => id));
    const first = Math.min(...left.map(({ group }) => group));
    const stuck = left.filter(({ group, after }) => group > first || after.some((id) => ids.has(id)));
    if (stuck.length === left.length) return stuck.filter(({ group, after }) => group === first || after.some((id) => ids.has(id))).map(({ name }) => name);
    left = stuck;
    if (left.length === 0) return [];
  }
}
