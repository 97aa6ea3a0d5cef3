import { openTable, tableAt, type Table } from './byte-cache.ts';
import { unpackDeflate, unpackZstd } from './decompress.ts';
import { bytesAt, type ImageBytes } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import { RunList, type Layer, type LayerContext, type Run } from './layer.ts';
import type { Qcow2Header } from './qcow2-header.ts';

let images = 0;
const SUBCLUSTERS = 32;
/** Where subclusters alternate, an answer ends after about so many runs. */
const MAX_RUNS = 4096;

interface Qcow2 {
  readonly file: ImageBytes;
  readonly header: Qcow2Header;
  readonly key: string;
  readonly clusterBytes: number;
  readonly entryBytes: number;
  readonly context: LayerContext;
}

/** The clusters of a qcow2 image. Its internal snapshots are left alone. */
export async function qcow2Layer(file: ImageBytes, header: Qcow2Header, context: LayerContext): Promise<Layer> {
  const clusterBytes = 2 ** header.clusterBits;
  const image: Qcow2 = {
    file,
    header,
    key: `qcow2-${++images}`,
    clusterBytes,
    entryBytes: header.extendedL2 ? 16 : 8,
    context,
  };
  if (header.l1Offset % clusterBytes !== 0) throw unreadable(file.name, 'its L1 table does not start at a cluster');
  const l1 = await openTable(context.tables, file, header.l1Offset, 8, header.l1Entries);
  return { sizeBytes: header.sizeBytes, runs: (offset, length) => runsAt(image, l1, offset, length) };
}

async function runsAt(image: Qcow2, l1: Table, offset: number, length: number): Promise<readonly Run[]> {
  const { clusterBytes, entryBytes, file } = image;
  const perL2 = clusterBytes / entryBytes;
  const l2Span = perL2 * clusterBytes;
  const index = Math.floor(offset / l2Span);
  const l1Page = await l1.page(index);
  const l2Offset = hostOffset(l1Page.bytes, (index - l1Page.first) * 8);
  if (l2Offset === 0) {
    // Neighbouring tables that are not there either come along.
    let next = index + 1;
    while (
      next < l1Page.first + l1Page.entries &&
      next * l2Span < offset + length &&
      hostOffset(l1Page.bytes, (next - l1Page.first) * 8) === 0
    )
      next++;
    return [{ kind: 'below', length: Math.min(next * l2Span - offset, length) }];
  }
  if (l2Offset % clusterBytes !== 0)
    throw unreadable(file.name, `the L2 table of offset ${index * l2Span} does not start at a cluster (damaged)`);
  const l2 = tableAt(image.context.tables, `${image.key}/${l2Offset}`, file, l2Offset, entryBytes, perL2);
  const first = Math.floor((offset - index * l2Span) / clusterBytes);
  const page = await l2.page(first);
  const list = new RunList();
  for (
    let entry = first;
    entry < page.first + page.entries && list.length < length && list.runs.length < MAX_RUNS;
    entry++
  ) {
    const skip = entry === first ? offset % clusterBytes : 0;
    const part = Math.min(clusterBytes - skip, length - list.length);
    addCluster(image, list, page.bytes, (entry - page.first) * entryBytes, skip, part);
  }
  return list.runs;
}

/** Bits 9 to 55 of an entry: where a table or cluster lies in the file. */
function hostOffset(bytes: Buffer, at: number): number {
  return (bytes.readUInt32BE(at) & 0x00ffffff) * 2 ** 32 + ((bytes.readUInt32BE(at + 4) & 0xfffffe00) >>> 0);
}

/** Adds `length` bytes of a cluster, from `skip` bytes of its start on. */
function addCluster(image: Qcow2, list: RunList, bytes: Buffer, at: number, skip: number, length: number): void {
  const high = bytes.readUInt32BE(at);
  const low = bytes.readUInt32BE(at + 4);
  if ((high & 0x40000000) !== 0) {
    list.add({ kind: 'packed', length, skip, unit: packedCluster(image, high, low) });
    return;
  }
  const host = hostOffset(bytes, at);
  const { file, clusterBytes, header } = image;
  if (host % clusterBytes !== 0) throw unreadable(file.name, `a cluster at offset ${host} is not aligned (damaged)`);
  if (host >= file.sizeBytes)
    throw unreadable(
      file.name,
      `a cluster is at offset ${host}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
    );
  if (header.extendedL2) {
    addSubclusters(image, list, bytes, at, host, skip, length);
    return;
  }
  if ((low & 1) !== 0) {
    if (header.version === 2)
      throw unreadable(file.name, 'it marks a cluster as zero, which version 2 does not support (damaged)');
    list.add({ kind: 'zero', length });
  } else if (host === 0) list.add({ kind: 'below', length });
  else addStored(list, file, host + skip, length);
}

function addSubclusters(
  image: Qcow2,
  list: RunList,
  bytes: Buffer,
  at: number,
  host: number,
  skip: number,
  length: number,
): void {
  const zero = bytes.readUInt32BE(at + 8);
  const stored = bytes.readUInt32BE(at + 12);
  if ((zero & stored) !== 0 || (host === 0 && stored !== 0))
    throw unreadable(image.file.name, 'a subcluster has two states (damaged)');
  const size = image.clusterBytes / SUBCLUSTERS;
  for (let from = skip; from < skip + length;) {
    const bit = 1 << Math.floor(from / size);
    const end = Math.min((Math.floor(from / size) + 1) * size, skip + length);
    if ((stored & bit) !== 0) addStored(list, image.file, host + from, end - from);
    else list.add({ kind: (zero & bit) !== 0 ? 'zero' : 'below', length: end - from });
    from = end;
  }
}

/** The file may end within its last cluster (writers leave the rest out): what is missing there is zero. */
function addStored(list: RunList, file: ImageBytes, at: number, length: number): void {
  const there = Math.min(length, Math.max(0, file.sizeBytes - at));
  if (there > 0) list.add({ kind: 'stored', length: there, file, at });
  if (there < length) list.add({ kind: 'zero', length: length - there });
}

function packedCluster(image: Qcow2, high: number, low: number) {
  const { file, header, clusterBytes } = image;
  // Below bit 62: sectors that the data takes beyond its first one, above the offset of its first byte.
  const offsetBits = 70 - header.clusterBits;
  const at = (high & (2 ** (offsetBits - 32) - 1)) * 2 ** 32 + low;
  const sectors = (high & 0x3fffffff) >>> (offsetBits - 32);
  if (at >= file.sizeBytes)
    throw unreadable(
      file.name,
      `a compressed cluster is at offset ${at}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
    );
  return {
    key: `${image.key}/${at}`,
    async load() {
      const length = Math.min((sectors + 1) * 512 - (at % 512), file.sizeBytes - at);
      const packed = await bytesAt(file, at, length);
      return header.compression === 'zstd'
        ? unpackZstd(packed, clusterBytes, file.name)
        : unpackDeflate(packed, clusterBytes, file.name);
    },
  };
}
