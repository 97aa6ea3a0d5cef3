import { openTable, type Table } from './byte-cache.ts';
import { unpackZlib } from './decompress.ts';
import { bytesAt, bytesUpTo, powerOfTwo, safeNumber, type ImageBytes } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import { RunList, type LayerContext, type Run } from './layer.ts';

/** A sparse extent of a VMDK: hosted (Workstation, stream-optimised) or of ESXi's redo logs. */
export interface SparseExtent {
  readonly sizeBytes: number;
  readonly isCompressed: boolean;
  /** Where the descriptor within the extent lies, in bytes. */
  readonly descriptor?: { readonly at: number; readonly length: number };
  /** As `Layer.runs`, within the extent. */
  runs(offset: number, length: number): Promise<readonly Run[]>;
}

const SECTOR = 512;
const flags = { zeroGrains: 0x4, compressed: 0x10000, markers: 0x20000 } as const;
/** The grain directory is at the end of the file, named by a footer. */
const DIRECTORY_AT_END = 0xffffffffffffffffn;
const FOOTER_MARKER = 3;
const MAX_GRAIN_SECTORS = 65_536;
const MAX_GRAINS_PER_TABLE = 4096;
const REDO_GRAINS_PER_TABLE = MAX_GRAINS_PER_TABLE;
/** So much of a file is read for its tables at once. */
const WINDOW = 64 * 1024;
/** An answer goes no further, so that whoever asks can stop in between. */
const MAX_TABLES_AT_ONCE = 1024;
/** A table without a grain. */
const NO_GRAINS = Buffer.alloc(MAX_GRAINS_PER_TABLE * 4);
let extents = 0;

interface Grains {
  readonly file: ImageBytes;
  readonly key: string;
  readonly sizeBytes: number;
  readonly grainBytes: number;
  readonly grainsPerTable: number;
  readonly directory: Table;
  readonly hasZeroGrains: boolean;
  readonly isCompressed: boolean;
  readonly context: LayerContext;
}

/** @throws CausewayError source.image-unreadable */
export async function openSparseExtent(file: ImageBytes, context: LayerContext): Promise<SparseExtent> {
  const head = await bytesUpTo(file, 0, SECTOR);
  const magic = head.toString('latin1', 0, 4);
  if (head.length < SECTOR || (magic !== 'KDMV' && magic !== 'COWD'))
    throw unreadable(file.name, 'it is not a sparse VMDK extent, or a variant that is not supported');
  return magic === 'COWD' ? openRedoExtent(file, head, context) : openHostedExtent(file, head, context);
}

async function openHostedExtent(file: ImageBytes, start: Buffer, context: LayerContext): Promise<SparseExtent> {
  const isStream = start.readBigUInt64LE(56) === DIRECTORY_AT_END;
  const head = isStream ? await readFooter(file) : start;
  const version = head.readUInt32LE(4);
  if (version < 1 || version > 3) throw unreadable(file.name, `VMDK version ${version} is not supported (1 to 3 are)`);
  const set = head.readUInt32LE(8);
  const isCompressed = (set & flags.compressed) !== 0;
  const algorithm = head.readUInt16LE(77);
  if (isCompressed && (algorithm !== 1 || (set & flags.markers) === 0))
    throw unreadable(file.name, `its compression (algorithm ${algorithm}) is not supported`);
  const capacity = safeNumber(head.readBigUInt64LE(12) * 512n, file, 'the capacity');
  // A header without a disk of its own, which some readers take for a descriptor of other files.
  if (capacity === 0) throw unreadable(file.name, 'its header has a capacity of 0');
  const grainSectors = powerOfTwo(
    safeNumber(head.readBigUInt64LE(20), file, 'the grain size'),
    1,
    MAX_GRAIN_SECTORS,
    file,
    'the grain size in sectors',
  );
  const grainsPerTable = powerOfTwo(
    head.readUInt32LE(44),
    1,
    MAX_GRAINS_PER_TABLE,
    file,
    'the number of grains per table',
  );
  const directoryAt = safeNumber(head.readBigUInt64LE(56) * 512n, file, 'the offset of the grain directory');
  const descriptorAt = safeNumber(start.readBigUInt64LE(28) * 512n, file, 'the offset of the descriptor');
  const descriptorLength = safeNumber(start.readBigUInt64LE(36) * 512n, file, 'the length of the descriptor');
  const grainBytes = grainSectors * SECTOR;
  const grains = await openGrains({
    file,
    sizeBytes: capacity,
    grainBytes,
    grainsPerTable,
    directoryAt,
    isCompressed,
    context,
    hasZeroGrains: (set & flags.zeroGrains) !== 0,
  });
  return {
    sizeBytes: capacity,
    isCompressed,
    runs: (offset, length) => runsAt(grains, offset, length),
    ...(descriptorAt === 0 || descriptorLength === 0
      ? {}
      : { descriptor: { at: descriptorAt, length: descriptorLength } }),
  };
}

