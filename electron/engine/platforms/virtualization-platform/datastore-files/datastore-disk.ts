import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import {
  MAX_DESCRIPTOR_BYTES,
  parseVmdkDescriptor,
  type VmdkDescriptor,
  type VmdkExtent,
} from '../../../images/vmdk-descriptor.ts';
import type { DiskContent } from '../disk-access/disk-content.ts';
import { FileServer, throwIfCancelled, type FileServerAddress } from '../disk-access/file-server.ts';
import { folderUrl, parseDatastorePath, pathText, siblingOf } from './datastore-path.ts';
import { RangedFile, type FileFacts, type RangedFileOptions, type SessionCookie } from './ranged-file.ts';

export interface DatastoreDiskRequest {
  readonly server: FileServerAddress;
  readonly cookie: SessionCookie;
  /** Inventory path of the datacenter; `ha-datacenter` on a single host. */
  readonly datacenterPath: string;
  /** The disk as its backing names it: `[datastore] folder/name.vmdk`. */
  readonly fileName: string;
  /** Capacity of the disk by the VM's description. */
  readonly sizeBytes: number;
  /** Ranges of this disk in flight. */
  readonly concurrency?: number;
  /** For tests. */
  readonly inactivityMs?: number;
  readonly clock?: RangedFileOptions['clock'];
  readonly backOff?: RangedFileOptions['backOff'];
}

const SECTOR = 512;
const MAX_EXTENTS = 1024;
const CONCURRENCY = 6;
/** A range that is asked for at a time: large enough for the line, small enough to lose. */
const PIECE = 1024 * 1024;

interface PlacedExtent {
  readonly start: number;
  readonly length: number;
  /** Undefined for zeros. */
  readonly file?: { readonly ranged: RangedFile; readonly facts: FileFacts; readonly at: number };
}

/**
 * A disk of a VM that is powered off, read from its flat files by HTTPS. Says nothing of what is allocated.
 *
 * @throws CausewayError source.unsupported for snapshots and everything else that is not flat, source.image-unreadable,
 *   source.image-refers-outside, source.disk-not-found, source.request-refused, source.unreachable, source.tls-refused
 */
export async function openDatastoreDisk(request: DatastoreDiskRequest, signal: AbortSignal): Promise<DiskContent> {
  const path = parseDatastorePath(request.fileName);
  const server = new FileServer(request.server, request.inactivityMs);
  const options: RangedFileOptions = {
    server,
    cookie: request.cookie,
    ...(request.clock === undefined ? {} : { clock: request.clock }),
    ...(request.backOff === undefined ? {} : { backOff: request.backOff }),
  };
  const open = (place: typeof path) =>
    new RangedFile(pathText(place), folderUrl(place, request.datacenterPath), options);
  try {
    const descriptor = flatDescriptor(await open(path).readWhole(MAX_DESCRIPTOR_BYTES, signal), pathText(path));
    const placed: PlacedExtent[] = [];
    let start = 0;
    for (const extent of descriptor.extents) {
      const length = extent.sectors * SECTOR;
      if (length === 0) continue;
      placed.push({
        start,
        length,
        ...(extent.file === undefined
          ? {}
          : { file: await openExtent(extent, length, open(siblingOf(path, extent.file)), signal) }),
      });
      start += length;
    }
    if (start !== request.sizeBytes)
      throw new CausewayError(
        'source.image-unreadable',
        `${pathText(path)}: its extents have ${start} bytes, the disk ${request.sizeBytes}`,
      );
    return new DatastoreDisk(server, placed, request.sizeBytes, request.concurrency ?? CONCURRENCY);
  } catch (error) {
    server.close();
    throw error;
  }
}

