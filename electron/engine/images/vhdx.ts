import { addByBitmap, blockRuns } from './block-map.ts';
import { openTable } from './byte-cache.ts';
import { bytesAt, type ImageBytes, type ImageFile } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import type { Layer, LayerContext, OpenedLayer, ParentReference } from './layer.ts';
import { readVhdxHeader, readVhdxMetadata, readVhdxRegions, type VhdxMetadata } from './vhdx-header.ts';
import { replayLog } from './vhdx-log.ts';

const MIB = 1024 * 1024;
const SECTORS_PER_BITMAP = 2 ** 23;
/** States of a block in the table. */
const state = { notPresent: 0, undefined: 1, zero: 2, unmapped: 3, present: 6, partial: 7 } as const;
const BITMAP_PRESENT = 6;
/** A part of a bitmap that is read at a time, in bytes. */
const BITMAP_PAGE = 64 * 1024;
let images = 0;

/**
 * A VHDX: fixed, dynamic or differencing. A log that was not replayed is, in memory.
 * @throws CausewayError source.image-unreadable
 */
export async function openVhdx(file: ImageFile, context: LayerContext): Promise<OpenedLayer> {
  const header = await readVhdxHeader(file);
  const bytes =
    header.log === undefined ? file : await replayLog(file, header.log.at, header.log.length, header.log.id);
  const regions = await readVhdxRegions(bytes);
  const metadata = await readVhdxMetadata(bytes, regions.metadata);
  const layer = await blocksLayer(bytes, metadata, regions.bat, context);
  const opened = { file, format: 'vhdx', layer, identity: header.dataWriteGuid } as const;
  return metadata.parent === undefined ? opened : { ...opened, parent: parentOf(file, metadata.parent) };
}

async function blocksLayer(
  file: ImageBytes,
  metadata: VhdxMetadata,
  bat: { readonly at: number; readonly length: number },
  context: LayerContext,
): Promise<Layer> {
  const { blockBytes, sizeBytes, logicalSectorBytes } = metadata;
  const isDifferencing = metadata.parent !== undefined;
  // After the entries of as many blocks as a bitmap of sectors covers, there is the entry of the bitmap.
  const ratio = (SECTORS_PER_BITMAP * logicalSectorBytes) / blockBytes;
  const entryOf = (block: number) => block + Math.floor(block / ratio);
  const blocks = Math.ceil(sizeBytes / blockBytes);
  const entries = isDifferencing ? Math.ceil(blocks / ratio) * (ratio + 1) : blocks === 0 ? 0 : entryOf(blocks - 1) + 1;
  if (entries * 8 > bat.length)
    throw unreadable(file.name, `its block table has ${bat.length} bytes for ${entries} entries`);
  const table = await openTable(context.tables, file, bat.at, 8, entries);
  const key = `vhdx-${++images}`;

  /** A part of the bitmap of the block's sectors, and the block's first bit in the whole. */
  const bitmapOf = async (block: number) => {
    const chunk = Math.floor(block / ratio);
    const index = chunk * (ratio + 1) + ratio;
    const page = await table.page(index);
    const { kind, at } = entryAt(page.bytes, index - page.first);
    if (kind !== BITMAP_PRESENT)
      throw unreadable(file.name, `block ${block} is partially stored, but its bitmap is missing (damaged)`);
    const firstBit = (block % ratio) * (blockBytes / logicalSectorBytes);
    const from = Math.floor(firstBit / 8 / BITMAP_PAGE) * BITMAP_PAGE;
    const length = Math.max(BITMAP_PAGE, blockBytes / logicalSectorBytes / 8);
    const bytes = await context.tables.get(`${key}/${at + from}`, () =>
      bytesAt(file, at + from, Math.min(length, MIB - from)),
    );
    return (sector: number) => {
      const bit = firstBit + sector - from * 8;
      return ((bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
    };
  };

  return {
    sizeBytes,
    runs: (offset, length) =>
      blockRuns(
        table,
        blockBytes,
        entryOf,
        offset,
        length,
        async (list, { block, bytes, index, skip, length: part }) => {
          const { kind, at } = entryAt(bytes, index);
          if (kind === state.present || (kind === state.partial && isDifferencing)) {
            if (at + skip + part > file.sizeBytes || at < MIB)
              throw unreadable(
                file.name,
                `a block is at offset ${at}, but the file is ${file.sizeBytes} bytes long (cut short or damaged)`,
              );
            if (kind === state.present) list.add({ kind: 'stored', length: part, file, at: at + skip });
            else
              addByBitmap(
                list,
                { skip, length: part, sectorBytes: logicalSectorBytes },
                await bitmapOf(block),
                (from, size) => ({ kind: 'stored', length: size, file, at: at + from }),
              );
          } else if (kind === state.notPresent) list.add({ kind: 'below', length: part });
          else if (kind === state.undefined || kind === state.zero || kind === state.unmapped)
            list.add({ kind: 'zero', length: part });
          else throw unreadable(file.name, `block ${block} is in the state ${kind}, which is not valid`);
        },
      ),
  };
}

/** Bits 0 to 2: the state; bits 20 to 63: where the block lies, in MiB. */
function entryAt(bytes: Buffer, index: number): { readonly kind: number; readonly at: number } {
  const low = bytes.readUInt32LE(index * 8);
  return { kind: low & 7, at: (bytes.readUInt32LE(index * 8 + 4) * 2 ** 12 + (low >>> 20)) * MIB };
}

function parentOf(file: ImageFile, locator: ReadonlyMap<string, string>): ParentReference {
  const linkages = ['parent_linkage', 'parent_linkage2']
    .flatMap((key) => locator.get(key) ?? [])
    .map((guid) => guid.toLowerCase().replaceAll(/[{}]/g, ''));
  const name = locator.get('relative_path') ?? locator.get('volume_path') ?? locator.get('absolute_win32_path');
  if (linkages.length === 0 || name === undefined)
    throw unreadable(file.name, 'it is a differencing image, but does not name its parent');
  return {
    name,
    style: 'windows',
    format: 'vhdx',
    verify: (parent) => {
      if (parent.identity === undefined || !linkages.includes(parent.identity)) {
        throw unreadable(
          file.name,
          `its parent ${parent.file.name} has the data ID ${parent.identity} instead of ${linkages.join(' or ')}: it was changed after the snapshot, or is a different disk`,
        );
      }
    },
  };
}
