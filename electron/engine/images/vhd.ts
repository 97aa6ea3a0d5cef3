import { addByBitmap, blockRuns } from './block-map.ts';
import { openTable } from './byte-cache.ts';
import { bytesAt, powerOfTwo, safeNumber, type ImageFile } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import type { Layer, LayerContext, OpenedLayer, ParentReference } from './layer.ts';
import { rawLayer } from './raw.ts';
import { isVhdFooter, vhdChecksum } from './vhd-footer.ts';

const SECTOR = 512;
const DYNAMIC_HEADER_BYTES = 1024;
const FIXED = 2;
const DYNAMIC = 3;
const DIFFERENCING = 4;
const UNALLOCATED = 0xffffffff;
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;
const MAX_LOCATOR_BYTES = 4096;
const LOCATORS = 8;
/** Codes of locators: a Windows path relative to the image, or absolute; both in UTF-16, little-endian. */
const RELATIVE_PATH = 0x57327275;
const ABSOLUTE_PATH = 0x57326b75;
let images = 0;

/**
 * A VHD: fixed, dynamic or differencing.
 * @throws CausewayError source.image-unreadable
 */
export async function openVhd(file: ImageFile, context: LayerContext): Promise<OpenedLayer> {
  const footer = await readFooter(file);
  const type = footer.readUInt32BE(60);
  const sizeBytes = safeNumber(footer.readBigUInt64BE(48), file, 'the disk size');
  const identity = footer.toString('hex', 68, 84);
  if (footer.readUInt32BE(12) >>> 16 !== 1)
    throw unreadable(file.name, `VHD version 0x${footer.readUInt32BE(12).toString(16)} is not supported`);
  if (type === FIXED) {
    if (sizeBytes > file.sizeBytes - 511)
      throw unreadable(
        file.name,
        `its disk has ${sizeBytes} bytes, but the file has only ${file.sizeBytes} (possibly cut short)`,
      );
    return { file, format: 'vhd', identity, layer: rawLayer(file, 0, sizeBytes) };
  }
  if (type !== DYNAMIC && type !== DIFFERENCING)
    throw unreadable(file.name, `disk type ${type} is not supported (fixed, dynamic and differencing are)`);
  const header = await bytesAt(
    file,
    safeNumber(footer.readBigUInt64BE(16), file, 'the offset of the dynamic header'),
    DYNAMIC_HEADER_BYTES,
  );
  if (header.toString('latin1', 0, 8) !== 'cxsparse' || header.readUInt32BE(36) !== vhdChecksum(header, 36))
    throw unreadable(file.name, 'its dynamic disk header is damaged (checksum)');
  const layer = await dynamicLayer(file, header, sizeBytes, type === DIFFERENCING, context);
  if (type === DYNAMIC) return { file, format: 'vhd', identity, layer };
  return { file, format: 'vhd', identity, layer, parent: await parentOf(file, header) };
}

/** The footer at the end; its copy at the start where the end is damaged. The start of a fixed image is the guest's. */
async function readFooter(file: ImageFile): Promise<Buffer> {
  if (file.sizeBytes >= SECTOR) {
    const tail = await bytesAt(file, file.sizeBytes - SECTOR, SECTOR);
    if (isVhdFooter(tail)) return tail;
    // Old tools left out the last byte, which is reserved.
    const shorter = Buffer.concat([tail.subarray(1), Buffer.alloc(1)]);
    if (isVhdFooter(shorter)) return shorter;
    const copy = await bytesAt(file, 0, SECTOR);
    if (isVhdFooter(copy) && copy.readUInt32BE(60) !== FIXED) return copy;
  }
  throw unreadable(file.name, 'it has no valid VHD footer (cut short or damaged)');
}

async function dynamicLayer(
  file: ImageFile,
  header: Buffer,
  sizeBytes: number,
  isDifferencing: boolean,
  context: LayerContext,
): Promise<Layer> {
  const blockBytes = powerOfTwo(header.readUInt32BE(32), SECTOR, MAX_BLOCK_BYTES, file, 'the block size');
  const entries = header.readUInt32BE(28);
  const blocks = Math.ceil(sizeBytes / blockBytes);
  if (entries < blocks) throw unreadable(file.name, `its table has ${entries} entries for ${blocks} blocks`);
  const table = await openTable(
    context.tables,
    file,
    safeNumber(header.readBigUInt64BE(16), file, 'the offset of the block table'),
    4,
    blocks,
  );
  const bitmapBytes = Math.ceil(blockBytes / SECTOR / 8 / SECTOR) * SECTOR;
  const key = `vhd-${++images}`;
  return {
    sizeBytes,
    runs: (offset, length) =>
      blockRuns(
        table,
        blockBytes,
        (block) => block,
        offset,
        length,
        async (list, { bytes, index, skip, length: part }) => {
          const sector = bytes.readUInt32BE(index * 4);
          if (sector === UNALLOCATED) {
            list.add({ kind: 'below', length: part });
            return;
          }
          const at = sector * SECTOR + bitmapBytes;
          if (at + skip + part > file.sizeBytes)
            throw unreadable(
              file.name,
              `a block is at offset ${at}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
            );
          // A dynamic image has zeros where the bitmap says that nothing was written; some writers don't keep the bitmap.
          if (!isDifferencing) {
            list.add({ kind: 'stored', length: part, file, at: at + skip });
            return;
          }
          const bitmap = await context.tables.get(`${key}/${sector}`, () =>
            bytesAt(file, sector * SECTOR, bitmapBytes),
          );
          addByBitmap(
            list,
            { skip, length: part },
            (bit) => ((bitmap[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0,
            (from, size) => ({ kind: 'stored', length: size, file, at: at + from }),
          );
        },
      ),
  };
}

/** The parent by its locators, a relative one first; by its name in the header where there is none. */
async function parentOf(file: ImageFile, header: Buffer): Promise<ParentReference> {
  const id = header.toString('hex', 40, 56);
  const names = new Map<number, string>();
  for (let entry = 0; entry < LOCATORS; entry++) {
    const at = 576 + entry * 24;
    const code = header.readUInt32BE(at);
    const length = header.readUInt32BE(at + 8);
    if ((code !== RELATIVE_PATH && code !== ABSOLUTE_PATH) || names.has(code) || length === 0) continue;
    if (length > MAX_LOCATOR_BYTES || length % 2 !== 0)
      throw unreadable(file.name, `a parent locator of ${length} bytes is not valid`);
    names.set(
      code,
      withoutPadding(
        await bytesAt(
          file,
          safeNumber(header.readBigUInt64BE(at + 16), file, 'the offset of a parent locator'),
          length,
        ),
      ),
    );
  }
  const name =
    names.get(RELATIVE_PATH) ??
    names.get(ABSOLUTE_PATH) ??
    withoutPadding(Buffer.from(header.subarray(64, 576)).swap16());
  if (name === '') throw unreadable(file.name, 'it is a differencing image, but does not name its parent');
  return {
    name,
    style: 'windows',
    format: 'vhd',
    verify: (parent) => {
      if (parent.identity !== id)
        throw unreadable(
          file.name,
          `its parent ${parent.file.name} is not the disk that it is based on (unique ID ${parent.identity} instead of ${id})`,
        );
    },
  };
}

function withoutPadding(utf16: Buffer): string {
  const text = utf16.toString('utf16le');
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
