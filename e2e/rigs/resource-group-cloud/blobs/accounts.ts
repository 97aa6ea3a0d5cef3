import { randomUUID } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError, type Call, type Operation, type Reply } from '../../cloud-kit/call.ts';
import type { VolumeFiles } from '../../cloud-kit/volume-files.ts';
import type { BlobContents } from '../world.ts';
import { copyHeaders, settle, type CopyRecord } from './copy-record.ts';

/** A page blob of an account, or a snapshot of one. */
export interface BlobRecord {
  readonly account: string;
  readonly container: string;
  readonly name: string;
  /** Empty: the blob itself. */
  readonly snapshot: string;
  /** The file of its bytes. */
  readonly fileId: string;
  /** Another one, under the same name, is another blob: what changed since one's snapshots is not told of the other. */
  readonly createdAt: number;
  /** A VM has it as a disk: nobody else may write or remove it. */
  isLeased?: boolean;
  /** What it was made of by copying. */
  readonly copy?: CopyRecord;
  bytes: number;
  metadata: Record<string, string>;
}

/** Storage accounts with containers of page blobs, for whoever is signed in. */
export class BlobAccounts {
  readonly containers = new Set<string>();
  readonly blobs = new Map<string, BlobRecord>();
  /** The account's existence, and the token's. */
  isKnown: (account: string) => boolean = () => false;
  accepts: (authorization: string | undefined) => boolean = () => false;
  now: () => number = () => 0;
  /** Whether somebody may still read a disk or snapshot by its signed address. */
  isReadable: (fileId: string) => boolean = () => false;
  readonly #files: VolumeFiles;
  #moment = Date.UTC(2030, 0, 1);

  constructor(files: VolumeFiles) {
    this.#files = files;
  }

  /** What imports of disks read. */
  get contents(): BlobContents {
    const demand = (uri: string): BlobRecord => {
      const { pathname, searchParams } = new URL(uri);
      const [, account = '', container = '', name = ''] = pathname.split('/').map(decodeURIComponent);
      const found = this.blobs.get(keyOf({ account, container, name, snapshot: searchParams.get('snapshot') ?? '' }));
      if (found === undefined) throw new ApiError(400, `The blob ${uri} was not found.`, { code: 'InvalidParameter' });
      return found;
    };
    return {
      sizeOf: (uri) => demand(uri).bytes,
      copyOut: async (uri, toPath, bytes) => {
        await this.#files.copy(demand(uri).fileId, basename(toPath, '.raw'));
        await truncate(toPath, bytes);
      },
    };
  }

  /** The file behind a blob, by its address. */
  path(id: string): string {
    const [, account = '', container = '', name = ''] = new URL(id).pathname.split('/').map(decodeURIComponent);
    return this.#files.path(this.blobs.get(keyOf({ account, container, name, snapshot: '' }))?.fileId ?? 'none');
  }

  admit(call: Call<unknown>): {
    readonly account: string;
    readonly container: string;
    readonly name: string;
    readonly snapshot: string;
  } {
    const { account = '', container = '', blob = '' } = call.params;
    if (!this.accepts(call.headers.authorization))
      throw new ApiError(
        401,
        'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
        { code: 'InvalidAuthenticationInfo' },
      );
    if (!this.isKnown(account))
      throw new ApiError(404, 'The specified account does not exist.', { code: 'ResourceNotFound' });
    return { account, container, name: blob, snapshot: call.query.get('snapshot') ?? '' };
  }

  demand(call: Call<unknown>): BlobRecord {
    const at = this.admit(call);
    const found = this.blobs.get(keyOf(at));
    if (found === undefined) throw new ApiError(404, 'The specified blob does not exist.', { code: 'BlobNotFound' });
    return found;
  }

  /** A blob as if it had always been there. */
  async stock(at: Pick<BlobRecord, 'account' | 'container' | 'name'>, bytes: number): Promise<BlobRecord> {
    const record: BlobRecord = {
      ...at,
      snapshot: '',
      fileId: `blob-${randomUUID()}`,
      createdAt: this.tick(),
      bytes,
      metadata: {},
    };
    await this.#files.createBlank(record.fileId, bytes);
    this.containers.add(`${at.account}/${at.container}`);
    this.blobs.set(keyOf(record), record);
    return record;
  }

