import { crc32 } from 'node:zlib';
import { SEGMENT_BLOCKS } from './blocks.ts';
import { DIGEST_BYTES } from './digests.ts';

/**
 * One page of the digest map = one segment of the disk. On file: a head of one sector {magic, CRC-32 of all that
 * follows it, segment, kind}, then 16 bytes for each block. An entry of all zeros is "none", of all ones "zero".
 * A page of one kind throughout is its head alone.
 */
export const PAGE_HEAD_BYTES = 512;
export const PAGE_BYTES = PAGE_HEAD_BYTES + SEGMENT_BLOCKS * DIGEST_BYTES;

const MAGIC = 0x44475031;
const CRC_AT = 4;
const CRC_FROM = 8;
const KINDS = ['none', 'zero', 'mixed'] as const;

/** What a page says of one block. */
export type PageEntry = 'none' | 'zero' | 'digest';

export interface DigestPage {
  /** `damaged`: what is on file is not what was written; nothing is known of its blocks. */
  kind: 'none' | 'zero' | 'mixed' | 'damaged';
  /** Set for `mixed` only. */
  entries?: Buffer;
}

/** A page as read from file. */
export function decodePage(bytes: Buffer, segment: number): DigestPage {
  const head = bytes.subarray(0, PAGE_HEAD_BYTES);
  const kind = KINDS[head.readUInt32LE(16)];
  if (head.readUInt32LE(0) !== MAGIC || head.readDoubleLE(8) !== segment || kind === undefined)
    return { kind: 'damaged' };
  const covered = kind === 'mixed' ? bytes.subarray(CRC_FROM) : head.subarray(CRC_FROM);
  if (head.readUInt32LE(CRC_AT) !== crc32(covered)) return { kind: 'damaged' };
  return kind === 'mixed' ? { kind, entries: Buffer.from(bytes.subarray(PAGE_HEAD_BYTES)) } : { kind };
}

/** The bytes that stand for a page on file. */
export function encodePage(page: DigestPage, segment: number): Buffer {
  const bytes = Buffer.alloc(page.entries === undefined ? PAGE_HEAD_BYTES : PAGE_BYTES);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeDoubleLE(segment, 8);
  bytes.writeUInt32LE(page.kind === 'damaged' ? 0 : KINDS.indexOf(page.kind), 16);
  page.entries?.copy(bytes, PAGE_HEAD_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(CRC_FROM)), CRC_AT);
  return bytes;
}

/** What the page says about its `index`th block. */
export function entryAt(page: DigestPage, index: number): PageEntry {
  if (page.entries === undefined) return page.kind === 'zero' ? 'zero' : 'none';
  const at = index * DIGEST_BYTES;
  const first = page.entries[at]!;
  if (first !== 0 && first !== 0xff) return 'digest';
  const end = at + DIGEST_BYTES;
  for (let i = at + 1; i < end; i++) if (page.entries[i] !== first) return 'digest';
  return first === 0 ? 'none' : 'zero';
}

/** Whether the page holds exactly this digest for its `index`th block. */
export function holdsDigest(page: DigestPage, index: number, digest: Buffer): boolean {
  if (entryAt(page, index) !== 'digest') return false;
  const at = index * DIGEST_BYTES;
  return page.entries!.compare(digest, 0, DIGEST_BYTES, at, at + DIGEST_BYTES) === 0;
}

/** Fills entries [index, index + count) with a state. */
export function setState(page: DigestPage, index: number, count: number, state: 'none' | 'zero'): void {
  if (count === SEGMENT_BLOCKS) {
    page.kind = state;
    delete page.entries;
    return;
  }
  entriesOf(page).fill(state === 'zero' ? 0xff : 0, index * DIGEST_BYTES, (index + count) * DIGEST_BYTES);
}

/** Stores a digest. One that looks like a state (a chance of 2^-127) is stored as none: it costs a comparison more. */
export function setDigest(page: DigestPage, index: number, digest: Buffer): void {
  const at = index * DIGEST_BYTES;
  digest.copy(entriesOf(page), at, 0, DIGEST_BYTES);
  if (entryAt(page, index) !== 'digest') page.entries!.fill(0, at, at + DIGEST_BYTES);
}

function entriesOf(page: DigestPage): Buffer {
  page.entries ??= Buffer.alloc(SEGMENT_BLOCKS * DIGEST_BYTES, page.kind === 'zero' ? 0xff : 0);
  page.kind = 'mixed';
  return page.entries;
}
