import Papa from 'papaparse';
import type { InventoryMachine } from './inventory.ts';
import { isWithin, together, type LoadOf, type WaveMost } from './wave-load.ts';

/** That two machines talk to each other, and how much. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

export interface FlowsRead {
  readonly flows: readonly Flow[];
  /** Lines that say nothing. */
  readonly skipped: number;
}

const headings = {
  from: [
    'source',
    'src',
    'from',
    'sourceip',
    'srcip',
    'sourceaddress',
    'srcaddr',
    'client',
    'sourcevm',
    'sourceserver',
  ],
  to: [
    'destination',
    'dst',
    'to',
    'destinationip',
    'dstip',
    'destinationaddress',
    'dstaddr',
    'server',
    'destinationvm',
    'destinationserver',
    'target',
  ],
  weight: ['bytes', 'weight', 'count', 'connections', 'packets', 'totalbytes', 'sessions'],
} as const;

/** A CSV file of connections between machines, by names or addresses, and if it says so, how much they carry. Comma, semicolon or tab. */
export function readFlows(csv: string): FlowsRead {
  const { data, meta } = Papa.parse<Record<string, string>>(csv.replace(/^\uFEFF/, ''), {
    header: true,
    skipEmptyLines: 'greedy',
  });
  const columnOf = (key: keyof typeof headings): string | undefined =>
    headings[key].flatMap(
      (heading) => meta.fields?.find((field) => field.toLowerCase().replaceAll(/[^a-z]/g, '') === heading) ?? [],
    )[0];
  const [from, to, weight] = [columnOf('from'), columnOf('to'), columnOf('weight')];
  if (from === undefined || to === undefined) return { flows: [], skipped: data.length };
  const flows = data.flatMap((row): Flow[] => {
    const [one, other] = [row[from]?.trim() ?? '', row[to]?.trim() ?? ''];
    const amount = weight === undefined ? 1 : Number(row[weight]?.replaceAll(/[ _']/g, ''));
    return one === '' || other === ''
      ? []
      : [{ from: one, to: other, weight: Number.isFinite(amount) && amount > 0 ? amount : 1 }];
  });
  return { flows, skipped: data.length - flows.length };
}

interface Limits<M extends InventoryMachine> {
  readonly most: WaveMost;
  readonly load: LoadOf<M>;
}

/**
 * Machines that talk to each other as sets that one wave can hold: those that talk most come together first, and two sets stay apart
 * where together they would be too large. Machines that talk to nobody are alone.
 */
export function setsByFlows<M extends InventoryMachine>(
  machines: readonly M[],
  flows: readonly Flow[],
  { most, load: loadOf }: Limits<M>,
): M[][] {
  const named = new Map<string, number>();
  for (const [index, { vm }] of machines.entries()) {
    for (const name of [vm.id, vm.name, ...vm.nics.flatMap(({ ip_addresses: addresses = [] }) => addresses)])
      if (!named.has(name.toLowerCase())) named.set(name.toLowerCase(), index);
  }
  const weights = new Map<string, number>();
  for (const { from, to, weight } of flows) {
    const [one, other] = [named.get(from.toLowerCase()), named.get(to.toLowerCase())];
    if (one === undefined || other === undefined || one === other) continue;
    const key = one < other ? `${one} ${other}` : `${other} ${one}`;
    weights.set(key, (weights.get(key) ?? 0) + weight);
  }
  const setOf = new Map(machines.map((machine, index) => [index, { members: [index], load: loadOf(machine) }]));
  const pairs = [...weights]
    .map(([key, weight]) => ({ ends: key.split(' ').map(Number) as [number, number], weight }))
    .sort((one, other) => other.weight - one.weight || one.ends[0] - other.ends[0] || one.ends[1] - other.ends[1]);
  for (const {
    ends: [one, other],
  } of pairs) {
    const [first, second] = [setOf.get(one)!, setOf.get(other)!];
    if (first === second) continue;
    const load = together(first.load, second.load);
    if (!isWithin(load, most)) continue;
    const joined = { members: [...first.members, ...second.members], load };
    for (const member of joined.members) setOf.set(member, joined);
  }
  const sets = [...new Set(setOf.values())].map(({ members, load: { bytes } }) => ({
    machines: members.toSorted((one, other) => one - other).map((index) => machines[index]!),
    bytes,
  }));
  return sets
    .sort((one, other) => other.machines.length - one.machines.length || other.bytes - one.bytes)
    .map((set) => set.machines);
}
