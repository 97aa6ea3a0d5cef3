import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { bytesAt, type ImageBytes } from '../../images/image-bytes.ts';

/** A regular file in a tar archive; offset and size of its content in bytes. */
export interface TarMember {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

const BLOCK = 512;
/** Bounds the heads that are read: an archive of a VM has a handful. */
const MAX_HEADS = 20_000;
const MAX_EXTENDED = 64 * 1024;

/**
 * Lists the regular files of a tar archive (ustar, GNU, pax) without reading their content.
 * @throws CausewayError source.description-invalid
 */
export async function indexTar(file: ImageBytes): Promise<readonly TarMember[]> {
  const total = file.sizeBytes;
  let heads = 0;
  const members: TarMember[] = [];
  let longName: string | undefined;
  let longSize: number | undefined;
  for (let at = 0; at + BLOCK <= total;) {
    if (++heads > MAX_HEADS) throw invalid(`more than ${MAX_HEADS} members`);
    const head = await bytesAt(file, at, BLOCK);
    if (head.every((byte) => byte === 0)) break;
    checkSum(head, at);
    const type = String.fromCharCode(head[156] ?? 0);
    const size =
      type === 'L' || type === 'x' || type === 'g' ? number(head, 124, 12) : (longSize ?? number(head, 124, 12));
    const offset = at + BLOCK;
    if (offset + size > total) throw invalid(`the member at ${at} is cut short`);
    if (type === 'L' || type === 'x') {
      if (size > MAX_EXTENDED) throw invalid('an extended header is too long');
      const content = await bytesAt(file, offset, size);
      if (type === 'L') longName = cString(content);
      else ({ path: longName = longName, size: longSize = longSize } = paxRecords(content));
    } else {
      if (type === '0' || type === '\0' || type === '7')
        members.push({ name: longName ?? shortName(head), offset, size });
      longName = undefined;
      longSize = undefined;
    }
    at = offset + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (members.length === 0) throw invalid('it contains no files');
  return members;
}

function checkSum(head: Buffer, at: number): void {
  let sum = 0;
  for (const [index, byte] of head.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  if (sum !== number(head, 148, 8)) throw invalid(`no member head at ${at}`);
}

/** Octal text, or a big-endian number when the first bit is set. */
function number(head: Buffer, at: number, length: number): number {
  if (((head[at] ?? 0) & 0x80) !== 0) {
    let value = 0n;
    for (const byte of head.subarray(at + 1, at + length)) value = (value << 8n) | BigInt(byte);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid('the size of a member is not valid');
    return Number(value);
  }
  const text = head
    .toString('latin1', at, at + length)
    .replace(/[\0 ].*$/s, '')
    .trim();
  const value = text === '' ? 0 : Number.parseInt(text, 8);
  if (!Number.isSafeInteger(value) || value < 0) throw invalid('an invalid number');
  return value;
}

function shortName(head: Buffer): string {
  const name = cString(head.subarray(0, 100));
  const prefix = head.toString('latin1', 257, 262) === 'ustar' ? cString(head.subarray(345, 500)) : '';
  return prefix === '' || head[263] === 0x20 ? name : `${prefix}/${name}`;
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

function paxRecords(content: Buffer): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number.parseInt(content.toString('latin1', at, space), 10);
    if (!(length > 0) || at + length > content.length) throw invalid('a broken extended header');
    const record = content.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    const value = record.slice(equals + 1);
    if (key === 'path') found.path = value;
    if (key === 'size') {
      const size = Number(value);
      if (!Number.isSafeInteger(size) || size < 0) throw invalid('a member size that is not a number');
      found.size = size;
    }
    at += length;
  }
  return found;
}

function invalid(why: string): CausewayError {
  return new CausewayError('source.description-invalid', `the tar archive: ${why}`);
}
