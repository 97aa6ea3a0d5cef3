import { z } from 'zod';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { ObjectStore } from '../../../client/object-store.ts';
import type { CloudBackup } from '../../../client/volume.ts';
import { blockBytesOf, type StoredDigests } from './digest-file.ts';

const compressions = z.enum(['none', 'zlib', 'gzip', 'bz2', 'zstd']);

const partSchema = z.looseObject({
  offset: z.int().nonnegative(),
  length: z.int().nonnegative(),
  compression: compressions,
  md5: z.string(),
});

const metadataSchema = z.looseObject({
  version: z.string(),
  backup_id: z.string(),
  volume_id: z.string(),
  objects: z.array(z.record(z.string(), partSchema)),
  parent_id: z.string().nullish(),
});

/** One object of a backup: `length` bytes of the volume from `offset` on, once they are decompressed. */
export interface BackupPart {
  readonly container: string;
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly compression: z.infer<typeof compressions>;
  /** Of the bytes before they were compressed, in hex. */
  readonly md5: string;
}

/** What the object store has of one backup. */
export interface StoredBackup {
  readonly backupId: string;
  readonly parentId: string | undefined;
  readonly container: string;
  /** What the names of its objects start with. */
  readonly prefix: string;
  readonly parts: readonly BackupPart[];
}

/**
 * Finds a backup's objects and reads its metadata. Undefined when the account has none: backups are then kept elsewhere.
 *
 * @throws `source.backup-unreadable` for metadata that is damaged or of another backup
 */
export async function findStoredBackup(
  store: ObjectStore,
  backup: Pick<CloudBackup, 'id' | 'volume_id' | 'container'>,
  signal: AbortSignal,
): Promise<StoredBackup | undefined> {
  const container = backup.container ?? 'volumebackups';
  const suffix = `_backup_${backup.id}_metadata`;
  const found = (await store.objects(container, `volume_${backup.volume_id}/`, signal)).find(({ name }) =>
    name.endsWith(suffix),
  );
  if (found === undefined) return undefined;
  const prefix = found.name.slice(0, -'_metadata'.length);
  const bytes = await store.read(container, found.name, signal);
  const metadata = metadataSchema.safeParse(bytes === undefined ? undefined : jsonOf(bytes));
  if (!metadata.success || metadata.data.backup_id !== backup.id) {
    throw new CausewayError(
      'source.backup-unreadable',
      `${container}/${found.name} is not metadata of backup ${backup.id}`,
      { details: { backupId: backup.id } },
    );
  }
  const { objects, parent_id: parentId } = metadata.data;
  return {
    backupId: backup.id,
    parentId: parentId ?? undefined,
    container,
    prefix,
    parts: objects.flatMap((entry) =>
      Object.entries(entry).map(([name, part]) => ({
        container,
        name,
        offset: part.offset,
        length: part.length,
        compression: part.compression,
        md5: part.md5,
      })),
    ),
  };
}

/**
 * Where the digests of all blocks of the volume at the time of a backup are, full or incremental.
 *
 * @throws `source.backup-unreadable`
 */
export async function findDigests(
  store: ObjectStore,
  at: { readonly container: string; readonly prefix: string },
  signal: AbortSignal,
): Promise<StoredDigests> {
  const name = `${at.prefix}_sha256file`;
  const bytes = (await store.objects(at.container, name, signal)).find((object) => object.name === name)?.bytes;
  if (bytes === undefined) throw new CausewayError('source.backup-unreadable', `${at.container}/${name} is missing`);
  const file = {
    name: `${at.container}/${name}`,
    parts: (within: AbortSignal) => rangesOf(store, at.container, name, bytes, within),
  };
  return { ...file, blockBytes: await blockBytesOf(file, signal) };
}

/** The file of a large volume is as large as a 400th of it: it is read by parts. What it begins with fits into the first. */
const firstRangeBytes = 64 * 1024;
const rangeBytes = 4 * 1024 * 1024;

async function* rangesOf(
  store: ObjectStore,
  container: string,
  name: string,
  bytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let at = 0, length = firstRangeBytes; at < bytes; at += length, length = rangeBytes) {
    yield await store.readRange(container, name, at, Math.min(length, bytes - at), signal);
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