  tick(): number {
    this.#moment += 1;
    return this.#moment;
  }

  /** What writes or removes it has to know the lease. */
  refuseLeased(blob: BlobRecord): void {
    if (blob.isLeased === true)
      throw new ApiError(412, 'There is currently a lease on the blob and no lease ID was specified in the request.', {
        code: 'LeaseIdMissing',
      });
  }

  copyOf({ copy }: BlobRecord): CopyRecord | undefined {
    return copy === undefined ? undefined : settle(copy, this.now(), this.isReadable);
  }

  /** What is being copied into can neither be read nor removed. */
  refuseCopied(blob: BlobRecord): void {
    if (this.copyOf(blob)?.status === 'pending')
      throw new ApiError(409, 'There is currently a pending copy operation.', { code: 'PendingCopyOperation' });
  }

  /** The earlier snapshot that a list of changes names. */
  former(own: BlobRecord, time: string): BlobRecord {
    const found = this.blobs.get(keyOf({ ...own, snapshot: time }));
    if (found === undefined || time === '')
      throw new ApiError(409, 'The previous snapshot is not found.', { code: 'PreviousSnapshotNotFound' });
    if (own.snapshot !== '' && found.snapshot > own.snapshot)
      throw new ApiError(
        400,
        'The prevsnapshot query parameter value cannot be newer than snapshot query parameter value.',
        { code: 'PreviousSnapshotCannotBeNewer' },
      );
    if (found.createdAt !== own.createdAt)
      throw new ApiError(409, 'The blob has been recreated since the previous snapshot was taken.', {
        code: 'BlobOverwritten',
      });
    return found;
  }

  /** Of one blob: later ones sort after earlier ones. */
  nextSnapshot(): string {
    return `${new Date(this.tick()).toISOString().slice(0, -1)}0000Z`;
  }

  get files(): VolumeFiles {
    return this.#files;
  }
}

export const keyOf = ({
  account,
  container,
  name,
  snapshot,
}: Pick<BlobRecord, 'account' | 'container' | 'name' | 'snapshot'>): string =>
  [account, container, name, snapshot].join('\n');

export interface WithAccounts {
  readonly accounts: BlobAccounts;
}

const pageBytes = 512;
const largestBytes = 8 * 2 ** 40;
/** Each blob and each snapshot has its own. */
export const etagOf = ({ fileId }: Pick<BlobRecord, 'fileId'>): string =>
  `"0x${Buffer.from(fileId).subarray(-8).toString('hex').toUpperCase()}"`;
const answerHeaders = {
  etag: '"0x8D4BCC2E4835CD1"',
  'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
  'x-ms-version': '2026-04-06',
};
const done = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { ...answerHeaders, ...headers },
});
/** What is said where content or metadata are written. */
const encrypted = { 'x-ms-request-server-encrypted': 'true' };

