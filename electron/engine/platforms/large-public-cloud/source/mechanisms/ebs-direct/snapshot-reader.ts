import { copyBytes } from '../../../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../../../../../shared/model/extent.ts';
import { abortable, abortReason } from '../../../../../concurrency/abortable.ts';
import { appendExtent } from '../../../../../nbd/status-extents.ts';
import { refuseOutside, type DiskReader } from '../../../../../ports/disk-reader.ts';
import { isReason } from '../../../client/aws-error.ts';
import {
  fewestBlocks,
  getSnapshotBlock,
  listChangedBlocks,
  listSnapshotBlocks,
  mostBlocks,
  type BlockPage,
  type PageWish,
} from '../../../client/blocks.ts';
import type { DiskMark, SourceContext } from '../../source-context.ts';
import type { AdaptiveLanes } from './adaptive-lanes.ts';
import { BlockTokens } from './block-tokens.ts';
import type { RequestCount } from './request-count.ts';

export const blockBytes = 512 * 1024;

/** Blocks kept because neighbours of what was read are often read next. */
const keptBlocks = 24;
/** How many blocks are listed when a token is missing. */
const lookAhead = 1000;

/** What readers of one endpoint share. */
export interface BlockAccess {
  readonly context: SourceContext;
  readonly lanes: AdaptiveLanes;
  readonly count: RequestCount;
}

/**
 * A disk of a snapshot, read block by block through the EBS direct APIs. Tokens are listed a page at a time, kept for a
 * while, and listed again when they are needed after that.
 */
export class SnapshotReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes = blockBytes;
  readonly #access: BlockAccess;
  readonly #disk: DiskMark;
  readonly #baseId: string | undefined;
  readonly #tokens = new BlockTokens();
  readonly #blocks = new Map<number, Promise<Uint8Array>>();
  readonly #closing = new AbortController();
  #firstPage: BlockPage | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  private constructor(access: BlockAccess, disk: DiskMark, baseId: string | undefined, firstPage: BlockPage) {
    this.sizeBytes = disk.sizeBytes;
    this.coverage = baseId === undefined ? 'allocated' : 'changed';
    this.#access = access;
    this.#disk = disk;
    this.#baseId = baseId;
    this.#firstPage = firstPage;
  }

  /** @param base the same disk in the snapshot that is the base; whether the two have one lineage is asked here */
  static async open(
    access: BlockAccess,
    disk: DiskMark,
    base: DiskMark | undefined,
    signal: AbortSignal,
  ): Promise<SnapshotReader> {
    const wish = { token: undefined, from: 0, most: mostBlocks };
    if (base !== undefined && base.sizeBytes === disk.sizeBytes) {
      try {
        return new SnapshotReader(
          access,
          disk,
          base.snapshotId,
          await listed(access, disk, base.snapshotId, wish, signal),
        );
      } catch (error) {
        // The base is gone or was archived, or the volume was replaced by one of another origin. What the refusal is for, the listing of all blocks will tell.
        const isNoBase =
          error instanceof CausewayError &&
          (error.code === 'cloud.not-found' || error.code === 'cloud.request-refused');
        if (!isNoBase) throw error;
        access.context.note(
          `Changes of disk ${disk.diskId} since its last execution cannot be listed (${error.message}): the whole disk is read`,
          { diskId: disk.diskId },
        );
      }
    }
    return new SnapshotReader(access, disk, undefined, await listed(access, disk, undefined, wish, signal));
  }

  extents(signal: AbortSignal, fromBytes = 0): AsyncIterable<Extent> {
    return extentsFrom(this.#extents(signal, Math.floor(fromBytes / blockBytes)), fromBytes);
  }

  async *#extents(signal: AbortSignal, first: number): AsyncIterable<Extent> {
    const total = Math.ceil(this.sizeBytes / blockBytes);
    const held: Extent[] = [];
    for await (const { from, to, page } of this.#pages(first, total, signal)) {
      let at = from;
      const holeBefore = (index: number): void => {
        if (this.coverage === 'allocated' && index > at) appendExtent(held, this.#extent(at, index, 'zero'));
      };
      for (const { index, token } of page.blocks) {
        if (index < from || index >= to) continue;
        holeBefore(index);
        appendExtent(held, this.#extent(index, index + 1, token === undefined ? 'zero' : 'data'));
        at = index + 1;
        while (held.length > 1) yield held.shift() as Extent;
      }
      holeBefore(to);
    }
    yield* held;
  }

  /** The pages of the listing, each with the blocks that it says everything of. */
  async *#pages(
    first: number,
    total: number,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly from: number; readonly to: number; readonly page: BlockPage }> {
    let token: string | undefined;
    let from = first;
    let page = first === 0 ? this.#firstPage : undefined;
    this.#firstPage = undefined;
    while (from < total) {
      page ??= await this.#page({ token, from, most: mostBlocks }, signal);
      const last = page.blocks.at(-1)?.index;
      const to = page.next === undefined ? total : Math.min(total, last === undefined ? from : last + 1);
      // A listing of what changed says nothing of the blocks in between, but that they are as they were.
      this.#tokens.keep(from, to, page.blocks, page.expiresAt, this.coverage === 'allocated');
      yield { from, to, page };
      if (to === from && page.next === token)
        throw new CausewayError(
          'cloud.unexpected-answer',
          `the list of blocks of ${this.#disk.snapshotId} does not get beyond block ${from}`,
        );
      [from, token, page] = [to, page.next, undefined];
    }
  }

  /** A page; from its first block where the token of the page has ended. */
  async #page(wish: PageWish, signal: AbortSignal): Promise<BlockPage> {
    try {
      return await listed(this.#access, this.#disk, this.#baseId, wish, signal);
    } catch (error) {
      if (wish.token === undefined || !isReason(error, 'INVALID_PAGE_TOKEN')) throw error;
      return listed(this.#access, this.#disk, this.#baseId, { ...wish, token: undefined }, signal);
    }
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    refuseOutside(this, offset, into.length);
    if (into.length === 0) return;
    const first = Math.floor(offset / blockBytes);
    const last = Math.floor((offset + into.length - 1) / blockBytes);
    await Promise.all(
      Array.from({ length: last - first + 1 }, async (_, part) => {
        const index = first + part;
        const block = await abortable(this.#block(index), signal, abortReason);
        const begin = Math.max(offset, index * blockBytes);
        const end = Math.min(offset + into.length, (index + 1) * blockBytes);
        const place = into.subarray(begin - offset, end - offset);
        if (block.length === 0) place.fill(0);
        else copyBytes(block.subarray(begin - index * blockBytes, end - index * blockBytes), place);
      }),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort(new CausewayError('general.cancelled', 'the disk was closed'));
    this.#tokens.clear();
    this.#blocks.clear();
    await this.#looking.catch(() => undefined);
  }

  /** A block's bytes; none where it has no data. Those who read parts of one block at a time share one request. */
  #block(index: number): Promise<Uint8Array> {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    const asked = this.#fetch(index, this.#closing.signal);
    this.#blocks.set(index, asked);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= keptBlocks) break;
      this.#blocks.delete(oldest);
    }
    asked.catch(() => {
      if (this.#blocks.get(index) === asked) this.#blocks.delete(index);
    });
    return asked;
  }

  async #fetch(index: number, signal: AbortSignal): Promise<Uint8Array> {
    const { context, lanes, count } = this.#access;
    const { snapshotId } = this.#disk;
    for (let isSecond = false; ; isSecond = true) {
      const token = await this.#token(index, signal);
      if (token === 'absent') return new Uint8Array(0);
      try {
        return await lanes.run(async (within) => {
          count.blocks += 1;
          const bytes = await getSnapshotBlock(context.cloud, snapshotId, index, token, within);
          if (bytes.length !== blockBytes)
            throw new CausewayError(
              'cloud.unexpected-answer',
              `block ${index} of ${snapshotId} has ${bytes.length} bytes`,
              { details: { snapshotId, block: index } },
            );
          return bytes;
        }, signal);
      } catch (error) {
        if (isSecond || !isReason(error, 'INVALID_BLOCK_TOKEN')) throw keyDenied(error, this.#disk);
        this.#tokens.forget(index, token);
      }
    }
  }

  /** One lookup at a time: the one before usually lists the block as well. */
  #token(index: number, signal: AbortSignal): Promise<string> {
    const { context } = this.#access;
    const now = (): number => context.clock.wallTime();
    const known = this.#tokens.find(index, now());
    if (known !== undefined) return Promise.resolve(known);
    const asked = this.#looking.then(async () => {
      const found = this.#tokens.find(index, now());
      if (found !== undefined) return found;
      const page = await listed(
        this.#access,
        this.#disk,
        undefined,
        { token: undefined, from: index, most: Math.max(fewestBlocks, lookAhead) },
        signal,
      );
      const last = page.blocks.at(-1)?.index ?? index;
      this.#tokens.keep(index, page.next === undefined ? Infinity : last + 1, page.blocks, page.expiresAt, true);
      return page.blocks.find((block) => block.index === index)?.token ?? 'absent';
    });
    this.#looking = asked.catch(() => undefined);
    return asked;
  }

  #extent(from: number, to: number, kind: Extent['kind']): Extent {
    const offset = from * blockBytes;
    return { offset, length: Math.min(to * blockBytes, this.sizeBytes) - offset, kind };
  }
}

