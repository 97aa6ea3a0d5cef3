import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { registerPageScheme, servePage } from './page-scheme.ts';
import type { ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

let folder: string;
let answer: (url: string, init?: RequestInit) => Promise<Response>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scheme-'));
  await writeFile(join(folder, 'index.html'), '<meta name="csp-nonce" content=""><p>workbench</p>');
  servePage(folder);
  answer = async (url, init) => electron.seen.served.get('causeway')!(new Request(url, init));
});
afterAll(() => rm(folder, { recursive: true }));

test('the scheme is a standard and secure one, without leave to go around the content security policy', () => {
  registerPageScheme();
  expect(electron.seen.schemes).toEqual([
    { scheme: 'causeway', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
});

test('the page comes with a policy that lets it connect to nothing', async () => {
  const page = await answer('causeway://app/');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('workbench');
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'none'");
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['another host', 'causeway://other/', {}],
  ['a host that begins like ours', 'causeway://app.example.invalid/', {}],
  ['another method', 'causeway://app/', { method: 'POST' }],
  ['a path that leads out', 'causeway://app/%2e%2e%2f%2e%2e%2fetc%2fpasswd', {}],
  ['a file that is not there', 'causeway://app/nothing.js', {}],
])('nothing is found for %s', async (_what, url, init) => {
  const response = await answer(url, init);
  expect(response.status).toBe(404);
  expect(await response.text()).not.toContain('workbench');
});
