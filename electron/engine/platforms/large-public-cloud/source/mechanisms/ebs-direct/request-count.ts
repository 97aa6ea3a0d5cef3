/** Requests of one snapshot's readers, which the account is charged for. */
export interface RequestCount {
  lists: number;
  blocks: number;
}

/** US dollars for a thousand requests at the list price of us-east-1; other regions differ by little. */
const pricePerThousand = { lists: 0.0006, blocks: 0.003 };

const gib = 2 ** 30;

/** One sentence on what reading cost. */
export function costOf({ lists, blocks }: RequestCount, blockBytes: number): string {
  const cost = (lists * pricePerThousand.lists + blocks * pricePerThousand.blocks) / 1000;
  const read = (blocks * blockBytes) / gib;
  const perGib = read === 0 ? '' : ` (${Math.round((lists + blocks) / read)} per GiB read)`;
  return `EBS direct: ${lists + blocks} requests${perGib}, ${blocks} of them blocks; about USD ${cost.toFixed(cost < 0.01 ? 6 : 2)} at the list price of us-east-1`;
}
