/** Requests of one snapshot's readers, which the account is charged for. */
export interface RequestCount {
  lists: number;
  blocks: number;
}

/** US dollars for a thousand requests at the list price of us-east-1; other regions differ by little. */
const pricePerThousand = { lists: 0.0006, blocks: 0.003 };

const gib = 2 ** 30;

/** What reading cost. */
export interface ReadingCost {
  /** One sentence. */
  readonly text: string;
  readonly details: {
    readonly requests: number;
    readonly blocks: number;
    readonly requestsPerGib: number | null;
    readonly usd: number;
  };
}

export function costOf({ lists, blocks }: RequestCount, blockBytes: number): ReadingCost {
  const cost = (lists * pricePerThousand.lists + blocks * pricePerThousand.blocks) / 1000;
  const read = (blocks * blockBytes) / gib;
  const requests = lists + blocks;
  const perGib = read === 0 ? undefined : Math.round(requests / read);
  return {
    text: `EBS direct: ${requests} requests${perGib === undefined ? '' : ` (${perGib} per GiB read)`}, ${blocks} of them blocks; about USD ${cost.toFixed(cost < 0.01 ? 6 : 2)} at the list price of us-east-1`,
    details: { requests, blocks, requestsPerGib: perGib ?? null, usd: Number(cost.toFixed(9)) },
  };
}
