import { createHash } from 'node:crypto';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { AwsCloud } from './aws-cloud.ts';

/** A block that a listing names. Without a token, the block is no longer there and reads as zeros. */
export interface ListedBlock {
  readonly index: number;
  readonly token: string | undefined;
}

/** One page of a listing of blocks. */
export interface BlockPage {
  readonly blocks: readonly ListedBlock[];
  readonly blockBytes: number;
  /** Since 1970, milliseconds: until when the blocks' tokens are taken. */
  readonly expiresAt: number;
  /** Token of the next page. */
  readonly next: string | undefined;
}

/** Where a listing begins: at a page, or at a block. */
export interface PageWish {
  readonly token: string | undefined;
  readonly from: number;
  readonly most: number;
}

/** The service's own limits. */
export const fewestBlocks = 100;
export const mostBlocks = 10_000;

const paging = ({ token, from, most }: PageWish) => ({
  MaxResults: most,
  ...(token === undefined ? { StartingBlockIndex: from } : { NextToken: token }),
});

/** The blocks of a snapshot that were ever written. */
export async function listSnapshotBlocks(
  cloud: AwsCloud,
  snapshotId: string,
  wish: PageWish,
  signal: AbortSignal,
): Promise<BlockPage> {
  const page = await cloud.ask(
    `list blocks of ${snapshotId}`,
    'ebs:ListSnapshotBlocks',
    ({ sdk, ebs }, options) =>
      ebs.send(new sdk.ListSnapshotBlocksCommand({ SnapshotId: snapshotId, ...paging(wish) }), options),
    signal,
  );
  return pageOf(
    page,
    (page.Blocks ?? []).map(({ BlockIndex: index, BlockToken: token }) => ({ index, token })),
    snapshotId,
  );
}

/** The blocks that differ between two snapshots of one volume. */
export async function listChangedBlocks(
  cloud: AwsCloud,
  firstId: string,
  secondId: string,
  wish: PageWish,
  signal: AbortSignal,
): Promise<BlockPage> {
  const page = await cloud.ask(
    `list blocks of ${secondId} changed since ${firstId}`,
    'ebs:ListChangedBlocks',
    ({ sdk, ebs }, options) =>
      ebs.send(
        new sdk.ListChangedBlocksCommand({ FirstSnapshotId: firstId, SecondSnapshotId: secondId, ...paging(wish) }),
        options,
      ),
    signal,
  );
  return pageOf(
    page,
    (page.ChangedBlocks ?? []).map(({ BlockIndex: index, SecondBlockToken: token }) => ({ index, token })),
    secondId,
  );
}

function pageOf(
  page: {
    readonly BlockSize?: number | undefined;
    readonly ExpiryTime?: Date | undefined;
    readonly NextToken?: string | undefined;
  },
  blocks: readonly { readonly index: number | undefined; readonly token: string | undefined }[],
  snapshotId: string,
): BlockPage {
  const { BlockSize: blockBytes, ExpiryTime: expiry, NextToken: next } = page;
  const listed = blocks.flatMap(({ index, token }) => (index === undefined ? [] : [{ index, token }]));
  const isOrdered = listed.every(({ index }, at) => at === 0 || index > (listed[at - 1]?.index ?? 0));
  if (blockBytes === undefined || blockBytes < 512 || blockBytes % 512 !== 0 || !isOrdered) {
    throw new CausewayError(
      'cloud.unexpected-answer',
      `the list of blocks of ${snapshotId} is not in order, or has blocks of ${String(blockBytes)} bytes`,
      { details: { snapshotId } },
    );
  }
  return { blocks: listed, blockBytes, expiresAt: expiry?.getTime() ?? 0, next: next === '' ? undefined : next };
}

/**
 * One block, its bytes compared with the checksum that came with them.
 *
 * @throws `source.block-damaged`
 */
export async function getSnapshotBlock(
  cloud: AwsCloud,
  snapshotId: string,
  index: number,
  token: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const what = `block ${index} of ${snapshotId}`;
  const { bytes, checksum, algorithm } = await cloud.ask(
    `read ${what}`,
    'ebs:GetSnapshotBlock',
    async ({ sdk, ebs }, options) => {
      const answer = await ebs.send(
        new sdk.GetSnapshotBlockCommand({ SnapshotId: snapshotId, BlockIndex: index, BlockToken: token }),
        options,
      );
      return {
        bytes: (await answer.BlockData?.transformToByteArray()) ?? new Uint8Array(0),
        checksum: answer.Checksum,
        algorithm: answer.ChecksumAlgorithm,
      };
    },
    signal,
    cloud.timeoutMs,
  );
  if (algorithm !== 'SHA256' || checksum !== createHash('sha256').update(bytes).digest('base64')) {
    throw new CausewayError(
      'source.block-damaged',
      `${what}: ${bytes.length} bytes, and their checksum (${algorithm ?? 'none'}) is not the one in the response`,
      { details: { snapshotId, block: index } },
    );
  }
  return bytes;
}
