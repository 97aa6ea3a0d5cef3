import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedDisk, ServedDisks } from '../served-disk.ts';

/** What goes wrong with one response. */
export type FileFault =
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'status'; readonly status: number }
  /** The server ignores the range. */
  | { readonly kind: 'whole' }
  /** The bytes are those of another range, and the head says so. */
  | { readonly kind: 'other-range' }
  | { readonly kind: 'other-size' }
  | { readonly kind: 'modified' }
  | { readonly kind: 'silent' };

export interface DatastoreFilesOptions {
  readonly disks: Pick<ServedDisks, 'find'>;
  /** Whether a request with this `cookie` header belongs to a session. */
  readonly isSession: (cookie: string) => boolean;
  /** Asked for each GET with a range, in the order in which they arrive. */
  readonly fault?: (path: string, first: number, last: number) => FileFault | undefined;
}

const MODIFIED = 'Sat, 01 Aug 2026 10:00:00 GMT';

/**
 * Serves disks as a host's or vCenter's file server does: the descriptor as `NAME.vmdk`, its data as `NAME-flat.vmdk`. Disks
 * whose names end like snapshots' (`-000001.vmdk`) have a descriptor with a parent and no flat file.
 *
 * @returns false where the request is for something else
 */
export function datastoreFiles({
  disks,
  isSession,
  fault = () => undefined,
}: DatastoreFilesOptions): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'https://host');
    if (!url.pathname.startsWith('/folder/')) return false;
    if (!isSession(request.headers.cookie ?? '')) return end(response, 401);
    const name = decodeURIComponent(url.pathname.slice('/folder/'.length));
    const path = `[${url.searchParams.get('dsName') ?? ''}] ${name}`;
    const described = disks.find(path);
    if (described !== undefined) return sendBytes(request, response, Buffer.from(descriptorOf(described)));
    const disk = disks.find(path.replace(/-flat\.vmdk$/, '.vmdk'));
    if (disk === undefined || !path.endsWith('-flat.vmdk') || isDelta(disk)) return end(response, 404);
    if (disk.isLive) return end(response, 500);
    void sendDisk(request, response, disk, fault);
    return true;
  };
}

function isDelta({ path }: ServedDisk): boolean {
  return /-\d{6}\.vmdk$/.test(path);
}

function descriptorOf(disk: ServedDisk): string {
  const name = disk.path.slice(disk.path.lastIndexOf('/') + 1).replace(/\.vmdk$/, '');
  const sectors = disk.sizeBytes / 512;
  const [cid, parent, type, extent] = isDelta(disk)
    ? ['11223344', '55667788', 'seSparse', `RW ${sectors} SESPARSE "${name}-sesparse.vmdk"`]
    : ['55667788', 'ffffffff', 'vmfs', `RW ${sectors} VMFS "${name}-flat.vmdk"`];
  const keys = Object.entries(disk.descriptor).map(([key, value]) => `ddb.${key} = "${value}"`);
  const hint = isDelta(disk) ? [`parentFileNameHint="${name.replace(/-\d{6}$/, '')}.vmdk"`] : [];
  return [
    '# Disk DescriptorFile',
    'version=4',
    'encoding="UTF-8"',
    `CID=${cid}`,
    `parentCID=${parent}`,
    `createType="${type}"`,
    ...hint,
    '',
    '# Extent description',
    extent,
    '',
    '# The Disk Data Base',
    ...keys,
    '',
  ].join('\n');
}

function rangeOf(request: IncomingMessage, sizeBytes: number): readonly [first: number, last: number] | undefined {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  return first === undefined || last === undefined ? undefined : [Number(first), Math.min(Number(last), sizeBytes - 1)];
}

function sendBytes(request: IncomingMessage, response: ServerResponse, bytes: Buffer): true {
  const range = rangeOf(request, bytes.length);
  const part = range === undefined ? bytes : bytes.subarray(range[0], range[1] + 1);
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': part.length,
    'accept-ranges': 'bytes',
    'last-modified': MODIFIED,
    ...(range === undefined ? {} : { 'content-range': `bytes ${range[0]}-${range[1]}/${bytes.length}` }),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
  return true;
}

async function sendDisk(
  request: IncomingMessage,
  response: ServerResponse,
  disk: ServedDisk,
  faultOf: NonNullable<DatastoreFilesOptions['fault']>,
): Promise<void> {
  const size = disk.sizeBytes;
  const common = { 'accept-ranges': 'bytes', 'last-modified': MODIFIED };
  if (request.method === 'HEAD') return void response.writeHead(200, { ...common, 'content-length': size }).end();
  const range = rangeOf(request, size);
  if (range === undefined) return void end(response, 400);
  const [first, last] = range;
  const fault = faultOf(disk.path, first, last);
  if (fault?.kind === 'silent') return;
  if (fault?.kind === 'status') return void end(response, fault.status);
  const shift = fault?.kind === 'other-range' ? 512 : 0;
  const bytes = await disk.read(Math.max(0, first - shift), last - first + 1);
  response.writeHead(fault?.kind === 'whole' ? 200 : 206, {
    ...common,
    ...(fault?.kind === 'modified' ? { 'last-modified': 'Sun, 02 Aug 2026 10:00:00 GMT' } : {}),
    'content-length': fault?.kind === 'whole' ? size : bytes.length,
    ...(fault?.kind === 'whole'
      ? {}
      : {
          'content-range': `bytes ${Math.max(0, first - shift)}-${last - shift}/${size + (fault?.kind === 'other-size' ? 512 : 0)}`,
        }),
  });
  if (fault?.kind === 'cut') response.write(bytes.subarray(0, fault.afterBytes), () => response.destroy());
  else response.end(bytes);
}

function end(response: ServerResponse, status: number): true {
  response.writeHead(status, { 'content-length': 0 }).end();
  return true;
}
