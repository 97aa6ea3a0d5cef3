import type { FileHandle } from 'node:fs/promises';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { readAt, type FileRange, type ImageFormat } from './image-format.ts';

/** Other files that an image names in its header. Names as they stand there; nothing is opened here. */
export interface ImageReferences {
  readonly backing?: { readonly name: string; readonly format?: string };
  /** Files that hold the data of a VMDK descriptor. */
  readonly extents: readonly string[];
}

const none: ImageReferences = { extents: [] };
const MAX_DESCRIPTOR = 1024 * 1024;
const EXTERNAL_DATA_FILE = 4;
const BACKING_FORMAT_EXTENSION = 0xe2792aca;

/** @throws CausewayError source.image-unreadable, source.image-refers-outside */
export async function readReferences(file: FileHandle, name: string, format: ImageFormat, range: FileRange): Promise<ImageReferences> {
  if (format === 'qcow2') return qcow2References(await readAt(file, range, 0, 65_536), name);
  if (format === 'vmdk') return vmdkReferences(file, name, range);
  return none;
}

function qcow2References(head: Buffer, name: string): ImageReferences {
  if (head.length < 72) throw unreadable(name, 'its qcow2 header is cut short');
  const version = head.readUInt32BE(4);
  const backingAt = head.readBigUInt64BE(8);
  const backingLength = head.readUInt32BE(16);
  if (head.readUInt32BE(32) !== 0) throw unreadable(name, 'it is encrypted');
  if (version >= 3) {
    if (head.length < 104) throw unreadable(name, 'its qcow2 header is cut short');
    if ((head.readUInt32BE(76) & EXTERNAL_DATA_FILE) !== 0) {
      throw new CausewayError('source.image-refers-outside', `${name} keeps its data in another file`);
    }
  }
  if (backingAt === 0n) return none;
  const start = Number(backingAt);
  if (backingLength === 0 || backingLength > 1023 || start + backingLength > head.length) throw unreadable(name, 'its backing file name lies outside of its header');
  const format = version >= 3 ? qcow2BackingFormat(head, start) : undefined;
  return {
    backing: { name: head.toString('utf8', start, start + backingLength), ...(format === undefined ? {} : { format }) },
    extents: [],
  };
}

function qcow2BackingFormat(head: Buffer, end: number): string | undefined {
  for (let at = head.readUInt32BE(100); at >= 72 && at + 8 <= end; ) {
    const type = head.readUInt32BE(at);
    const length = head.readUInt32BE(at + 4);
    if (type === 0 || at + 8 + length > end) return undefined;
    if (type === BACKING_FORMAT_EXTENSION) return head.toString('latin1', at + 8, at + 8 + length);
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return undefined;
}

async function vmdkReferences(file: FileHandle, name: string, range: FileRange): Promise<ImageReferences> {
  const head = await readAt(file, range, 0, 512);
  const magic = head.toString('latin1', 0, 4);
  if (magic === 'COWD') return none;
  if (magic !== 'KDMV') return descriptorReferences(await readAt(file, range, 0, MAX_DESCRIPTOR), name);
  // With a capacity of zero, QEMU takes the embedded descriptor for the image and opens what it names.
  if (head.readBigUInt64LE(12) === 0n) throw new CausewayError('source.image-refers-outside', `${name} is a VMDK without data of its own`);
  const at = Number(head.readBigUInt64LE(28)) * 512;
  const length = Number(head.readBigUInt64LE(36)) * 512;
  if (at === 0 || length === 0) return none;
  if (length > MAX_DESCRIPTOR || at + length > range.size) throw unreadable(name, 'its descriptor lies outside of the file');
  const { backing } = descriptorReferences(await readAt(file, range, at, length), name);
  return backing === undefined ? none : { backing, extents: [] };
}

function descriptorReferences(bytes: Buffer, name: string): ImageReferences {
  const nul = bytes.indexOf(0);
  const text = bytes.toString('utf8', 0, nul === -1 ? bytes.length : nul);
  const extents: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:RW|RDONLY|NOACCESS)\s+\d+\s+([A-Z]+)(?:\s+"([^"\n]*)")?/.exec(line);
    if (match === null || match[1] === 'ZERO') continue;
    if (match[2] === undefined) throw unreadable(name, 'an extent without a file name');
    if (!['FLAT', 'SPARSE', 'VMFS', 'VMFSSPARSE', 'SESPARSE'].includes(match[1] ?? '')) throw unreadable(name, `an extent of type ${match[1]}`);
    extents.push(match[2]);
  }
  const parent = /^\s*parentFileNameHint\s*=\s*"([^"\n]*)"/m.exec(text)?.[1];
  return { ...(parent === undefined ? {} : { backing: { name: parent, format: 'vmdk' } }), extents };
}

function unreadable(name: string, why: string): CausewayError {
  return new CausewayError('source.image-unreadable', `${name}: ${why}`);
}