/** The text of a descriptor whose data is in flat files, or the reason why this way of access can't read it. */
function flatDescriptor(bytes: Buffer, name: string): VmdkDescriptor {
  const refuse = (why: string) =>
    new CausewayError(
      'source.unsupported',
      `${name}: ${why}; use another way to read the disk, or remove the VM's snapshots`,
    );
  if (bytes.subarray(0, 4).equals(Buffer.from('KDMV')) || bytes.subarray(0, 4).equals(Buffer.from('COWD')))
    throw refuse('a sparse file, which the datastore serves without merging it');
  const text = bytes.toString('latin1');
  if (/^\s*createType\s*=\s*"?seSparse/im.test(text) || /\bSESPARSE\b/.test(text))
    throw refuse('a snapshot (seSparse), which only a host can merge with what it is based on');
  // The files have what the host's filters wrote, e.g. ciphertext or what a cache has not written back yet.
  const filter = /^[ \t]*((?:ddb\.)?(?:iofilters|sidecars|encryption\w*(?:\.\w+)*))[ \t]*=[ \t]*"?[^"\s]/im.exec(
    text,
  )?.[1];
  if (filter !== undefined)
    throw refuse(`a disk that is encrypted or has an I/O filter (${filter}): its files do not have its content`);
  if (/\bVMFSR(DM|AW)\b/.test(text)) throw refuse('a raw device mapping, which has no data file');
  const descriptor = parseVmdkDescriptor(bytes, name);
  if (descriptor.parent !== undefined) throw refuse('a snapshot, which only a host can merge with what it is based on');
  if (/RDM|RawDisk|Passthrough|Device/i.test(descriptor.createType))
    throw refuse(`a disk of type ${descriptor.createType}, which has no data file`);
  if (descriptor.extents.length === 0)
    throw refuse('its descriptor names no data (vSAN and vVol objects are not files)');
  if (descriptor.extents.some(({ file }) => file !== undefined && /^\w+:\/\//.test(file)))
    throw refuse('its data is an object of a vSAN or vVol datastore, not a file');
  if (descriptor.extents.length > MAX_EXTENTS) throw refuse(`its descriptor has more than ${MAX_EXTENTS} extents`);
  if (descriptor.extents.some(({ kind }) => kind === 'sparse'))
    throw refuse('sparse extents, which the datastore serves without merging them');
  return descriptor;
}

async function openExtent(
  extent: VmdkExtent,
  length: number,
  ranged: RangedFile,
  signal: AbortSignal,
): Promise<NonNullable<PlacedExtent['file']>> {
  const facts = await ranged.facts(signal);
  const at = extent.offsetSectors * SECTOR;
  if (facts.sizeBytes < at + length)
    throw new CausewayError(
      'source.image-unreadable',
      `${extent.file} has ${facts.sizeBytes} bytes, but its descriptor specifies ${at + length}`,
    );
  return { ranged, facts, at };
}

class DatastoreDisk implements DiskContent {
  readonly sizeBytes: number;
  readonly #server: FileServer;
  readonly #extents: readonly PlacedExtent[];
  readonly #ended = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(server: FileServer, extents: readonly PlacedExtent[], sizeBytes: number, concurrency: number) {
    this.#server = server;
    this.#extents = extents;
    this.sizeBytes = sizeBytes;
    this.#free = concurrency;
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    if (!(offset >= 0 && offset + into.length <= this.sizeBytes))
      throw new CausewayError(
        'general.bug',
        `[${offset}, +${into.length}) is outside the disk of ${this.sizeBytes} bytes`,
      );
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal, this.#ended.signal]);
    let failure: { readonly reason: unknown } | undefined;
    const pieces: Promise<void>[] = [];
    for (let at = 0; at < into.length;) {
      const extent = this.#extentAt(offset + at);
      const inExtent = offset + at - extent.start;
      const length = Math.min(PIECE, into.length - at, extent.length - inExtent);
      const target = into.subarray(at, at + length);
      at += length;
      if (extent.file === undefined) target.fill(0);
      else {
        const { file } = extent;
        const piece = this.#inTurn(either, () => file.ranged.read(file.facts, file.at + inExtent, target, either));
        pieces.push(
          piece.catch((reason: unknown) => {
            failure ??= { reason };
            stop.abort(reason);
          }),
        );
      }
    }
    // The caller may have the buffer back only when nothing is written to it any more.
    await Promise.all(pieces);
    if (failure !== undefined) throw failure.reason;
  }

  close(): Promise<void> {
    this.#ended.abort(new CausewayError('general.cancelled', 'the disk was closed'));
    this.#server.close();
    return Promise.resolve();
  }

  #extentAt(offset: number): PlacedExtent {
    let low = 0;
    for (let high = this.#extents.length - 1; low < high;) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#extents[middle]?.start ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return this.#extents[low] as PlacedExtent;
  }

  async #inTurn(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      throwIfCancelled(signal);
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
