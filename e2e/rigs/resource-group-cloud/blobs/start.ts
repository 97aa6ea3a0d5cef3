import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { ApiError, type Call, type Operation, type Reply } from '../../cloud-kit/call.ts';
import type { Clock } from '../../cloud-kit/clock.ts';
import type { CallRecord } from '../../cloud-kit/http-server.ts';
import type { Protocol } from '../../cloud-kit/json-protocol.ts';
import { SimulatedWorld, startSimulation, type Ground, type Simulation } from '../../cloud-kit/start.ts';
import { accountOperation, accountOperations, BlobAccounts } from './accounts.ts';
import { copyOperations } from './copies.ts';
import { blobDescription } from './vendor-operations.ts';
import { runsOf, type ChangedBlock, type VolumeFiles } from '../../cloud-kit/volume-files.ts';

/** What access to a disk or snapshot is asked for. */
export interface AccessWish {
  /** The file of its bytes. */
  readonly fileId: string;
  readonly access: 'Read' | 'Write';
  readonly seconds: number;
  /** Snapshots of one disk: what changed is told between those of one family only. */
  readonly family?: string;
}

export interface BlobOptions {
  /** The bytes of disks and snapshots, one file each. */
  readonly files: VolumeFiles;
  readonly tls: { readonly key: string; readonly cert: string };
  readonly clock?: Clock;
  readonly onCall?: (call: CallRecord) => void;
}

/** The signed addresses of disks and snapshots of one simulated cloud. */
export interface BlobSimulation extends Simulation<BlobWorld> {
  /** A signed address. @throws ApiError when a family has as many as it may */
  grant(wish: AccessWish): string;
  /** All addresses of a disk or snapshot end. */
  revoke(fileId: string): void;
  hasAccess(fileId: string): boolean;
  /** The addresses given so far end, as when their time is over. */
  expire(fileId: string): void;
}

interface Grant extends AccessWish {
  readonly id: string;
  readonly key: Buffer;
  endsAt: number;
}

/** The service counts in these; it tells what changed no finer. */
const pageBytes = 512;
const rangeBytes = 4096;
const mostBytesOfAPut = 4 * 2 ** 20;
const mostSnapshotsOfAFamily = 5;

export class BlobWorld extends SimulatedWorld {
  readonly files: VolumeFiles;
  readonly accounts: BlobAccounts;
  readonly grants = new Map<string, Grant>();
  /** How many ranges one answer lists; a test may make it small. */
  rangesPerAnswer = 10_000;
  /** How long copying a snapshot to a blob takes. */
  copyMs = 5;
  /** Lists of snapshots, whose bytes never change. */
  readonly #lists = new Map<string, Promise<readonly ListedRange[]>>();

  constructor(ground: Ground, files: VolumeFiles) {
    super(ground);
    this.files = files;
    this.accounts = new BlobAccounts(files);
    this.accounts.now = () => ground.clock.now();
    this.accounts.isReadable = (fileId) =>
      [...this.grants.values()].some((grant) => grant.fileId === fileId && grant.endsAt > ground.clock.now());
  }

  /** What a request for pages or bytes is about: a disk by its signed address, or a blob of an account by a token. */
  asked(
    call: Call<BlobWorld>,
    access: 'Read' | 'Write',
  ): { readonly fileId: string; readonly isFixed: boolean; readonly footer: number } {
    if (call.params['account'] !== undefined) {
      const blob = this.accounts.demand(call);
      this.accounts.refuseCopied(blob);
      if (access === 'Write') this.accounts.refuseLeased(blob);
      return { fileId: blob.fileId, isFixed: blob.snapshot !== '', footer: 0 };
    }
    const fileId = call.params['blob'] ?? '';
    const { family } = this.demand(fileId, call.query, access);
    // The footer of an upload belongs to the format and not to the disk.
    return { fileId, isFixed: family !== undefined, footer: pageBytes };
  }

  /** The grant that a signed address stands for. */
  demand(fileId: string, query: URLSearchParams, access: 'Read' | 'Write'): Grant {
    const grant = [...this.grants.values()].find(({ id }) => id === query.get('si'));
    if (grant === undefined || grant.fileId !== fileId || query.get('sig') !== signatureOf(grant)) {
      throw new ApiError(
        403,
        'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
        { code: 'AuthenticationFailed' },
      );
    }
    if (grant.endsAt <= this.ground.clock.now()) {
      throw new ApiError(
        403,
        'Server failed to authenticate the request. Signature not valid in the specified time frame.',
        { code: 'AuthenticationFailed' },
      );
    }
    if (access === 'Write' && grant.access !== 'Write')
      throw new ApiError(403, 'This request is not authorized to perform this operation using this permission.', {
        code: 'AuthorizationPermissionMismatch',
      });
    return grant;
  }

