import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeToolFolder } from './tool-folder.ts';

it('deletes the folders of processes that are gone with the next one, and no others', async () => {
  const own = await makeToolFolder('vddk');
  // The temporary folder of Windows is the user's own, and has no modes.
  if (process.platform !== 'win32') expect((await stat(own)).mode & 0o777).toBe(0o700);
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  const named = (process: number | undefined, computer?: string): string =>
    join(
      tmpdir(),
      basename(own)
        .replace(`-${globalThis.process.pid}-`, `-${process ?? 0}-`)
        .replace(/-[0-9a-f]{8}-/, (part) => computer ?? part),
    );
  const [gone, elsewhere] = [named(child.pid), named(child.pid, '-00000000-')];
  for (const folder of [gone, elsewhere]) {
    await mkdir(folder);
    await writeFile(join(folder, 'keyring'), 'secret');
  }
  const next = await makeToolFolder('storage');
  const left = await readdir(tmpdir());
  try {
    expect([own, gone, elsewhere, next].map((folder) => left.includes(basename(folder)))).toEqual([
      true,
      false,
      true,
      true,
    ]);
  } finally {
    for (const folder of [own, elsewhere, next]) await rm(folder, { recursive: true, force: true });
  }
});
