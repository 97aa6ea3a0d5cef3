import type { ListedBlock } from '../../../client/blocks.ts';

/** What one page of a listing says of the blocks from `from` to before `to`. */
interface Listed {
  readonly from: number;
  readonly to: number;
  readonly known: ReadonlyMap<number, string>;
  /** Blocks that the page does not name have no data. */
  readonly isWhole: boolean;
  readonly expiresAt: number;
}

/** So many tokens are kept of a disk: some megabytes. What was forgotten is listed again when it is read. */
const mostTokens = 30_000;
/** A token that ends while its request is on its way is of no use. */
const marginMs = 30_000;

/** The tokens that blocks of one snapshot are read with: the latest pages, until they end. */
export class BlockTokens {
  readonly #most: number;
  #pages: Listed[] = [];
  #count = 0;

  constructor(most = mostTokens) {
    this.#most = most;
  }

  /**
   * Keeps a page, and forgets the oldest where there are too many tokens.
   *
   * @param isWhole the page is of a listing of all blocks with data, not of those that changed
   */
  keep(from: number, to: number, blocks: readonly ListedBlock[], expiresAt: number, isWhole: boolean): void {
    const known = new Map(blocks.map(({ index, token }) => [index, token ?? 'absent']));
    this.#pages.push({ from, to, known, isWhole, expiresAt });
    this.#count += known.size;
    while (this.#count > this.#most && this.#pages.length > 1) this.#count -= this.#pages.shift()?.known.size ?? 0;
  }

  /** The token of a block, `absent` where it has no data, undefined where that is not known (any more). */
  find(index: number, now: number): string | undefined {
    for (let at = this.#pages.length - 1; at >= 0; at -= 1) {
      const page = this.#pages[at];
      if (page === undefined || index < page.from || index >= page.to || now >= page.expiresAt - marginMs) continue;
      const token = page.known.get(index);
      if (token !== undefined || page.isWhole) return token ?? 'absent';
    }
    return undefined;
  }

  /** Forgets the pages that gave a block the token that was refused. One that was listed meanwhile stays. */
  forget(index: number, token: string): void {
    this.#pages = this.#pages.filter(({ known }) => known.get(index) !== token);
    this.#count = this.#pages.reduce((sum, { known }) => sum + known.size, 0);
  }

  clear(): void {
    this.#pages = [];
    this.#count = 0;
  }
}
