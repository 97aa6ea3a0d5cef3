import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';

/** Formats of disk images, by the name of the QEMU driver that reads them. */
export type ImageFormat = 'raw' | 'qcow2' | 'vmdk' | 'vpc' | 'vhdx' | 'vdi';

/** A part of a file: a whole image, or a member of a tar archive. Bytes. */
export interface FileRange {
  readonly offset: number;
  readonly size: number;
}

/** Extensions whose content is raw by agreement: whatever its first bytes are, they were written by the guest. */
const alwaysRaw = new Set(['.raw', '.dd', '.bin']);
const perhapsRaw = new Set(['.img', '.iso']);
const ownFormat: Readonly<Record<string, ImageFormat>> = {
  '.qcow2': 'qcow2',
  '.vmdk': 'vmdk',
  '.vhd': 'vpc',
  '.vpc': 'vpc',
  '.vhdx': 'vhdx',
  '.vdi': 'vdi',
};

export function hasImageExtension(name: string): boolean {
  const extension = extname(name).toLowerCase();
  return alwaysRaw.has(extension) || extension === '.img' || Object.hasOwn(ownFormat, extension);
}

/**
 * The format of an image by its magic; raw only where the name says so or says nothing. Undefined when the name
 * promises a format that the content is not of.
 */
export async function detectFormat(file: FileHandle, name: string, range: FileRange): Promise<ImageFormat | undefined> {
  const extension = extname(name).toLowerCase();
  if (alwaysRaw.has(extension) || /-flat\.vmdk$/i.test(name)) return 'raw';
  const found = formatOfHead(await readAt(file, range, 0, 512)) ?? (await vhdFooter(file, range));
  if (found !== undefined) return found;
  return Object.hasOwn(ownFormat, extension) && !perhapsRaw.has(extension) ? undefined : 'raw';
}

/** Reads up to `length` bytes at `at` of the range. */
export async function readAt(file: FileHandle, range: FileRange, at: number, length: number): Promise<Buffer> {
  const wanted = Math.max(0, Math.min(length, range.size - at));
  const bytes = Buffer.alloc(wanted);
  let got = 0;
  while (got < wanted) {
    const { bytesRead } = await file.read(bytes, got, wanted - got, range.offset + at + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return bytes.subarray(0, got);
}

function formatOfHead(head: Buffer): ImageFormat | undefined {
  const magic = head.toString('latin1', 0, 8);
  if (magic.startsWith('QFI\xfb') && head.length >= 8 && [2, 3].includes(head.readUInt32BE(4))) return 'qcow2';
  if (magic.startsWith('KDMV') || magic.startsWith('COWD')) return 'vmdk';
  if (/^\s*#\s*disk descriptorfile/i.test(head.toString('latin1'))) return 'vmdk';
  if (magic === 'vhdxfile') return 'vhdx';
  if (magic === 'conectix') return 'vpc';
  if (head.length >= 68 && head.readUInt32LE(64) === 0xbeda107f) return 'vdi';
  return undefined;
}

/** A fixed VHD is raw data with a footer of 512 bytes (511 in images by old tools). */
async function vhdFooter(file: FileHandle, range: FileRange): Promise<ImageFormat | undefined> {
  if (range.size < 1024) return undefined;
  const tail = await readAt(file, range, range.size - 512, 512);
  return tail.toString('latin1', 0, 8) === 'conectix' || tail.toString('latin1', 1, 9) === 'conectix' ? 'vpc' : undefined;
}