  listed(fileId: string, since: string | undefined, isFixed: boolean): Promise<readonly ListedRange[]> {
    const key = `${fileId} ${since ?? ''}`;
    const kept = this.#lists.get(key);
    if (kept !== undefined && isFixed) return kept;
    const made = rangesOf(this.files, fileId, since);
    this.#lists.set(key, made);
    return made;
  }
}

/** Starts the data plane: page blobs behind disks and snapshots, by signed addresses alone. */
export async function startBlobs({ files, ...options }: BlobOptions): Promise<BlobSimulation> {
  const simulation = await startSimulation(
    'blobs',
    options,
    (ground) => new BlobWorld(ground, files),
    () => ({
      protocol: blobProtocol,
      operations: {
        GetPageRanges: pageRanges,
        GetPageRangesDiff: pageRangesDiff,
        GetBlob: getBlob,
        GetBlobProperties: properties,
        UploadPages: putPages,
        ClearPages: putPages,
        ...accountOperations,
        ...copyOperations,
      },
      requestIdHeader: 'x-ms-request-id',
      description: blobDescription(),
    }),
  );
  const { world } = simulation;
  const now = (): number => world.ground.clock.now();
  const url = simulation.url.replace('127.0.0.1', 'localhost');
  return {
    ...simulation,
    url,
    grant(wish) {
      const ofFamily = [...world.grants.values()].filter(
        ({ family, fileId, endsAt }) =>
          wish.family !== undefined && family === wish.family && fileId !== wish.fileId && endsAt > now(),
      );
      if (ofFamily.length >= mostSnapshotsOfAFamily) {
        throw new ApiError(
          409,
          `At most ${mostSnapshotsOfAFamily} snapshots of one family can have an active shared access signature.`,
          { code: 'OperationNotAllowed' },
        );
      }
      const grant: Grant = { ...wish, id: randomUUID(), key: randomBytes(32), endsAt: now() + wish.seconds * 1000 };
      world.grants.set(wish.fileId, grant);
      const query = new URLSearchParams({ sv: '2018-03-28', sr: 'b', si: grant.id, sig: signatureOf(grant) });
      return `${url}/${encodeURIComponent(wish.fileId)}/abcd?${query.toString()}`;
    },
    revoke: (fileId) => void world.grants.delete(fileId),
    hasAccess: (fileId) => (world.grants.get(fileId)?.endsAt ?? 0) > now(),
    expire(fileId) {
      const grant = world.grants.get(fileId);
      if (grant !== undefined) grant.endsAt = now() - 1;
    },
  };
}

const signatureOf = ({ id, key, fileId }: Grant): string =>
  createHmac('sha256', key).update(`${id} ${fileId}`).digest('base64');

