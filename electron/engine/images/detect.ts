import { extname } from 'node:path';
import { bytesUpTo, type ImageBytes } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';
import { isVhdFooter } from './vhd-footer.ts';

export type ImageFormat = 'raw' | 'qcow2' | 'vmdk' | 'vhd' | 'vhdx' | 'vdi';

/** Extensions that mean raw content: the first bytes may be the guest's. */
const alwaysRaw = new Set(['.raw', '.dd', '.bin']);
const extensions: Readonly<Record<string, ImageFormat>> = {
  '.qcow2': 'qcow2',
  '.vmdk': 'vmdk',
  '.vhd': 'vhd',
  '.vpc': 'vhd',
  '.vhdx': 'vhdx',
  '.avhd': 'vhd',
  '.avhdx': 'vhdx',
  '.vdi': 'vdi',
};

/** Programs that images are compressed with as a whole, with their magic. No disk starts like that. */
const packers: Readonly<Record<string, string>> = {
  gzip: '\x1f\x8b\x08',
  xz: '\xfd7zXZ\0',
  zstd: '\x28\xb5\x2f\xfd',
  bzip2: 'BZh',
};

export function hasImageExtension(name: string): boolean {
  const extension = extname(name).toLowerCase();
  return alwaysRaw.has(extension) || extension === '.img' || Object.hasOwn(extensions, extension);
}

export interface DetectedFormat {
  readonly format: ImageFormat;
  /** The file's name promises the format. If not, a guest may have written what looks like a header. */
  readonly isNamedSo: boolean;
}

/**
 * The format of an image by its magic; raw only where the name says so or says nothing.
 * @throws CausewayError source.image-unreadable when the name promises a format that the content does not have
 */
export async function detectFormat(file: ImageBytes): Promise<DetectedFormat> {
  const extension = extname(file.name).toLowerCase();
  if (alwaysRaw.has(extension) || /-flat\.vmdk$/i.test(file.name)) return { format: 'raw', isNamedSo: true };
  const promised = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  const head = await bytesUpTo(file, 0, 512);
  const isVhd = await endsWithVhdFooter(file);
  // The start of a fixed VHD belongs to the guest, even if it looks like another format.
  const found = isVhd && promised === 'vhd' ? 'vhd' : (formatOfHead(head) ?? (isVhd ? 'vhd' : undefined));
  if (found !== undefined) return { format: found, isNamedSo: promised === found };
  const packer = Object.keys(packers).find((name) => head.toString('latin1').startsWith(packers[name] ?? '?'));
  if (packer !== undefined) throw unreadable(file.name, `it is compressed with ${packer}: unpack it first`);
  if (promised === undefined) return { format: 'raw', isNamedSo: false };
  throw unreadable(file.name, `its content is not a ${promised.toUpperCase()} image`);
}

function formatOfHead(head: Buffer): ImageFormat | undefined {
  const magic = head.toString('latin1', 0, 8);
  if (magic.startsWith('QFI\xfb')) return 'qcow2';
  if (magic.startsWith('KDMV') || magic.startsWith('COWD') || head.indexOf(SESPARSE_MAGIC) === 0) return 'vmdk';
  if (/^\s*#\s*disk descriptorfile/i.test(head.toString('latin1'))) return 'vmdk';
  if (magic === 'vhdxfile') return 'vhdx';
  if (head.length === 512 && isVhdFooter(head)) return 'vhd';
  if (head.length >= 68 && head.readUInt32LE(64) === 0xbeda107f) return 'vdi';
  return undefined;
}

/** First bytes of a space-efficient sparse extent of ESXi. */
export const SESPARSE_MAGIC = Buffer.from('bebafeca00000000', 'hex');

/** A fixed VHD is raw data with a footer of 512 bytes (511 in images by old tools). */
async function endsWithVhdFooter(file: ImageBytes): Promise<boolean> {
  if (file.sizeBytes < 1024) return false;
  const tail = await bytesUpTo(file, file.sizeBytes - 512, 512);
  return isVhdFooter(tail) || isVhdFooter(Buffer.concat([tail.subarray(1), Buffer.alloc(1)]));
}
