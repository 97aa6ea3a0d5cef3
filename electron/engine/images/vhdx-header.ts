import { crc32c } from './crc32c.ts';
import { guidAt } from './guid.ts';
import { bytesAt, powerOfTwo, safeNumber, type ImageBytes } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const MAX_SIZE = 64 * 1024 ** 4;
const MAX_ITEMS = 2047;
const MAX_LOCATOR_BYTES = 256 * KIB;
const NO_GUID = '00000000-0000-0000-0000-000000000000';

/** GUIDs of regions and metadata items. */
const ids = {
  bat: '2dc27766-f623-4200-9d64-115e9bfd4a08',
  metadata: '8b7ca206-4790-4b9a-b8fe-575f050f886e',
  fileParameters: 'caa16737-fa36-4d43-b3b6-33f0aa44e76b',
  diskSize: '2fa54224-cd1b-4876-b211-5dbed83bf4b8',
  diskId: 'beca12ab-b2e6-4523-93ef-c309e000c746',
  logicalSectorSize: '8141bf1d-a96f-4709-ba47-f233a8faab5f',
  physicalSectorSize: 'cda348c7-445d-4471-9cc9-e9885251c556',
  parentLocator: 'a8d35f2d-b30b-454d-abf7-d3d84834ab0c',
  vhdxLocator: 'b04aefb7-d19e-4a81-b789-25b8e9445913',
} as const;

export interface VhdxHeader {
  readonly dataWriteGuid: string;
  /** Undefined when the log is empty. */
  readonly log?: { readonly id: Buffer; readonly at: number; readonly length: number };
}

interface Region {
  readonly at: number;
  readonly length: number;
}

export interface VhdxMetadata {
  readonly blockBytes: number;
  readonly sizeBytes: number;
  readonly logicalSectorBytes: number;
  /** Keys and values of the parent's locator; undefined when there is no parent. */
  readonly parent?: ReadonlyMap<string, string>;
}

/** The newer one of the two headers that are valid. @throws CausewayError source.image-unreadable */
export async function readVhdxHeader(file: ImageBytes): Promise<VhdxHeader> {
  let newest: Buffer | undefined;
  for (const at of [64 * KIB, 128 * KIB]) {
    const head = await bytesAt(file, at, 4 * KIB);
    if (head.toString('latin1', 0, 4) !== 'head' || crc32c(head, 4) !== head.readUInt32LE(4)) continue;
    if (newest === undefined || head.readBigUInt64LE(8) > newest.readBigUInt64LE(8)) newest = head;
  }
  if (newest === undefined) throw unreadable(file.name, 'both of its headers are damaged (checksum)');
  const version = newest.readUInt16LE(66);
  if (version !== 1) throw unreadable(file.name, `VHDX version ${version} is not supported (1 is)`);
  const dataWriteGuid = guidAt(newest, 32);
  if (guidAt(newest, 48) === NO_GUID) return { dataWriteGuid };
  if (newest.readUInt16LE(64) !== 0)
    throw unreadable(file.name, `version ${newest.readUInt16LE(64)} of its log is not supported (0 is)`);
  const log = {
    id: newest.subarray(48, 64),
    at: safeNumber(newest.readBigUInt64LE(72), file, 'the offset of the log'),
    length: newest.readUInt32LE(68),
  };
  if (log.at < MIB) throw unreadable(file.name, 'its log overlaps its headers');
  return { dataWriteGuid, log };
}

/** Where the block table and the metadata are. @throws CausewayError source.image-unreadable */
export async function readVhdxRegions(file: ImageBytes): Promise<{ readonly bat: Region; readonly metadata: Region }> {
  for (const at of [192 * KIB, 256 * KIB]) {
    const table = await bytesAt(file, at, 64 * KIB);
    const count = table.readUInt32LE(8);
    if (table.toString('latin1', 0, 4) !== 'regi' || count > MAX_ITEMS || crc32c(table, 4) !== table.readUInt32LE(4))
      continue;
    const regions = new Map<string, Region>();
    for (let index = 0; index < count; index++) {
      const from = 16 + index * 32;
      const id = guidAt(table, from);
      const isKnown = id === ids.bat || id === ids.metadata;
      if (!isKnown && (table.readUInt32LE(from + 28) & 1) !== 0)
        throw unreadable(file.name, `it needs the region ${id}, which is not supported`);
      if (!isKnown) continue;
      const region = {
        at: safeNumber(table.readBigUInt64LE(from + 16), file, 'the offset of a region'),
        length: table.readUInt32LE(from + 24),
      };
      if (regions.has(id) || region.at < MIB || region.at + region.length > file.sizeBytes)
        throw unreadable(file.name, 'its region table is not valid (cut short or damaged)');
      regions.set(id, region);
    }
    const [bat, metadata] = [regions.get(ids.bat), regions.get(ids.metadata)];
    if (bat === undefined || metadata === undefined)
      throw unreadable(file.name, 'it has no block table or no metadata');
    return { bat, metadata };
  }
  throw unreadable(file.name, 'both of its region tables are damaged (checksum)');
}