/** The header of a stream-optimised extent as its writer knew it at the end: between two markers, in the last three sectors. */
async function readFooter(file: ImageBytes): Promise<Buffer> {
  const tail =
    file.sizeBytes < 4 * SECTOR ? Buffer.alloc(0) : await bytesAt(file, file.sizeBytes - 3 * SECTOR, 3 * SECTOR);
  const isWhole =
    tail.length > 0 &&
    tail.readUInt32LE(8) === 0 &&
    tail.readUInt32LE(12) === FOOTER_MARKER &&
    tail.toString('latin1', SECTOR, SECTOR + 4) === 'KDMV' &&
    tail.subarray(2 * SECTOR, 2 * SECTOR + 16).every((byte) => byte === 0);
  const footer = tail.subarray(SECTOR, 2 * SECTOR);
  if (!isWhole || footer.readBigUInt64LE(56) === DIRECTORY_AT_END)
    throw unreadable(file.name, 'a stream-optimized VMDK without a footer (possibly cut short)');
  return footer;
}

/** ESXi's copy-on-write extent ("COWD"), of snapshots on VMFS. */
async function openRedoExtent(file: ImageBytes, head: Buffer, context: LayerContext): Promise<SparseExtent> {
  const version = head.readUInt32LE(4);
  if (version !== 1) throw unreadable(file.name, `version ${version} of a VMFS sparse extent is not supported`);
  const sizeBytes = head.readUInt32LE(12) * SECTOR;
  if (sizeBytes === 0) throw unreadable(file.name, 'its header has a capacity of 0');
  const grainBytes =
    powerOfTwo(head.readUInt32LE(16), 1, MAX_GRAIN_SECTORS, file, 'the grain size in sectors') * SECTOR;
  const entries = head.readUInt32LE(24);
  if (entries < Math.ceil(sizeBytes / (grainBytes * REDO_GRAINS_PER_TABLE)))
    throw unreadable(file.name, `a grain directory of ${entries} entries is too small for its capacity`);
  const grains = await openGrains({
    file,
    sizeBytes,
    grainBytes,
    grainsPerTable: REDO_GRAINS_PER_TABLE,
    directoryAt: head.readUInt32LE(20) * SECTOR,
    isCompressed: false,
    hasZeroGrains: false,
    context,
  });
  return { sizeBytes, isCompressed: false, runs: (offset, length) => runsAt(grains, offset, length) };
}

async function openGrains(
  facts: Omit<Grains, 'directory' | 'key'> & { readonly directoryAt: number },
): Promise<Grains> {
  const count = Math.ceil(facts.sizeBytes / (facts.grainBytes * facts.grainsPerTable));
  const directory = await openTable(facts.context.tables, facts.file, facts.directoryAt, 4, count);
  return { ...facts, directory, key: `vmdk-${++extents}` };
}

