import type { Extent } from '../../../shared/model/extent.ts';
import type { ServedDisk } from './served-disk.ts';

const BLOCK = 65_536;

/** A served disk whose bytes are in memory; blocks of zeros count as never written. */
export function memoryDisk(
  path: string,
  bytes: Buffer,
  more: Partial<Pick<ServedDisk, 'vmId' | 'isLive' | 'descriptor'>> = {},
): ServedDisk {
  return {
    path,
    vmId: 'vm-1',
    isLive: false,
    descriptor: { adapterType: 'lsilogic', virtualHWVersion: '19' },
    ...more,
    sizeBytes: bytes.length,
    allocated: () => Promise.resolve(extentsOf(bytes)),
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

function extentsOf(bytes: Buffer): readonly Extent[] {
  const extents: Extent[] = [];
  for (let offset = 0; offset < bytes.length; offset += BLOCK) {
    const block = bytes.subarray(offset, offset + BLOCK);
    const kind = block.some((byte) => byte !== 0) ? 'data' : 'zero';
    const last = extents.at(-1);
    if (last?.kind === kind) extents[extents.length - 1] = { ...last, length: last.length + block.length };
    else extents.push({ offset, length: block.length, kind });
  }
  return extents;
}
