import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileInside, pageFile } from './page-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-'));
  await mkdir(join(folder, 'renderer', 'assets'), { recursive: true });
  await mkdir(join(folder, 'renderer-other'), { recursive: true });
  await writeFile(
    join(folder, 'renderer', 'index.html'),
    '<html><head><meta name="csp-nonce" content=""></head></html>',
  );
  await writeFile(join(folder, 'renderer', 'assets', 'app.js'), 'export {};');
  await writeFile(join(folder, 'renderer', 'assets', 'notes.txt'), 'not for the page');
  await writeFile(join(folder, 'secret.json'), '{}');
  await writeFile(join(folder, 'renderer-other', 'secret.json'), '{}');
});
afterAll(() => rm(folder, { recursive: true }));

describe('the files of the page', () => {
  it('gives the page with a nonce that its policy names', async () => {
    const page = await pageFile(join(folder, 'renderer'), '/');
    const nonce = /content="([^"]+)"/.exec(new TextDecoder().decode(page.body))?.[1];
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`);
    expect(page.headers['content-security-policy']).not.toMatch(/unsafe-/);
  });

  it('never gives the same nonce twice', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => pageFile(join(folder, 'renderer'), '/')));
    expect(first!.headers['content-security-policy']).not.toBe(second!.headers['content-security-policy']);
  });

  it.each([
    '/../secret.json',
    '/%2e%2e/secret.json',
    '/..%2fsecret.json',
    '/assets/../../secret.json',
    '/..\\secret.json',
    '/../renderer-other/secret.json',
    '//etc/passwd.json',
    '/%00',
    '/%zz',
  ])('finds nothing at %s', async (path) => {
    expect((await pageFile(join(folder, 'renderer'), path)).status).toBe(404);
  });

  it('gives no file of a kind that a page does not need', async () => {
    expect((await pageFile(join(folder, 'renderer'), '/assets/notes.txt')).status).toBe(404);
    expect((await pageFile(join(folder, 'renderer'), '/assets/app.js')).status).toBe(200);
  });

  it('stays inside when a sibling folder begins with the same name', () => {
    expect(fileInside('/srv/page', '/../page-x/a.js')).toBeUndefined();
  });
});