/** @throws CausewayError source.image-unreadable */
export async function readVhdxMetadata(file: ImageBytes, region: Region): Promise<VhdxMetadata> {
  if (region.length < 64 * KIB) throw unreadable(file.name, 'its metadata is cut short');
  const table = await bytesAt(file, region.at, 64 * KIB);
  const count = table.readUInt16LE(10);
  if (table.toString('latin1', 0, 8) !== 'metadata' || count > MAX_ITEMS)
    throw unreadable(file.name, 'its metadata table is damaged');
  const items = new Map<string, Region>();
  for (let index = 0; index < count; index++) {
    const from = 32 + index * 32;
    const id = guidAt(table, from);
    const isUser = (table.readUInt32LE(from + 24) & 1) !== 0;
    const isRequired = (table.readUInt32LE(from + 24) & 4) !== 0;
    const isKnown = !isUser && Object.values<string>(ids).includes(id);
    if (!isKnown && isRequired) throw unreadable(file.name, `it needs the metadata ${id}, which is not supported`);
    if (!isKnown) continue;
    const item = { at: table.readUInt32LE(from + 16), length: table.readUInt32LE(from + 20) };
    if (items.has(id) || item.at < 64 * KIB || item.at + item.length > region.length)
      throw unreadable(file.name, 'its metadata table is not valid');
    items.set(id, { at: region.at + item.at, length: item.length });
  }
  const itemOf = async (id: string, length: number, what: string) => {
    const item = items.get(id);
    if (item === undefined || item.length < length)
      throw unreadable(file.name, `its metadata does not contain ${what}`);
    return bytesAt(file, item.at, length);
  };
  const parameters = await itemOf(ids.fileParameters, 8, 'the block size');
  const sizeBytes = safeNumber(
    (await itemOf(ids.diskSize, 8, 'the disk size')).readBigUInt64LE(),
    file,
    'the disk size',
  );
  if (sizeBytes > MAX_SIZE)
    throw unreadable(file.name, `a disk of ${sizeBytes} bytes is larger than VHDX allows (64 TiB)`);
  const logicalSectorBytes = (await itemOf(ids.logicalSectorSize, 4, 'the sector size')).readUInt32LE();
  if (logicalSectorBytes !== 512 && logicalSectorBytes !== 4096)
    throw unreadable(file.name, `sectors of ${logicalSectorBytes} bytes are not valid`);
  const hasParent = (parameters.readUInt32LE(4) & 2) !== 0;
  const locator = items.get(ids.parentLocator);
  if (hasParent && (locator === undefined || locator.length > MAX_LOCATOR_BYTES))
    throw unreadable(file.name, 'it is a differencing image, but does not name its parent');
  return {
    blockBytes: powerOfTwo(parameters.readUInt32LE(0), MIB, 256 * MIB, file, 'the block size'),
    sizeBytes,
    logicalSectorBytes,
    ...(hasParent && locator !== undefined
      ? { parent: parseLocator(await bytesAt(file, locator.at, locator.length), file) }
      : {}),
  };
}

function parseLocator(bytes: Buffer, file: ImageBytes): ReadonlyMap<string, string> {
  const damaged = () => unreadable(file.name, 'its parent locator is damaged');
  if (bytes.length < 20) throw damaged();
  if (guidAt(bytes, 0) !== ids.vhdxLocator)
    throw unreadable(file.name, `its parent is not a VHDX (locator ${guidAt(bytes, 0)})`);
  const count = bytes.readUInt16LE(18);
  const values = new Map<string, string>();
  if (20 + count * 12 > bytes.length || count > MAX_ITEMS) throw damaged();
  for (let at = 20; at < 20 + count * 12; at += 12) {
    const key = textAt(bytes, bytes.readUInt32LE(at), bytes.readUInt16LE(at + 8));
    const value = textAt(bytes, bytes.readUInt32LE(at + 4), bytes.readUInt16LE(at + 10));
    if (key === undefined || value === undefined || values.has(key)) throw damaged();
    values.set(key, value);
  }
  return values;
}

function textAt(bytes: Buffer, at: number, length: number): string | undefined {
  return length > 0 && length % 2 === 0 && at + length <= bytes.length
    ? bytes.toString('utf16le', at, at + length)
    : undefined;
}
