import { createHash, createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError, ok, type Call, type Operation } from '../cloud-kit/call.ts';
import type { SnapshotRecord, World } from './world.ts';

/** The EBS direct APIs: tokens that end, lineage, blocks that were never written, throttling, checksums. */

const blockBytes = 512 * 1024;
const tokenKey = 'the lab keeps its tokens apart';
const invalid = (reason: string, message: string): ApiError =>
  new ApiError(400, message, { code: 'ValidationException', members: { Reason: reason } });

function snapshotOf({ world }: Call<World>, id: unknown): SnapshotRecord {
  const record = world.snapshots.demand(
    String(id),
    () =>
      new ApiError(404, `The snapshot '${String(id)}' does not exist.`, {
        code: 'ResourceNotFoundException',
        members: { Reason: 'SNAPSHOT_NOT_FOUND' },
      }),
  );
  if (record.state !== 'completed')
    throw invalid('INVALID_SNAPSHOT_ID', `The snapshot '${record.id}' is not completed`);
  if (record.kmsKeyId !== undefined && world.deniedKeys.has(record.kmsKeyId)) {
    throw new ApiError(403, `The key ${record.kmsKeyId} cannot be used`, {
      code: 'AccessDeniedException',
      members: { Reason: 'DEPENDENCY_ACCESS_DENIED' },
    });
  }
  return record;
}

const tokenOf = (world: World, ...parts: readonly (string | number)[]): string => {
  const text = JSON.stringify([...parts, world.ground.clock.now() + world.tokenLifeMs, world.tokenGeneration]);
  return Buffer.from(JSON.stringify([text, createHmac('sha256', tokenKey).update(text).digest('base64')])).toString(
    'base64',
  );
};

