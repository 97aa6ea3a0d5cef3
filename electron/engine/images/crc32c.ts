const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0x82f63b78;
  return value;
});

/** CRC-32C (Castagnoli) of bytes, with the 4 bytes at `zeroedAt` taken as zero: where a structure holds its own sum. */
export function crc32c(bytes: Uint8Array, zeroedAt = -1): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) {
    const byte = at >= zeroedAt && at < zeroedAt + 4 && zeroedAt >= 0 ? 0 : (bytes[at] ?? 0);
    crc = (table[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
