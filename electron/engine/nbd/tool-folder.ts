import { createHash } from 'node:crypto';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that are given a folder of their own. */
export type ToolPurpose = 'vddk' | 'storage';

/** Containers may share a folder for temporary files, but not their processes. */
const computer = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const pattern = /^causeway-(?:vddk|storage)-([0-9a-f]{8})-(\d+)-/;

/**
 * A folder for a program that this process runs; only this user can enter it. Its name says which process it belongs to, so that the
 * folders of processes that were killed are found, and deleted now.
 */
export async function makeToolFolder(purpose: ToolPurpose): Promise<string> {
  await removeAbandonedToolFolders();
  // mkdtemp makes it 0700.
  return mkdtemp(join(tmpdir(), `causeway-${purpose}-${computer}-${process.pid}-`));
}

/** Deletes the folders of processes that are gone. They may have copies of key rings. */
export async function removeAbandonedToolFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, of, process] = pattern.exec(name) ?? [];
    if (of !== computer || isRunning(Number(process))) continue;
    const folder = join(tmpdir(), name);
    // Any user can create such a name: what another user put there is left alone.
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== ownUser()) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

const ownUser = (): number => process.geteuid?.() ?? 0;

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be asked.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