export function metadataOf({ headers }: Call<unknown>): Record<string, string> {
  const given = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-meta-'))
    .map(([name, value]) => [name.slice('x-ms-meta-'.length), String(value)] as const);
  const wrong = given.find(([name]) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    throw new ApiError(400, 'The metadata specified is invalid. It has characters that are not permitted.', {
      code: 'InvalidMetadata',
    });
  return Object.fromEntries(given);
}

function sizeOf({ headers }: Call<unknown>): number {
  const bytes = Number(headers['x-ms-blob-content-length']);
  if (!Number.isInteger(bytes) || bytes < 0 || bytes % pageBytes !== 0 || bytes > largestBytes)
    throw new ApiError(400, 'The value for one of the HTTP headers is not in the correct format.', {
      code: 'InvalidHeaderValue',
    });
  return bytes;
}

const createContainer: Operation<WithAccounts> = (call) => {
  const { account, container } = call.world.accounts.admit(call);
  if (!/^[a-z0-9](?:-?[a-z0-9]){2,62}$/.test(container))
    throw new ApiError(400, 'The specified resource name contains invalid characters.', {
      code: 'InvalidResourceName',
    });
  const key = `${account}/${container}`;
  if (call.world.accounts.containers.has(key))
    throw new ApiError(409, 'The specified container already exists.', { code: 'ContainerAlreadyExists' });
  call.world.accounts.containers.add(key);
  return done(201);
};

export function demandContainer(call: Call<WithAccounts>): {
  readonly account: string;
  readonly container: string;
  readonly name: string;
  readonly snapshot: string;
} {
  const at = call.world.accounts.admit(call);
  if (!call.world.accounts.containers.has(`${at.account}/${at.container}`))
    throw new ApiError(404, 'The specified container does not exist.', { code: 'ContainerNotFound' });
  return at;
}

const listBlobs: Operation<WithAccounts> = (call) => {
  const { account, container } = demandContainer(call);
  const include = (call.query.get('include') ?? '').split(',');
  const prefix = call.query.get('prefix') ?? '';
  const found = [...call.world.accounts.blobs.values()]
    .filter(
      (blob) =>
        blob.account === account &&
        blob.container === container &&
        blob.name.startsWith(prefix) &&
        (blob.snapshot === '' || include.includes('snapshots')),
    )
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const from = Number(call.query.get('marker') ?? 0);
  const most = Math.min(5000, Number(call.query.get('maxresults') ?? 5000));
  const text = found
    .slice(from, from + most)
    .map(({ name, snapshot, bytes, metadata }) =>
      [
        `<Blob><Name>${name}</Name>`,
        snapshot === '' ? '' : `<Snapshot>${snapshot}</Snapshot>`,
        `<Properties><Creation-Time>Tue, 01 Jan 2030 00:00:00 GMT</Creation-Time><Last-Modified>Tue, 01 Jan 2030 00:00:00 GMT</Last-Modified><Etag>0x8D4BCC2E4835CD1</Etag><Content-Length>${bytes}</Content-Length>`,
        '<Content-Type>application/octet-stream</Content-Type><x-ms-blob-sequence-number>0</x-ms-blob-sequence-number><BlobType>PageBlob</BlobType></Properties>',
        include.includes('metadata')
          ? `<Metadata>${Object.entries(metadata)
              .map(([key, value]) => `<${key}>${value}</${key}>`)
              .join('')}</Metadata>`
          : '',
        '</Blob>',
      ].join(''),
    )
    .join('');
  const next = from + most < found.length ? `<NextMarker>${from + most}</NextMarker>` : '<NextMarker/>';
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', 'x-ms-version': answerHeaders['x-ms-version'] },
    body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="https://storage.invalid/" ContainerName="${container}"><Blobs>${text}</Blobs>${next}</EnumerationResults>`,
  };
};

const createPageBlob: Operation<WithAccounts> = async (call) => {
  const at = demandContainer(call);
  const { accounts } = call.world;
  const bytes = sizeOf(call);
  if (call.headers['x-ms-blob-type'] !== 'PageBlob')
    throw new ApiError(400, 'The value for one of the HTTP headers is not in the correct format.', {
      code: 'InvalidHeaderValue',
    });
  const before = accounts.blobs.get(keyOf(at));
  if (before !== undefined && call.headers['if-none-match'] === '*')
    throw new ApiError(409, 'The specified blob already exists.', { code: 'BlobAlreadyExists' });
  const record: BlobRecord = {
    ...at,
    fileId: `blob-${randomUUID()}`,
    createdAt: accounts.tick(),
    bytes,
    metadata: metadataOf(call),
  };
  if (before !== undefined) accounts.refuseLeased(before);
  if (before !== undefined) await accounts.files.remove(before.fileId);
  await accounts.files.createBlank(record.fileId, bytes);
  accounts.blobs.set(keyOf(at), record);
  return done(201, encrypted);
};

const setMetadata: Operation<WithAccounts> = (call) => {
  call.world.accounts.demand(call).metadata = metadataOf(call);
  return done(200, encrypted);
};

const resize: Operation<WithAccounts> = async (call) => {
  const blob = call.world.accounts.demand(call);
  blob.bytes = sizeOf(call);
  await call.world.accounts.files.grow(blob.fileId, blob.bytes);
  return done(200, { 'x-ms-blob-sequence-number': '0' });
};

const createSnapshot: Operation<WithAccounts> = async (call) => {
  const { accounts } = call.world;
  const blob = accounts.demand(call);
  const metadata = metadataOf(call);
  const made: BlobRecord = {
    ...blob,
    snapshot: accounts.nextSnapshot(),
    fileId: `blob-${randomUUID()}`,
    isLeased: false,
    metadata: Object.keys(metadata).length === 0 ? { ...blob.metadata } : metadata,
  };
  await accounts.files.copy(blob.fileId, made.fileId);
  accounts.blobs.set(keyOf(made), made);
  return done(201, { ...encrypted, 'x-ms-snapshot': made.snapshot });
};

const deleteBlob: Operation<WithAccounts> = async (call) => {
  const { accounts } = call.world;
  const blob = accounts.demand(call);
  accounts.refuseLeased(blob);
  accounts.refuseCopied(blob);
  const snapshots =
    blob.snapshot === ''
      ? [...accounts.blobs.values()].filter(
          (each) => each.snapshot !== '' && keyOf({ ...each, snapshot: '' }) === keyOf(blob),
        )
      : [];
  if (snapshots.length > 0 && call.headers['x-ms-delete-snapshots'] !== 'include')
    throw new ApiError(409, 'This operation is not permitted because the blob has snapshots.', {
      code: 'SnapshotsPresent',
    });
  for (const each of [blob, ...snapshots]) {
    accounts.blobs.delete(keyOf(each));
    await accounts.files.remove(each.fileId);
  }
  return { status: 202, headers: { 'x-ms-version': answerHeaders['x-ms-version'] } };
};

const getProperties: Operation<WithAccounts> = (call) => {
  const blob = call.world.accounts.demand(call);
  const { bytes, metadata } = blob;
  const copy = call.world.accounts.copyOf(blob);
  return {
    status: 200,
    headers: {
      ...answerHeaders,
      etag: etagOf(blob),
      'content-length': String(bytes),
      'x-ms-blob-type': 'PageBlob',
      ...(copy === undefined ? {} : copyHeaders(copy, bytes)),
      ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`x-ms-meta-${key}`, value])),
    },
  };
};

export const accountOperations: Readonly<Record<string, Operation<WithAccounts>>> = {
  Container_Create: createContainer,
  Container_ListBlobFlatSegment: listBlobs,
  PageBlob_Create: createPageBlob,
  PageBlob_Resize: resize,
  Blob_SetMetadata: setMetadata,
  Blob_CreateSnapshot: createSnapshot,
  Blob_Delete: deleteBlob,
  Blob_GetProperties: getProperties,
};

/** Which operation a request to an account is; undefined: of pages and bytes, which blobs of disks have as well. */
export function accountOperation(
  method: string,
  query: URLSearchParams,
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  const comp = query.get('comp');
  if (query.get('restype') === 'container')
    return method === 'PUT' && comp === null
      ? 'Container_Create'
      : method === 'GET' && comp === 'list'
        ? 'Container_ListBlobFlatSegment'
        : undefined;
  if (method === 'DELETE') return 'Blob_Delete';
  if (method === 'HEAD') return 'Blob_GetProperties';
  if (method !== 'PUT') return undefined;
  if (comp === null && headers['x-ms-copy-source'] !== undefined) return 'Blob_StartCopyFromURL';
  const puts: Readonly<Record<string, string>> = {
    properties: 'PageBlob_Resize',
    metadata: 'Blob_SetMetadata',
    snapshot: 'Blob_CreateSnapshot',
    copy: 'Blob_AbortCopyFromURL',
  };
  return comp === null ? 'PageBlob_Create' : puts[comp];
}
