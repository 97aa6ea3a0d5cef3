const clusterBits = 16;
const clusterBytes = 2 ** clusterBits;
/** Bytes that one entry of the first table stands for. */
const bytesOfEntry = clusterBytes * (clusterBytes / 8);

/**
 * A QCOW2 image (version 2) of nothing but zeros: header, table of references, and a first table without an entry. It takes four
 * clusters, whatever its size.
 */
export function zeroQcow2(sizeBytes: number): Buffer {
  const entries = Math.ceil(sizeBytes / bytesOfEntry);
  if (entries * 8 > clusterBytes)
    throw new RangeError(`${sizeBytes} bytes do not fit into a first table of one cluster`);
  const image = Buffer.alloc(4 * clusterBytes);
  image.write('QFI\xfb', 0, 'latin1');
  image.writeUInt32BE(2, 4);
  image.writeUInt32BE(clusterBits, 20);
  image.writeBigUInt64BE(BigInt(sizeBytes), 24);
  image.writeUInt32BE(entries, 36);
  image.writeBigUInt64BE(BigInt(3 * clusterBytes), 40);
  image.writeBigUInt64BE(BigInt(clusterBytes), 48);
  image.writeUInt32BE(1, 56);
  // Header, the two levels of references, and the first table are referred to once each.
  image.writeBigUInt64BE(BigInt(2 * clusterBytes), clusterBytes);
  for (let cluster = 0; cluster < 4; cluster += 1) image.writeUInt16BE(1, 2 * clusterBytes + cluster * 2);
  return image;
}
