import { randomBytes } from 'node:crypto';

/** Fields of a VHD footer that matter for reading; offsets in bytes, all numbers big-endian. */
const COOKIE = 'conectix';
const CHECKSUM_AT = 64;

/** 512 bytes that are a VHD footer (or its copy at the start): by cookie and checksum. */
export function isVhdFooter(bytes: Buffer): boolean {
  return (
    bytes.length === 512 &&
    bytes.toString('latin1', 0, 8) === COOKIE &&
    bytes.readUInt32BE(CHECKSUM_AT) === vhdChecksum(bytes, CHECKSUM_AT)
  );
}

/** One's complement of the sum of all bytes but those of the checksum itself. */
export function vhdChecksum(bytes: Buffer, checksumAt: number): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) if (at < checksumAt || at >= checksumAt + 4) sum += bytes[at] ?? 0;
  return ~sum >>> 0;
}

const SECTOR = 512;
const FIXED = 2;

/** What comes after the bytes of a disk in a VHD of the fixed kind. */
export function fixedVhdFooter(sizeBytes: number, id: Buffer = randomBytes(16)): Buffer {
  const footer = Buffer.alloc(SECTOR);
  footer.write(COOKIE, 0, 'latin1');
  // A reserved feature that is always set, and version 1.0.
  footer.writeUInt32BE(2, 8);
  footer.writeUInt32BE(0x00010000, 12);
  footer.writeBigUInt64BE(0xffffffffffffffffn, 16);
  // As Windows writes it: readers take the size of such from the footer, and not from the geometry, which is rounded.
  footer.write('win ', 28, 'latin1');
  footer.writeUInt32BE(0x000a0000, 32);
  footer.write('Wi2k', 36, 'latin1');
  footer.writeBigUInt64BE(BigInt(sizeBytes), 40);
  footer.writeBigUInt64BE(BigInt(sizeBytes), 48);
  const { cylinders, heads, sectors } = geometryOf(sizeBytes);
  footer.writeUInt16BE(cylinders, 56);
  footer.writeUInt8(heads, 58);
  footer.writeUInt8(sectors, 59);
  footer.writeUInt32BE(FIXED, 60);
  id.copy(footer, 68, 0, 16);
  footer.writeUInt32BE(vhdChecksum(footer, CHECKSUM_AT), CHECKSUM_AT);
  return footer;
}

/** Cylinders, heads and sectors as the format's description computes them. */
function geometryOf(sizeBytes: number): {
  readonly cylinders: number;
  readonly heads: number;
  readonly sectors: number;
} {
  const total = Math.min(Math.floor(sizeBytes / SECTOR), 65_535 * 16 * 255);
  const of = (heads: number, sectors: number) => ({
    cylinders: Math.floor(Math.floor(total / sectors) / heads),
    heads,
    sectors,
  });
  if (total >= 65_535 * 16 * 63) return of(16, 255);
  const heads = Math.max(4, Math.floor((Math.floor(total / 17) + 1023) / 1024));
  if (heads <= 16 && Math.floor(total / 17) < heads * 1024) return of(heads, 17);
  return Math.floor(total / 31) < 16 * 1024 ? of(16, 31) : of(16, 63);
}
