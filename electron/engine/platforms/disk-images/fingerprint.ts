import { stat } from 'node:fs/promises';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/model/json.ts';

/** What tells that a file is still the one that a snapshot was taken of. */
export interface Fingerprint {
  readonly path: string;
  readonly sizeBytes: number;
  /** Nanoseconds since 1970, as text: a number can't hold them. */
  readonly modifiedNs: string;
  readonly changedNs: string;
  readonly inode: string;
}

export async function fingerprint(path: string): Promise<Fingerprint> {
  const stats = await stat(path, { bigint: true }).catch((error: unknown) => {
    throw new CausewayError('source.changed-while-reading', `${path} no longer exists`, { cause: error });
  });
  return {
    path,
    sizeBytes: Number(stats.size),
    modifiedNs: String(stats.mtimeNs),
    changedNs: String(stats.ctimeNs),
    inode: `${stats.dev}:${stats.ino}`,
  };
}

/** @throws CausewayError source.changed-while-reading when a file is not as it was */
export async function verifyUnchanged(files: readonly Fingerprint[]): Promise<void> {
  for (const before of files) {
    const now = await fingerprint(before.path);
    // ctime moves with permissions and links too, but it also tells of an mtime that was set back: better safe.
    const changed = (['sizeBytes', 'modifiedNs', 'inode', 'changedNs'] as const).find(
      (key) => now[key] !== before[key],
    );
    if (changed !== undefined) {
      throw new CausewayError(
        'source.changed-while-reading',
        `${before.path} changed after its snapshot (${changed})`,
        { details: { path: before.path } },
      );
    }
  }
}

export function fingerprintToJson(file: Fingerprint): JsonObject {
  return { ...file };
}

export function fingerprintFromJson(value: JsonValue): Fingerprint {
  if (isJsonObject(value)) {
    const { path, sizeBytes, modifiedNs, changedNs, inode } = value;
    if (
      typeof path === 'string' &&
      typeof sizeBytes === 'number' &&
      typeof modifiedNs === 'string' &&
      typeof changedNs === 'string' &&
      typeof inode === 'string'
    ) {
      return { path, sizeBytes, modifiedNs, changedNs, inode };
    }
  }
  throw new CausewayError('general.invalid-input', 'the record of a snapshot of disk images is damaged');
}
