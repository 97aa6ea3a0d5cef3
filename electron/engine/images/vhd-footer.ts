/** Fields of a VHD footer that matter for reading; offsets in bytes, all numbers big-endian. */
const COOKIE = 'conectix';
const CHECKSUM_AT = 64;

/** 512 bytes that are a VHD footer (or its copy at the start): by cookie and checksum. */
export function isVhdFooter(bytes: Buffer): boolean {
  return bytes.length === 512 && bytes.toString('latin1', 0, 8) === COOKIE && bytes.readUInt32BE(CHECKSUM_AT) === vhdChecksum(bytes, CHECKSUM_AT);
}

/** One's complement of the sum of all bytes but those of the checksum itself. */
export function vhdChecksum(bytes: Buffer, checksumAt: number): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) if (at < checksumAt || at >= checksumAt + 4) sum += bytes[at] ?? 0;
  return ~sum >>> 0;
}