async function listed(
  { context, lanes, count }: BlockAccess,
  disk: DiskMark,
  baseId: string | undefined,
  wish: PageWish,
  signal: AbortSignal,
): Promise<BlockPage> {
  const { cloud } = context;
  const page = await lanes
    .run((within) => {
      count.lists += 1;
      return baseId === undefined
        ? listSnapshotBlocks(cloud, disk.snapshotId, wish, within)
        : listChangedBlocks(cloud, baseId, disk.snapshotId, wish, within);
    }, signal)
    .catch((error: unknown) => {
      throw keyDenied(error, disk);
    });
  if (page.blockBytes !== blockBytes)
    throw new CausewayError(
      'source.unsupported',
      `snapshot ${disk.snapshotId} has blocks of ${page.blockBytes} bytes; ${blockBytes} are supported`,
    );
  return page;
}

/** A refusal that comes from the key of an encrypted volume, with the rights that are missing. */
function keyDenied(error: unknown, { diskId, kmsKeyId }: DiskMark): unknown {
  if (
    !isReason(error, 'DEPENDENCY_ACCESS_DENIED', 'DEPENDENCY_RESOURCE_NOT_FOUND', 'INVALID_CUSTOMER_KEY') ||
    !(error instanceof CausewayError)
  )
    return error;
  return new CausewayError(
    'source.encryption-key-denied',
    `volume ${diskId}, key ${kmsKeyId ?? 'unknown'}: ${error.message}`,
    {
      details: { volumeId: diskId, key: kmsKeyId ?? '', actions: ['kms:Decrypt', 'kms:DescribeKey'] },
      cause: error,
    },
  );
}
