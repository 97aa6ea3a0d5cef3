import { z } from 'zod';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';

export const DIGEST_BYTES = 32;
/** What stands beside the list of digests; far more than a backup's names and dates take. */
const longestRest = 1024 * 1024;
const quote = 0x22;
const closing = 0x5d;
const isBetween = (byte: number | undefined): boolean =>
  byte === 0x2c || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The file of digests that belongs to a backup, in the object store: JSON with one long list of SHA-256 in hex. */
export interface StoredDigests {
  readonly name: string;
  /** Bytes of the volume that one digest is about. */
  readonly blockBytes: number;
  /** The file from its beginning. */
  parts(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

const restSchema = z.looseObject({ chunk_size: z.int().positive(), sha256s: z.array(z.never()) });

/**
 * How many bytes of the volume one digest is about. Reads no more than the beginning of the file, unless it tells that only
 * behind its list.
 *
 * @throws `source.backup-unreadable`
 */
export async function blockBytesOf(file: Omit<StoredDigests, 'blockBytes'>, signal: AbortSignal): Promise<number> {
  let head = '';
  for await (const part of file.parts(signal)) {
    head += textOf(part);
    const list = listStart(head);
    const told = /"chunk_size"\s*:\s*(\d+)\s*,/.exec(list === undefined ? '' : head.slice(0, list))?.[1];
    if (told !== undefined) return Number(told);
    if (list !== undefined) break;
    if (head.length > longestRest) throw notDigests(file.name);
  }
  const digests = scanDigests(file, signal);
  for (;;) {
    const next = await digests.next();
    if (next.done === true) return next.value;
  }
}

/**
 * Reads the digests in order, some of them at a time, 32 bytes each; memory is one part's. The text of the whole list may be
 * larger than a string can be.
 *
 * @returns what `blockBytesOf` returns
 * @throws `source.backup-unreadable` when it is no such file, or is cut off
 */
export async function* scanDigests(
  file: Omit<StoredDigests, 'blockBytes'>,
  signal: AbortSignal,
): AsyncGenerator<Buffer, number, undefined> {
  let rest = '';
  let where: 'before' | 'within' | 'after' = 'before';
  let held: Uint8Array = new Uint8Array();
  for await (const part of file.parts(signal)) {
    let bytes = held.length === 0 ? part : Buffer.concat([held, part]);
    held = new Uint8Array();
    if (where === 'before') {
      rest += textOf(bytes);
      const list = listStart(rest);
      if (list === undefined) {
        if (rest.length > longestRest) throw notDigests(file.name);
        continue;
      }
      bytes = bytes.subarray(bytes.length - (rest.length - list));
      rest = rest.slice(0, list);
      where = 'within';
    }
    if (where === 'within') {
      const found = tokensOf(bytes, file.name);
      if (found.digests.length > 0) yield found.digests;
      if (found.isEnd) where = 'after';
      held = found.isEnd ? held : bytes.subarray(found.used);
      bytes = bytes.subarray(found.used);
    }
    if (where === 'after') {
      rest += textOf(bytes);
      if (rest.length > longestRest) throw notDigests(file.name);
    }
  }
  const parsed = restSchema.safeParse(jsonOf(rest));
  if (!parsed.success) throw notDigests(file.name);
  return parsed.data.chunk_size;
}

/** All whole tokens of a part of the list; `used` is where the first that is not whole begins, or the end of the list. */
function tokensOf(
  bytes: Uint8Array,
  name: string,
): { readonly digests: Buffer; readonly used: number; readonly isEnd: boolean } {
  const digests = Buffer.allocUnsafeSlow(Math.ceil(bytes.length / (2 * DIGEST_BYTES + 2)) * DIGEST_BYTES);
  let count = 0;
  let at = 0;
  for (;;) {
    while (isBetween(bytes[at])) at += 1;
    const byte = bytes[at];
    if (byte === closing || at + 2 * DIGEST_BYTES + 2 > bytes.length) {
      if (byte !== undefined && byte !== closing && byte !== quote) throw notDigests(name);
      return { digests: digests.subarray(0, count * DIGEST_BYTES), used: at, isEnd: byte === closing };
    }
    if (
      byte !== quote ||
      bytes[at + 2 * DIGEST_BYTES + 1] !== quote ||
      !decodeHex(bytes, at + 1, digests, count * DIGEST_BYTES)
    )
      throw notDigests(name);
    count += 1;
    at += 2 * DIGEST_BYTES + 2;
  }
}

/** The value of a hexadecimal digit by its character; 255: it is none. */
const hexValues = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 255 : value;
});

/** One digest; false where there is something else. */
function decodeHex(from: Uint8Array, at: number, into: Uint8Array, offset: number): boolean {
  let wrong = 0;
  for (let index = 0; index < DIGEST_BYTES; index += 1) {
    const high = hexValues[from[at + 2 * index]!]!;
    const low = hexValues[from[at + 2 * index + 1]!]!;
    wrong |= (high | low) & 0xf0;
    into[offset + index] = (high << 4) | low;
  }
  return wrong === 0;
}

/** Where the list's first element would be. A quotation mark within a name is escaped, and makes no key. */
function listStart(text: string): number | undefined {
  const key = text.indexOf('"sha256s"');
  const begin = key === -1 ? -1 : text.indexOf('[', key);
  return begin === -1 ? undefined : begin + 1;
}

/** One character for each byte, so that positions are the same. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notDigests(name: string): CausewayError {
  return new CausewayError('source.backup-unreadable', `${name}: it is not a list of digests`);
}
