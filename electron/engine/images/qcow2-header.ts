import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { bytesAt, bytesUpTo, safeNumber, type ImageBytes } from './image-bytes.ts';
import { shown, unreadable } from './image-errors.ts';

export interface Qcow2Header {
  readonly version: 2 | 3;
  readonly clusterBits: number;
  readonly sizeBytes: number;
  readonly l1Offset: number;
  readonly l1Entries: number;
  readonly extendedL2: boolean;
  readonly compression: 'zlib' | 'zstd';
  readonly backing?: { readonly name: string; readonly format?: string };
}

/** Incompatible features, by bit. */
const features = { dirty: 1n, corrupt: 2n, externalData: 4n, compression: 8n, extendedL2: 16n } as const;
const known = Object.values(features).reduce<bigint>((all, bit) => all | bit, 0n);
const encryptions: Readonly<Record<number, string>> = { 1: 'AES', 2: 'LUKS' };
const BACKING_FORMAT = 0xe2792aca;
const MAX_NAME = 1023;
const MAX_L1_BYTES = 32 * 1024 * 1024;
const MAX_EXTENSIONS = 64;

/**
 * Reads a qcow2 header. A dirty image is fine: only its reference counts, which reading needs not, may be out of date.
 * @throws CausewayError source.image-unreadable
 */
export async function readQcow2Header(file: ImageBytes): Promise<Qcow2Header> {
  const head = await bytesUpTo(file, 0, 112);
  if (head.length < 72) throw unreadable(file.name, 'its qcow2 header is cut short');
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3)
    throw unreadable(file.name, `qcow version ${version} is not supported (2 and 3 are)`);
  if (version === 3 && head.length < 104) throw unreadable(file.name, 'its qcow2 header is cut short');
  const encryption = head.readUInt32BE(32);
  if (encryption !== 0)
    throw unreadable(file.name, `it is encrypted (${encryptions[encryption] ?? `method ${encryption}`})`);
  const incompatible = version === 3 ? head.readBigUInt64BE(72) : 0n;
  const headerLength = version === 3 ? head.readUInt32BE(100) : 72;
  checkFeatures(file, incompatible);
  const clusterBits = head.readUInt32BE(20);
  const extendedL2 = (incompatible & features.extendedL2) !== 0n;
  if (clusterBits < (extendedL2 ? 14 : 9) || clusterBits > 21)
    throw unreadable(file.name, `a cluster size of 2^${clusterBits} bytes is not valid`);
  if (headerLength < (version === 3 ? 104 : 72) || headerLength > 2 ** clusterBits)
    throw unreadable(file.name, `a header of ${headerLength} bytes is not valid`);
  const sizeBytes = safeNumber(head.readBigUInt64BE(24), file, 'the disk size');
  const l1Entries = head.readUInt32BE(36);
  const perL2 = 2 ** clusterBits / (extendedL2 ? 16 : 8);
  if (l1Entries * 8 > MAX_L1_BYTES || l1Entries < Math.ceil(sizeBytes / (perL2 * 2 ** clusterBits))) {
    throw unreadable(file.name, `an L1 table of ${l1Entries} entries does not fit a disk of ${sizeBytes} bytes`);
  }
  const compressionType = version === 3 && headerLength > 104 && head.length > 104 ? (head[104] ?? 0) : 0;
  if (compressionType > 1)
    throw unreadable(file.name, `compression type ${compressionType} is not supported (zlib and zstd are)`);
  if ((compressionType !== 0) !== ((incompatible & features.compression) !== 0n))
    throw unreadable(file.name, 'its compression type and its features are inconsistent');
  const backing = await readBacking(file, head, headerLength, 2 ** clusterBits);
  return {
    version,
    clusterBits,
    sizeBytes,
    l1Offset: safeNumber(head.readBigUInt64BE(40), file, 'the offset of the L1 table'),
    l1Entries,
    extendedL2,
    compression: compressionType === 1 ? 'zstd' : 'zlib',
    ...(backing === undefined ? {} : { backing }),
  };
}

function checkFeatures(file: ImageBytes, incompatible: bigint): void {
  if ((incompatible & features.externalData) !== 0n) {
    throw new CausewayError(
      'source.image-refers-outside',
      `${file.name} keeps its data in another file (external data file), which is not supported: convert it (qemu-img convert)`,
    );
  }
  if ((incompatible & features.corrupt) !== 0n)
    throw unreadable(file.name, 'it is marked as corrupt: repair it first (qemu-img check -r all)');
  if ((incompatible & ~known) !== 0n)
    throw unreadable(file.name, `it needs features that are not supported (0x${(incompatible & ~known).toString(16)})`);
}

async function readBacking(
  file: ImageBytes,
  head: Buffer,
  headerLength: number,
  clusterBytes: number,
): Promise<Qcow2Header['backing']> {
  const at = safeNumber(head.readBigUInt64BE(8), file, 'the offset of the backing file name');
  if (at === 0) return undefined;
  const length = head.readUInt32BE(16);
  if (length === 0 || length > MAX_NAME || at < headerLength || at + length > Math.max(clusterBytes, 4096))
    throw unreadable(file.name, 'the name of its backing file is outside its header');
  const name = textOf(await bytesAt(file, at, length), file);
  const format = await backingFormat(file, headerLength, at);
  return { name, ...(format === undefined ? {} : { format }) };
}

async function backingFormat(file: ImageBytes, headerLength: number, end: number): Promise<string | undefined> {
  let at = headerLength;
  for (let count = 0; count < MAX_EXTENSIONS && at + 8 <= end; count++) {
    const head = await bytesAt(file, at, 8);
    const type = head.readUInt32BE(0);
    const length = head.readUInt32BE(4);
    if (type === 0) return undefined;
    if (at + 8 + length > end)
      throw unreadable(file.name, `a header extension of ${length} bytes extends beyond the header`);
    if (type === BACKING_FORMAT) return length > MAX_NAME ? '?' : textOf(await bytesAt(file, at + 8, length), file);
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return undefined;
}

function textOf(bytes: Buffer, file: ImageBytes): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable(file.name, `the name of its backing file is not valid UTF-8: ${shown(bytes.toString('latin1'))}`);
  }
}
