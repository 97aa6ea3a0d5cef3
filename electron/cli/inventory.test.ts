import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepCatalog } from '../engine/core/last-catalogs.ts';
import { runProgram } from './program.ts';

const rvtools = fileURLToPath(new URL('../../shared/inventory/testing/rvtools.xlsx', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-inventory-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function causeway(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await runProgram([...argv, '--project', folder], {
    stdout,
    stderr,
    env: {},
    entry: new URL('../cli.ts', import.meta.url).href,
    signal: new AbortController().signal,
  });
  return { status, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('a workbook is imported with what is wrong in it told by row, and a later list says what changed', async () => {
  const first = await causeway('inventory', 'import', rvtools, '--name', 'dc');
  expect(first.status).toBe(1);
  expect(first.err).toContain('rvtools.xlsx: vInfo row 5');
  // Nothing is mapped on the command line.
  expect(first.err).toContain(
    'is unknown. Give the file a column "OS", or say it of all such VMs with --os linux or --os windows',
  );
  expect(first.err).not.toContain('map a column');
  expect(first.out).toMatch(/web-01 .*linux .*new/);
  const later = join(folder, 'later.csv');
  writeFileSync(later, 'VM,VM UUID,OS\nweb-01,4210b3c0-0000-0000-0000-000000000001,Debian\n');
  const dry = await causeway('inventory', 'import', later, '--name', 'dc', '--dry-run');
  expect(dry.status).toBe(0);
  expect(dry.err).toContain('later.csv: later: warning: The list has no column of disk sizes');
  expect(dry.out).toMatch(/dc-01 .*gone/);
  expect((await causeway('inventory', 'list', 'dc')).out).toMatch(/dc-01 .*new/);
});

test('a list is removed, and one that is not there is named', async () => {
  await causeway('inventory', 'import', rvtools, '--os', 'linux');
  expect((await causeway('inventory', 'list', '--json')).out).toContain('"name":"rvtools"');
  expect((await causeway('inventory', 'remove', 'rvtools')).status).toBe(0);
  expect(readdirSync(join(folder, 'inventory'))).toEqual([]);
  expect(await causeway('inventory', 'list', 'rvtools')).toMatchObject({
    status: 1,
    err: expect.stringContaining('list rvtools') as string,
  });
});

test('waves are suggested within limits of size, change and window, and of the quotas of a destination', async () => {
  const list = join(folder, 'estate.csv');
  writeFileSync(
    list,
    'VM,OS,CPUs,Memory GB,Disk GB,Application\na,Debian,4,8,100,shop\nb,Debian,4,8,100,shop\nc,Debian,8,8,100,mail\n',
  );
  await causeway('inventory', 'import', list);
  const waves = async (...options: string[]) => {
    const { status, out, err } = await causeway('wave', 'suggest', 'estate', '--json', ...options);
    return {
      status,
      err,
      waves: out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { vms: string[] }).vms),
    };
  };
  expect(await waves('--vcpus', '8')).toEqual({ status: 0, err: '', waves: [['a', 'b'], ['c']] });
  // 300 GB cross the link in an hour, and 250 of them are too many with what changes meanwhile.
  const window = ['--hours', '1', '--limit', String(Math.ceil((300 * 1024 ** 3) / 3600))];
  expect((await waves(...window)).waves).toEqual([['a', 'b', 'c']]);
  expect((await waves(...window, '--change', '240GiB')).waves).toEqual([['a', 'b'], ['c']]);
  expect((await waves(...window, '--change', '10%', '--last-pass-only')).waves).toEqual([['a', 'b', 'c']]);
  await causeway('endpoint', 'add', 'cloud', '--plugin', 'disk-images', '--set', `path=${folder}`);
  const known = (await causeway('endpoint', 'list', '--json')).out;
  const { id } = JSON.parse(known.trim()) as { id: string };
  keepCatalog({ stateFolder: join(folder, '.causeway') }, id, {
    quotas: [{ kind: 'vcpus', limit: 10, usage: 2 }],
    captured_at: '2026-11-27T10:00:00.000Z',
  });
  expect(await waves('--destination', 'cloud')).toEqual({
    status: 1,
    err: 'All waves together need more than the quota vcpus of cloud: 16 needed, 8 free (as of 2026-11-27T10:00:00.000Z)\n',
    waves: [['a', 'b'], ['c']],
  });
  expect((await causeway('wave', 'suggest', 'estate')).out).toMatch(
    /Wave 1 +3 +300 GiB +300 GiB +16 +24\.0 GiB +3 +kept +a, b, c/,
  );
  for (const wrong of [['--change', '5%'], ['--vcpus', '0'], ['--by', 'colour'], ['--create']])
    expect((await causeway('wave', 'suggest', 'estate', ...wrong)).status).toBe(2);
});
