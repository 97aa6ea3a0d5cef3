import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './child-process.ts';

/** Lines of `losetup` about the files of a folder that are loop devices: what is mounted stays one, whichever process sees it. */
export async function loopDevicesOf(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const lines = await Promise.all(
    files.map(({ parentPath, name }) => run('losetup', ['--associated', join(parentPath, name)])),
  );
  return lines.filter((line) => line !== '');
}