async function runsAt(grains: Grains, offset: number, length: number): Promise<readonly Run[]> {
  const { grainBytes, grainsPerTable, directory } = grains;
  const span = grainBytes * grainsPerTable;
  const index = Math.floor(offset / span);
  const directoryPage = await directory.page(index);
  const tableOf = (entry: number) => directoryPage.bytes.readUInt32LE((entry - directoryPage.first) * 4);
  const last = Math.min(directoryPage.first + directoryPage.entries, index + MAX_TABLES_AT_ONCE);
  let table: Buffer | undefined;
  let next = index;
  // Some writers make all tables from the beginning: those without a grain are as good as none.
  for (; next < last && next * span < offset + length; next++) {
    const at = tableOf(next) * SECTOR;
    table = at === 0 ? undefined : await grainTable(grains, at);
    if (table?.equals(NO_GRAINS.subarray(0, table.length)) === false) break;
  }
  if (next > index || table === undefined) return [{ kind: 'below', length: Math.min(next * span - offset, length) }];
  const list = new RunList();
  for (
    let grain = Math.floor(offset / grainBytes);
    grain < (index + 1) * grainsPerTable && list.length < length;
    grain++
  ) {
    const skip = list.length === 0 ? offset % grainBytes : 0;
    const place = (grain - index * grainsPerTable) * 4;
    const entry = table.readUInt32LE(place);
    const following = place + 4 < table.length ? table.readUInt32LE(place + 4) : 0;
    list.add(grainRun(grains, grain, entry, following, skip, Math.min(grainBytes - skip, length - list.length)));
  }
  return list.runs;
}

/** A table of grains. They lie one behind the other in most files, so that those around it are read with it. */
async function grainTable({ file, key, grainsPerTable, context }: Grains, at: number): Promise<Buffer> {
  const bytes = grainsPerTable * 4;
  const from = at - (at % WINDOW);
  if (at + bytes <= Math.min(from + WINDOW, file.sizeBytes)) {
    const window = await context.tables.get(`${key}/${from}`, () => bytesUpTo(file, from, WINDOW));
    return window.subarray(at - from, at - from + bytes);
  }
  return context.tables.get(`${key}/table ${at}`, () => bytesAt(file, at, bytes));
}

/** @param following the entry after it, which is behind it in a file that was written in order */
function grainRun(grains: Grains, grain: number, entry: number, following: number, skip: number, length: number): Run {
  const { file } = grains;
  if (entry === 0) return { kind: 'below', length };
  if (entry === 1 && grains.hasZeroGrains) return { kind: 'zero', length };
  const at = entry * SECTOR;
  if (grains.isCompressed)
    return {
      kind: 'packed',
      length,
      skip,
      unit: { key: `${grains.key}:${grain}`, load: () => unpackGrain(grains, grain, at, (following - entry) * SECTOR) },
    };
  if (at + skip + length > file.sizeBytes)
    throw unreadable(
      file.name,
      `a grain is at offset ${at}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
    );
  return { kind: 'stored', length, file, at: at + skip };
}

/**
 * A compressed grain: the number of its first sector, the length of its data, and the data.
 *
 * @param room bytes to the next grain, where that is known
 */
async function unpackGrain(
  { file, grainBytes, sizeBytes }: Grains,
  grain: number,
  at: number,
  room: number,
): Promise<Buffer> {
  // Most grains shrink to half or less: one read is enough for them, and for all where the next grain says how far.
  const start = await bytesUpTo(file, at, 12 + (room > 12 && room <= 2 * grainBytes ? room - 12 : grainBytes / 2));
  if (start.length < 12)
    throw unreadable(
      file.name,
      `a grain is at offset ${at}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
    );
  const first = start.readBigUInt64LE(0);
  const length = start.readUInt32LE(8);
  if (first !== (BigInt(grain) * BigInt(grainBytes)) / 512n)
    throw unreadable(file.name, `the grain at offset ${at} belongs to sector ${first} (damaged)`);
  if (length === 0 || length > 2 * grainBytes + 1024)
    throw unreadable(file.name, `the grain at offset ${at} has ${length} compressed bytes (damaged)`);
  const there = start.subarray(12, 12 + length);
  const rest = length - there.length;
  const packed = rest === 0 ? there : Buffer.concat([there, await bytesAt(file, at + start.length, rest)]);
  // The last grain may hold only what the disk has of it.
  const needed = Math.min(grainBytes, sizeBytes - grain * grainBytes);
  return unpackZlib(packed, needed, grainBytes, file.name);
}
