import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveName, findEngineArchive } from './engine-archive.ts';

const never = new AbortController().signal;
const name = archiveName('1.2.3', 'linux-x64');

describe('the archive of the engine', () => {
  let folder: string;
  const put = (...parts: string[]): string => {
    const path = join(folder, ...parts);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'engine');
    return path;
  };
  const find = (named?: string): ReturnType<typeof findEngineArchive> =>
    findEngineArchive('linux-x64', '1.2.3', join(folder, 'app.asar'), named, never);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-archive-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is found beside app.asar, where installers put it, and in a checkout', async () => {
    const made = put('app.asar', 'dist', name);
    expect((await find()).path).toBe(made);
    const installed = put('movers', name);
    expect(await find()).toMatchObject({ path: installed, bytes: 6 });
  });

  it('is the one that is named, wherever others lie', async () => {
    put('movers', name);
    expect((await find(put('elsewhere', 'engine.tar.gz'))).path).toBe(join(folder, 'elsewhere', 'engine.tar.gz'));
    await expect(find(join(folder, 'nowhere'))).rejects.toMatchObject({
      code: 'mover.archive-missing',
      message: join(folder, 'nowhere'),
    });
  });

  it('is missing where it is of another version or system', async () => {
    put('movers', archiveName('1.2.2', 'linux-x64'));
    put('movers', archiveName('1.2.3', 'linux-arm64'));
    await expect(find()).rejects.toMatchObject({ code: 'mover.archive-missing', message: name });
  });
});
