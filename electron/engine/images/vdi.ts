import { blockRuns } from './block-map.ts';
import { openTable } from './byte-cache.ts';
import { bytesUpTo, powerOfTwo, safeNumber, type ImageBytes } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import type { Layer, LayerContext } from './layer.ts';

const HEADER_BYTES = 0x1c8;
const types: Readonly<Record<number, string>> = { 3: 'an undo image', 4: 'a differencing image (snapshot)' };
const UNALLOCATED = 0xffffffff;
const DISCARDED = 0xfffffffe;
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;

/**
 * A VDI, dynamic or fixed. Its differencing images don't name their parent: only VirtualBox's settings do.
 * @throws CausewayError source.image-unreadable
 */
export async function vdiLayer(file: ImageBytes, context: LayerContext): Promise<Layer> {
  const head = await bytesUpTo(file, 0, HEADER_BYTES);
  if (head.length < HEADER_BYTES) throw unreadable(file.name, 'its VDI header is cut short');
  const version = head.readUInt32LE(0x44);
  if (version >>> 16 !== 1)
    throw unreadable(file.name, `VDI version ${version >>> 16}.${version & 0xffff} is not supported (1.x is)`);
  const type = head.readUInt32LE(0x4c);
  if (type !== 1 && type !== 2)
    throw unreadable(
      file.name,
      `it is ${types[type] ?? `of type ${type}`}, which is not supported: clone the disk in VirtualBox first (VBoxManage clonemedium)`,
    );
  const sizeBytes = safeNumber(head.readBigUInt64LE(0x170), file, 'the disk size');
  const blockBytes = powerOfTwo(head.readUInt32LE(0x178), 4096, MAX_BLOCK_BYTES, file, 'the block size');
  if (head.readUInt32LE(0x17c) !== 0) throw unreadable(file.name, 'extra data in blocks is not supported');
  const blocks = Math.ceil(sizeBytes / blockBytes);
  if (head.readUInt32LE(0x180) < blocks)
    throw unreadable(file.name, `its map has ${head.readUInt32LE(0x180)} entries for ${blocks} blocks`);
  const table = await openTable(context.tables, file, head.readUInt32LE(0x154), 4, blocks);
  const dataAt = head.readUInt32LE(0x158);
  return {
    sizeBytes,
    runs: (offset, length) =>
      blockRuns(
        table,
        blockBytes,
        (block) => block,
        offset,
        length,
        (list, { bytes, index, skip, length: part }) => {
          const entry = bytes.readUInt32LE(index * 4);
          if (entry === UNALLOCATED || entry === DISCARDED) {
            list.add({ kind: 'zero', length: part });
            return;
          }
          const at = dataAt + entry * blockBytes + skip;
          if (at + part > file.sizeBytes)
            throw unreadable(
              file.name,
              `a block is at offset ${at}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
            );
          list.add({ kind: 'stored', length: part, file, at });
        },
      ),
  };
}
