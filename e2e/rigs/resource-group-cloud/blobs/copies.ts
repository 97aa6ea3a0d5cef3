import { randomUUID } from 'node:crypto';
import { fixedVhdFooter } from '../../../../electron/engine/images/vhd-footer.ts';
import { ApiError, type Operation } from '../../cloud-kit/call.ts';
import { demandContainer, etagOf, keyOf, metadataOf, type BlobRecord, type WithAccounts } from './accounts.ts';
import type { CopyRecord } from './copy-record.ts';

const footerBytes = 512;

interface CopyingWorld extends WithAccounts {
  /** How long a copy takes. */
  readonly copyMs: number;
  /** @throws ApiError for an address that is not good */
  demand(fileId: string, query: URLSearchParams, access: 'Read'): unknown;
}

/** A new blob with what a disk or snapshot has, by its signed address. The footer is that of the format, which exports have. */
const startCopy: Operation<CopyingWorld> = async (call) => {
  const { world } = call;
  const { accounts } = world;
  const { files } = accounts;
  const at = demandContainer(call);
  const source = new URL(String(call.headers['x-ms-copy-source']));
  const fileId = decodeURIComponent(source.pathname.split('/')[1] ?? '');
  try {
    world.demand(fileId, source.searchParams, 'Read');
  } catch {
    throw new ApiError(403, 'Server failed to authenticate the request to the source of the copy.', {
      code: 'CannotVerifyCopySource',
    });
  }
  if (accounts.blobs.has(keyOf(at)) && call.headers['if-none-match'] === '*')
    throw new ApiError(409, 'The specified blob already exists.', { code: 'BlobAlreadyExists' });
  const size = await files.sizeBytes(fileId);
  const copy: CopyRecord = {
    id: randomUUID(),
    fileId,
    endsAt: accounts.now() + world.copyMs,
    status: 'pending',
    description: '',
  };
  const record: BlobRecord = {
    ...at,
    fileId: `blob-${randomUUID()}`,
    createdAt: accounts.tick(),
    bytes: size + footerBytes,
    metadata: metadataOf(call),
    copy,
  };
  await files.copy(fileId, record.fileId);
  await files.grow(record.fileId, record.bytes);
  await files.write(record.fileId, size, fixedVhdFooter(size));
  accounts.blobs.set(keyOf(at), record);
  return {
    status: 202,
    headers: {
      etag: etagOf(record),
      'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
      'x-ms-version': '2026-04-06',
      'x-ms-copy-id': copy.id,
      'x-ms-copy-status': 'pending',
    },
  };
};

const abortCopy: Operation<CopyingWorld> = (call) => {
  const { accounts } = call.world;
  const copy = accounts.copyOf(accounts.demand(call));
  if (copy?.status !== 'pending' || copy.id !== call.query.get('copyid'))
    throw new ApiError(409, 'There is currently no pending copy operation.', { code: 'NoPendingCopyOperation' });
  copy.status = 'aborted';
  return { status: 204, headers: { 'x-ms-version': '2026-04-06' } };
};

export const copyOperations: Readonly<Record<string, Operation<CopyingWorld>>> = {
  Blob_StartCopyFromURL: startCopy,
  Blob_AbortCopyFromURL: abortCopy,
};
