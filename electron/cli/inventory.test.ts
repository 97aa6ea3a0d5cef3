import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from './program.ts';

const rvtools = fileURLToPath(new URL('../../shared/inventory/testing/rvtools.xlsx', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-inventory-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function causeway(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await runProgram([...argv, '--project', folder], { stdout, stderr, env: {}, entry: new URL('../cli.ts', import.meta.url).href, signal: new AbortController().signal });
  return { status, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('a workbook is imported with what is wrong in it told by row, and a later list says what changed', async () => {
  const first = await causeway('inventory', 'import', rvtools, '--name', 'dc');
  expect(first.status).toBe(1);
  expect(first.err).toContain('rvtools.xlsx: vInfo row 5');
  expect(first.out).toMatch(/web-01 .*linux .*new/);
  const later = join(folder, 'later.csv');
  writeFileSync(later, 'VM,VM UUID,OS\nweb-01,4210b3c0-0000-0000-0000-000000000001,Debian\n');
  const dry = await causeway('inventory', 'import', later, '--name', 'dc', '--dry-run');
  expect(dry.status).toBe(0);
  expect(dry.out).toMatch(/dc-01 .*gone/);
  expect((await causeway('inventory', 'list', 'dc')).out).toMatch(/dc-01 .*new/);
});

test('a list is removed, and one that is not there is named', async () => {
  await causeway('inventory', 'import', rvtools, '--os', 'linux');
  expect((await causeway('inventory', 'list', '--json')).out).toContain('"name":"rvtools"');
  expect((await causeway('inventory', 'remove', 'rvtools')).status).toBe(0);
  expect(readdirSync(join(folder, 'inventory'))).toEqual([]);
  expect(await causeway('inventory', 'list', 'rvtools')).toMatchObject({ status: 1, err: expect.stringContaining('list rvtools') as string });
});
