import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../../shared/model/json.ts';
import type { Snapshot } from '../ports/source-platform.ts';
import { removeFile } from '../system-files/remove-file.ts';
import { replaceFile } from '../system-files/replace-file.ts';

/**
 * Remembers the snapshots that were taken, by VM and tag, so that a request that is repeated after a lost answer gets
 * the first answer.
 */
export class SnapshotRecords {
  readonly #folder: string;

  constructor(scratchFolder: string, source: string) {
    this.#folder = join(scratchFolder, source);
  }

  async find(vmId: string, tag: string): Promise<Snapshot | undefined> {
    const text = await readFile(this.#path(vmId, tag), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return isSnapshot(value) && value.vmId === vmId && value.tag === tag ? value : undefined;
    } catch {
      return undefined;
    }
  }

  async keep(snapshot: Snapshot): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(snapshot.vmId, snapshot.tag);
    await writeFile(`${path}.new`, JSON.stringify(snapshot), { mode: 0o600 });
    await replaceFile(`${path}.new`, path);
  }

  async forget(snapshot: Snapshot): Promise<void> {
    await removeFile(this.#path(snapshot.vmId, snapshot.tag));
  }

  #path(vmId: string, tag: string): string {
    return join(
      this.#folder,
      `${createHash('sha256')
        .update(JSON.stringify([vmId, tag]))
        .digest('hex')
        .slice(0, 32)}.json`,
    );
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  return (
    typeof value === 'object' &&
    value !== null &&
    'vmId' in value &&
    typeof value.vmId === 'string' &&
    'tag' in value &&
    typeof value.tag === 'string' &&
    'disks' in value &&
    Array.isArray(value.disks) &&
    'state' in value &&
    isJsonObject(value.state)
  );
}