/** What a token was given for; undefined when it is no token, has ended, or is of an earlier generation. */
function readToken(world: World, token: string): readonly unknown[] | undefined {
  try {
    const [text, mark] = JSON.parse(Buffer.from(token, 'base64').toString('utf8')) as [string, string];
    if (createHmac('sha256', tokenKey).update(text).digest('base64') !== mark) return undefined;
    const parts = JSON.parse(text) as unknown[];
    const generation = parts.pop();
    const end = parts.pop();
    return generation === world.tokenGeneration && Number(end) > world.ground.clock.now() ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** Snapshots never change, and neither does what differs between two of them. */
const listings = new WeakMap<
  World,
  Map<string, Promise<readonly { readonly index: number; readonly isZero: boolean }[]>>
>();

function listing(
  world: World,
  first: string | undefined,
  second: string,
): Promise<readonly { readonly index: number; readonly isZero: boolean }[]> {
  const known =
    listings.get(world) ?? new Map<string, Promise<readonly { readonly index: number; readonly isZero: boolean }[]>>();
  listings.set(world, known);
  const { files } = world.ground;
  const key = `${first ?? ''} ${second}`;
  const found =
    known.get(key) ??
    (first === undefined
      ? files.allocatedBlocks(second, blockBytes).then((indexes) => indexes.map((index) => ({ index, isZero: false })))
      : files.changedBlocks(first, second, blockBytes));
  known.set(key, found);
  return found;
}

interface Page {
  readonly items: readonly { readonly index: number; readonly isZero: boolean }[];
  readonly NextToken?: string;
}

async function pageOf(call: Call<World>, first: string | undefined, second: SnapshotRecord): Promise<Page> {
  const { world, body } = call;
  const wanted = Number(body['MaxResults'] ?? 10_000);
  if (wanted < 100 || wanted > 10_000)
    throw invalid('INVALID_PARAMETER_VALUE', `MaxResults ${wanted} is not between 100 and 10000`);
  let from = Number(body['StartingBlockIndex'] ?? 0);
  if (body['NextToken'] !== undefined) {
    const parts = readToken(world, String(body['NextToken']));
    if (parts?.[0] !== 'page' || parts[1] !== (first ?? '') || parts[2] !== second.id)
      throw invalid('INVALID_PAGE_TOKEN', 'The page token is invalid or has expired');
    from = Number(parts[3]);
  }
  const all = (await listing(world, first, second.id)).filter(({ index }) => index >= from);
  const items = all.slice(0, Math.min(wanted, world.mostBlocksPerPage));
  const last = items.at(-1);
  return {
    items,
    ...(items.length < all.length && last !== undefined
      ? { NextToken: tokenOf(world, 'page', first ?? '', second.id, last.index + 1) }
      : {}),
  };
}

const common = (world: World, { size }: SnapshotRecord): Record<string, unknown> => ({
  ExpiryTime: new Date(world.ground.clock.now() + world.tokenLifeMs),
  VolumeSize: size,
  BlockSize: blockBytes,
});

const listSnapshotBlocks: Operation<World> = async (call) => {
  const snapshot = snapshotOf(call, call.body['SnapshotId']);
  const { items, ...rest } = await pageOf(call, undefined, snapshot);
  return ok({
    ...common(call.world, snapshot),
    Blocks: items.map(({ index }) => ({
      BlockIndex: index,
      BlockToken: tokenOf(call.world, 'block', snapshot.id, index),
    })),
    ...rest,
  });
};

const listChangedBlocks: Operation<World> = async (call) => {
  const second = snapshotOf(call, call.body['SecondSnapshotId']);
  const first = snapshotOf(call, call.body['FirstSnapshotId']);
  if (first.lineage !== second.lineage)
    throw invalid('UNRELATED_SNAPSHOTS', 'The snapshots are not of the same lineage');
  const { items, ...rest } = await pageOf(call, first.id, second);
  const before = new Set((await listing(call.world, undefined, first.id)).map(({ index }) => index));
  return ok({
    ...common(call.world, second),
    ChangedBlocks: items.map(({ index, isZero }) => ({
      BlockIndex: index,
      ...(before.has(index) ? { FirstBlockToken: tokenOf(call.world, 'block', first.id, index) } : {}),
      ...(isZero ? {} : { SecondBlockToken: tokenOf(call.world, 'block', second.id, index) }),
    })),
    ...rest,
  });
};

const getSnapshotBlock: Operation<World> = async (call) => {
  const { world, body } = call;
  world.blocksUnderWay += 1;
  try {
    if (world.blocksUnderWay > world.mostBlocksAtOnce) {
      world.throttledBlocks += 1;
      throw new ApiError(400, 'Too many requests for this account', {
        code: 'RequestThrottledException',
        members: { Reason: 'ACCOUNT_THROTTLED' },
      });
    }
    // Requests that came in together are under way together.
    await nextTurn();
    const snapshot = snapshotOf(call, body['SnapshotId']);
    const index = Number(body['BlockIndex']);
    const parts = readToken(world, String(body['BlockToken']));
    if (parts?.[0] !== 'block' || parts[1] !== snapshot.id || parts[2] !== index)
      throw invalid('INVALID_BLOCK_TOKEN', 'The block token is invalid or has expired');
    const read = await world.ground.files.read(snapshot.id, index * blockBytes, blockBytes);
    const bytes = Buffer.alloc(blockBytes);
    read.copy(bytes);
    const checksum = createHash('sha256').update(bytes).digest('base64');
    if (world.damagedBlocks > 0) {
      world.damagedBlocks -= 1;
      bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    }
    return ok({ DataLength: blockBytes, BlockData: bytes, Checksum: checksum, ChecksumAlgorithm: 'SHA256' });
  } finally {
    world.blocksUnderWay -= 1;
  }
};

export const ebsOperations: Readonly<Record<string, Operation<World>>> = {
  GetSnapshotBlock: getSnapshotBlock,
  ListChangedBlocks: listChangedBlocks,
  ListSnapshotBlocks: listSnapshotBlocks,
};