interface ListedRange {
  readonly kind: 'PageRange' | 'ClearRange';
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

async function rangesOf(
  files: VolumeFiles,
  fileId: string,
  since: string | undefined,
): Promise<readonly ListedRange[]> {
  const size = await files.sizeBytes(fileId);
  const blocks =
    size <= wholeBytes ? await comparedWhole(files, fileId, since, size) : await largeBlocks(files, fileId, since);
  const listed = (kind: ListedRange['kind'], isZero: boolean): readonly ListedRange[] =>
    runsOf(
      blocks.filter((block) => block.isZero === isZero).map(({ index }) => index),
      rangeBytes,
      size,
    ).map(({ offset, length }) => ({ kind, start: offset, end: offset + length - 1 }));
  return [...listed('PageRange', false), ...(since === undefined ? [] : listed('ClearRange', true))].sort(
    (one, other) => one.start - other.start,
  );
}

/** Files up to this size are compared in memory; a larger one is mostly holes, which its file system knows. */
const wholeBytes = 64 * 2 ** 20;

async function largeBlocks(
  files: VolumeFiles,
  fileId: string,
  since: string | undefined,
): Promise<readonly ChangedBlock[]> {
  if (since !== undefined) return files.changedBlocks(since, fileId, rangeBytes);
  return (await files.allocatedBlocks(fileId, rangeBytes)).map((index) => ({ index, isZero: false }));
}

async function comparedWhole(
  files: VolumeFiles,
  fileId: string,
  since: string | undefined,
  size: number,
): Promise<readonly ChangedBlock[]> {
  const now = await files.read(fileId, 0, size);
  const then = since === undefined ? Buffer.alloc(0) : await files.read(since, 0, size);
  const zeros = Buffer.alloc(rangeBytes);
  const changed: ChangedBlock[] = [];
  for (let at = 0; at < size; at += rangeBytes) {
    const length = Math.min(rangeBytes, size - at);
    const before = at + length <= then.length ? then : zeros;
    const from = before === zeros ? 0 : at;
    if (now.compare(before, from, from + length, at, at + length) === 0) continue;
    changed.push({ index: at / rangeBytes, isZero: now.compare(zeros, 0, length, at, at + length) === 0 });
  }
  return changed;
}

const pageRanges: Operation<BlobWorld> = async (call) => {
  const { world } = call;
  const { fileId, isFixed } = world.asked(call, 'Read');
  return listOf(call, fileId, await world.listed(fileId, undefined, isFixed));
};

const pageRangesDiff: Operation<BlobWorld> = async (call) => {
  const { world } = call;
  if (call.params['account'] !== undefined) {
    const own = world.accounts.demand(call);
    const former = world.accounts.former(own, call.query.get('prevsnapshot') ?? '');
    return listOf(call, own.fileId, await world.listed(own.fileId, former.fileId, own.snapshot !== ''));
  }
  const fileId = call.params['blob'] ?? '';
  const grant = world.demand(fileId, call.query, 'Read');
  const former = new URL(String(call.headers['x-ms-previous-snapshot-url']));
  const formerId = decodeURIComponent(former.pathname.split('/')[1] ?? '');
  const formerGrant = world.demand(formerId, former.searchParams, 'Read');
  if (grant.family === undefined || formerGrant.family !== grant.family) {
    throw new ApiError(409, 'The previous snapshot does not belong to the family of the snapshot.', {
      code: 'PreviousSnapshotOperationNotSupported',
    });
  }
  return listOf(call, fileId, await world.listed(fileId, formerId, true));
};

async function listOf(
  { world, headers }: Call<BlobWorld>,
  fileId: string,
  ranges: readonly ListedRange[],
): Promise<Reply> {
  const size = await world.files.sizeBytes(fileId);
  const { start, end } = rangeOf(headers['x-ms-range'] ?? headers['range'], size);
  if (start % pageBytes !== 0 || (end + 1) % pageBytes !== 0)
    throw new ApiError(416, 'The page range specified is invalid.', { code: 'InvalidPageRange' });
  const within = ranges
    .filter((range) => range.start <= end && range.end >= start)
    .map((range) => ({ ...range, start: Math.max(range.start, start), end: Math.min(range.end, end) }));
  const shown = within.slice(0, world.rangesPerAnswer);
  const text = shown
    .map((range) => `<${range.kind}><Start>${range.start}</Start><End>${range.end}</End></${range.kind}>`)
    .join('');
  const marker = shown.length < within.length ? `<NextMarker>${shown.length}</NextMarker>` : '<NextMarker/>';
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', 'x-ms-blob-content-length': String(size), ...blobHeaders },
    body: `<?xml version="1.0" encoding="utf-8"?><PageList>${text}${marker}</PageList>`,
  };
}

const blobHeaders = {
  etag: '"0x8D4BCC2E4835CD0"',
  'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
  'x-ms-version': '2026-04-06',
};

const getBlob: Operation<BlobWorld> = async (call) => {
  const { world, headers } = call;
  const { fileId } = world.asked(call, 'Read');
  const size = await world.files.sizeBytes(fileId);
  const { start, end } = rangeOf(headers['x-ms-range'] ?? headers['range'], size);
  const bytes = await world.files.read(fileId, start, end - start + 1);
  return {
    status: 206,
    body: bytes,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-range': `bytes ${start}-${end}/${size}`,
      'x-ms-blob-type': 'PageBlob',
      ...blobHeaders,
    },
  };
};

