import { vhdChecksum } from '../vhd-footer.ts';
import { sectorsOf, type Content } from './content.ts';

const SECTOR = 512;

export interface VhdOptions {
  readonly id?: number;
  readonly blockBytes?: number;
  readonly parent?: {
    readonly id: number;
    readonly relative?: string;
    readonly absolute?: string;
    readonly name?: string;
  };
}

/** A fixed VHD. */
export function fixedVhd(content: Buffer, id = 1): Buffer {
  return Buffer.concat([content, footer(content.length, 2, id)]);
}

/** A dynamic VHD, or a differencing one of the sectors that the content has. */
export function dynamicVhd(content: Content, { id = 1, blockBytes = 16 * 1024, parent }: VhdOptions = {}): Buffer {
  const blocks = Math.ceil(content.sizeBytes / blockBytes);
  const bitmapBytes = Math.ceil(blockBytes / SECTOR / 8 / SECTOR) * SECTOR;
  const end = footer(content.sizeBytes, parent === undefined ? 3 : 4, id);
  const header = Buffer.alloc(1024);
  header.write('cxsparse', 0, 'latin1');
  header.writeBigUInt64BE(0xffffffffffffffffn, 8);
  header.writeBigUInt64BE(2048n, 16);
  header.writeUInt32BE(0x00010000, 24);
  header.writeUInt32BE(blocks, 28);
  header.writeUInt32BE(blockBytes, 32);
  const locators = Buffer.alloc(512);
  if (parent !== undefined) {
    header.fill(parent.id, 40, 56);
    Buffer.from(parent.name ?? '', 'utf16le')
      .swap16()
      .copy(header, 64);
    for (const [index, [code, text]] of (
      [
        [0x57327275, parent.relative],
        [0x57326b75, parent.absolute],
      ] as const
    ).entries()) {
      if (text === undefined) continue;
      const bytes = Buffer.from(text, 'utf16le');
      bytes.copy(locators, index * 256);
      header.writeUInt32BE(code, 576 + index * 24);
      header.writeUInt32BE(SECTOR, 580 + index * 24);
      header.writeUInt32BE(bytes.length, 584 + index * 24);
      header.writeBigUInt64BE(BigInt(1536 + index * 256), 592 + index * 24);
    }
  }
  header.writeUInt32BE(vhdChecksum(header, 36), 36);
  const table = Buffer.alloc(Math.ceil((blocks * 4) / SECTOR) * SECTOR, 0xff);
  const data: Buffer[] = [];
  let at = 2048 + table.length;
  for (let block = 0; block < blocks; block++) {
    const sectors = sectorsOf(content, block * blockBytes, blockBytes, SECTOR);
    if (sectors.every((sector) => sector === undefined)) continue;
    const bitmap = Buffer.alloc(bitmapBytes);
    for (const [index, sector] of sectors.entries())
      if (sector !== undefined) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (0x80 >> (index & 7));
    // Sectors that are not there have bytes that must not show in a differencing image.
    const stored = sectors.map((sector) => sector ?? Buffer.alloc(SECTOR, parent === undefined ? 0 : 0xdd));
    table.writeUInt32BE(at / SECTOR, block * 4);
    data.push(bitmap, ...stored);
    at += bitmapBytes + blockBytes;
  }
  return Buffer.concat([end, header, locators, table, ...data, end]);
}

function footer(size: number, type: number, id: number): Buffer {
  const bytes = Buffer.alloc(SECTOR);
  bytes.write('conectix', 0, 'latin1');
  bytes.writeUInt32BE(2, 8);
  bytes.writeUInt32BE(0x00010000, 12);
  bytes.writeBigUInt64BE(type === 2 ? 0xffffffffffffffffn : 512n, 16);
  bytes.writeBigUInt64BE(BigInt(size), 40);
  bytes.writeBigUInt64BE(BigInt(size), 48);
  bytes.writeUInt32BE(type, 60);
  bytes.fill(id, 68, 84);
  bytes.writeUInt32BE(vhdChecksum(bytes, 64), 64);
  return bytes;
}
