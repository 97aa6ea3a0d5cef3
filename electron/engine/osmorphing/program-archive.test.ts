// needs: python3
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { programArchive } from './program-archive.ts';
import { zipArchive } from './zip-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-archive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the archive of the preparation program', () => {
  it('runs as it is and holds the program alone, without its tests', async () => {
    const path = join(folder, 'osmorphing.zip');
    writeFileSync(path, await programArchive());
    const listed = execFileSync('python3', ['-m', 'zipfile', '-l', path], { encoding: 'utf8' });
    expect(listed).toContain('causeway_osmorphing/network/netplan.py');
    expect(listed).not.toContain('test');
    const { status, stderr } = spawnSync('python3', ['-B', path, 'no-such-command'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      2,
      'usage: diff|inspect|mount|prepare|script|serve|unmount|windows-inspect|windows-mount|windows-prepare\n',
    ]);
  });

  it('is the same for the same files', async () => {
    expect((await programArchive()).equals(await programArchive())).toBe(true);
  });

  it('keeps bytes and names as they are', () => {
    const path = join(folder, 'odd.zip');
    const content = Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256));
    writeFileSync(
      path,
      zipArchive([
        { path: 'a/ä b', content },
        { path: 'empty', content: Buffer.alloc(0) },
      ]),
    );
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(z.namelist(), z.read("a/ä b").hex())';
    const told = execFileSync('python3', ['-c', script, path], { encoding: 'utf8' });
    expect(told.trim()).toBe(`['a/ä b', 'empty'] ${content.toString('hex')}`);
  });
});
