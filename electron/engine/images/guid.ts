/** A GUID as Microsoft's structures hold it: the first three groups little-endian. Lower case, without braces. */
export function guidAt(bytes: Buffer, at: number): string {
  const group = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return [
    group(bytes.readUInt32LE(at), 8),
    group(bytes.readUInt16LE(at + 4), 4),
    group(bytes.readUInt16LE(at + 6), 4),
    bytes.toString('hex', at + 8, at + 10),
    bytes.toString('hex', at + 10, at + 16),
  ].join('-');
}
