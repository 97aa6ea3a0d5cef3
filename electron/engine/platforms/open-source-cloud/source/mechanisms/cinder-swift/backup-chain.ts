import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { OpenStackCloud } from '../../../client/open-cloud.ts';
import { findStoredBackup, type BackupPart, type StoredBackup } from './backup-layout.ts';

/** Far more than any that is kept; a chain that is longer goes in a circle. */
const longest = 1000;

/**
 * A backup and all those that it depends on, the newest first and the full one last, whoever created them. Undefined when the
 * account does not have all of them.
 *
 * @throws `source.backup-unreadable` when the metadata of one is damaged
 */
export async function findChain(
  cloud: OpenStackCloud,
  backupId: string,
  signal: AbortSignal,
): Promise<readonly StoredBackup[] | undefined> {
  const chain: StoredBackup[] = [];
  for (let next: string | undefined = backupId; next !== undefined;) {
    const backup = await cloud.volume.backups.get(next, signal);
    const stored = backup === undefined ? undefined : await findStoredBackup(cloud.objectStore, backup, signal);
    if (stored === undefined || chain.length >= longest) return undefined;
    chain.push(stored);
    next = stored.parentId;
  }
  return chain;
}

/** A run of the volume's bytes, and where in which part it is. */
export interface ChainPiece {
  readonly offset: number;
  readonly length: number;
  readonly part: BackupPart;
}

/** The volume as a chain of backups has it: for each byte, the newest part that holds it. Ascending, without overlaps. */
export function flattenChain(chain: readonly Pick<StoredBackup, 'parts'>[]): readonly ChainPiece[] {
  let flat: ChainPiece[] = [];
  for (const { parts } of chain) {
    // What newer backups hold counts; of this one only what lies between.
    const merged: ChainPiece[] = [];
    let index = 0;
    for (const part of parts.toSorted((one, other) => one.offset - other.offset)) {
      let at = part.offset;
      const end = part.offset + part.length;
      while (index < flat.length && (flat[index]?.offset ?? 0) + (flat[index]?.length ?? 0) <= at)
        merged.push(flat[index++]!);
      while (at < end) {
        const newer = flat[index];
        if (newer === undefined || newer.offset >= end) {
          merged.push({ offset: at, length: end - at, part });
          at = end;
        } else {
          if (newer.offset > at) merged.push({ offset: at, length: newer.offset - at, part });
          at = Math.max(at, newer.offset + newer.length);
          if (at > end) break;
          merged.push(newer);
          index += 1;
        }
      }
    }
    flat = [...merged, ...flat.slice(index)];
  }
  return flat;
}

/**
 * The pieces that make up [offset, offset + length).
 *
 * @throws `source.backup-unreadable` when a byte of it is in no part
 */
export function piecesOf(flat: readonly ChainPiece[], offset: number, length: number): readonly ChainPiece[] {
  let low = 0;
  for (let high = flat.length; low < high;) {
    const middle = (low + high) >>> 1;
    const piece = flat[middle]!;
    if (piece.offset + piece.length <= offset) low = middle + 1;
    else high = middle;
  }
  const pieces: ChainPiece[] = [];
  let at = offset;
  const end = offset + length;
  for (let index = low; at < end; index += 1) {
    const piece = flat[index];
    if (piece === undefined || piece.offset > at)
      throw new CausewayError('source.backup-unreadable', `no backup object contains byte ${at} of the volume`);
    const stop = Math.min(end, piece.offset + piece.length);
    pieces.push({ offset: at, length: stop - at, part: piece.part });
    at = stop;
  }
  return pieces;
}