const properties: Operation<BlobWorld> = async ({ world, params, query }) => {
  const fileId = params['blob'] ?? '';
  world.demand(fileId, query, 'Read');
  return {
    status: 200,
    headers: {
      'content-length': String(await world.files.sizeBytes(fileId)),
      'x-ms-blob-type': 'PageBlob',
      ...blobHeaders,
    },
  };
};

/** Direct upload: the disk's bytes, then a footer of 512 bytes that belongs to the format and not to the disk. */
const putPages: Operation<BlobWorld> = async (call) => {
  const { world, operation, headers, raw } = call;
  const { fileId, footer } = world.asked(call, 'Write');
  const size = await world.files.sizeBytes(fileId);
  const { start, end } = rangeOf(headers['x-ms-range'] ?? headers['range'], size + footer);
  const length = end - start + 1;
  const isClear = operation === 'ClearPages';
  if (start % pageBytes !== 0 || length % pageBytes !== 0)
    throw new ApiError(416, 'The page range specified is invalid.', { code: 'InvalidPageRange' });
  if (!isClear && length > mostBytesOfAPut)
    throw new ApiError(413, 'The request body is too large and exceeds the maximum permissible limit.', {
      code: 'RequestBodyTooLarge',
    });
  if (!isClear && raw.length !== length)
    throw new ApiError(400, 'The value for one of the HTTP headers is not in the correct format.', {
      code: 'InvalidHeaderValue',
    });
  const kept = Math.max(0, Math.min(length, size - start));
  if (kept > 0) await world.files.write(fileId, start, isClear ? Buffer.alloc(kept) : raw.subarray(0, kept));
  return {
    status: 201,
    headers: {
      ...blobHeaders,
      'x-ms-blob-sequence-number': '0',
      ...(isClear ? {} : { 'x-ms-request-server-encrypted': 'true' }),
    },
  };
};

function rangeOf(
  header: string | readonly string[] | undefined,
  size: number,
): { readonly start: number; readonly end: number } {
  const parts = /^bytes=(\d+)-(\d*)$/.exec(String(header ?? ''));
  const start = Number(parts?.[1] ?? 0);
  const end = Math.min(size - 1, parts?.[2] === undefined || parts[2] === '' ? size - 1 : Number(parts[2]));
  if (start > end)
    throw new ApiError(416, 'The range specified is invalid for the current size of the resource.', {
      code: 'InvalidRange',
    });
  return { start, end };
}

/** Requests as blobs know them: what is asked for is said by the method, a parameter and headers; errors are XML. */
const blobProtocol: Protocol = {
  route({ method, url, headers }) {
    const [, blob = '', name = '', ...rest] = url.pathname.split('/');
    if (blob === '' || name === '') return undefined;
    const isOfAccount = rest.length > 0 || url.searchParams.get('restype') === 'container';
    const ofAccount = isOfAccount ? accountOperation(method, url.searchParams, headers) : undefined;
    const comp = url.searchParams.get('comp');
    const operation =
      ofAccount ??
      (method === 'GET' && comp === 'pagelist'
        ? headers['x-ms-previous-snapshot-url'] === undefined && !url.searchParams.has('prevsnapshot')
          ? 'GetPageRanges'
          : 'GetPageRangesDiff'
        : method === 'GET' && comp === null
          ? 'GetBlob'
          : method === 'HEAD'
            ? 'GetBlobProperties'
            : method === 'PUT' && comp === 'page'
              ? headers['x-ms-page-write'] === 'clear'
                ? 'ClearPages'
                : 'UploadPages'
              : undefined);
    if (operation !== undefined && isOfAccount)
      return {
        operation,
        pathTemplate: '/{account}/{container}/{blob}',
        params: {
          account: decodeURIComponent(blob),
          container: decodeURIComponent(name),
          blob: rest.map(decodeURIComponent).join('/'),
        },
      };
    return operation === undefined
      ? undefined
      : { operation, pathTemplate: '/{blob}/{name}', params: { blob: decodeURIComponent(blob), name } };
  },
  decode: () => undefined,
  encode: (reply) =>
    reply.body === undefined || typeof reply.body === 'string' || Buffer.isBuffer(reply.body)
      ? reply
      : { ...reply, body: JSON.stringify(reply.body) },
  error: ({ status, code, message, headers }) => ({
    status,
    headers: { 'content-type': 'application/xml', 'x-ms-error-code': code ?? 'InternalError', ...headers },
    body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code ?? 'InternalError'}</Code><Message>${message}</Message></Error>`,
  }),
};
