import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readProject } from '../workbench/project-file.ts';
import { runProgram } from './program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-waves-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function causeway(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await runProgram(argv, { stdout, stderr, env: { CAUSEWAY_PROJECT: folder }, entry: new URL('../cli.ts', import.meta.url).href, signal: new AbortController().signal });
  return { status, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('the version is that of the package', async () => {
  expect(await causeway('--version')).toEqual({ status: 0, out: `${packageJson.version}\n`, err: '' });
});

describe('a folder that is no project', () => {
  test.each([['endpoint', 'list'], ['replica', 'list'], ['vault', 'list'], ['wave', 'list'], ['wave', 'create', 'first'], ['ledger', 'list'], ['execution', 'list']])('is left as it is by %s %s', async (...argv) => {
    const { status, out, err } = await causeway(...argv);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(`${folder} is not a Causeway project. Specify one with --project`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is left as it is by a list that cannot be read', async () => {
    const file = join(folder, 'x.js');
    writeFileSync(file, 'export const a = 1;\n');
    const { status, err } = await causeway('inventory', 'import', file);
    expect(status).toBe(1);
    expect(err).toContain('x.js: only .xlsx, .csv, .tsv and .txt files can be imported');
    expect(readdirSync(folder)).toEqual(['x.js']);
    writeFileSync(join(folder, 'x.csv'), 'const a = 1;\n');
    expect((await causeway('inventory', 'import', join(folder, 'x.csv'))).err).toContain('no table has a column with VM names');
    expect(await causeway('inventory', 'import', join(folder, 'none.csv'))).toMatchObject({ status: 2, err: expect.stringContaining('none.csv: file or folder not found') as unknown });
  });
});

describe('a project that the command line makes', () => {
  test('is named after its folder, and can be opened in the workbench', async () => {
    expect((await causeway('endpoint', 'add', 'images', '--plugin', 'disk-images', '--set', `path=${folder}`)).err).toBe('');
    expect(readProject(folder)).toEqual({ folder, name: basename(folder) });
  });

  test('keeps the name that it has', async () => {
    writeFileSync(join(folder, 'causeway.yaml'), 'name: Move 2027\n');
    expect(await causeway('endpoint', 'list')).toMatchObject({ status: 0, err: '' });
    expect(readProject(folder).name).toBe('Move 2027');
  });
});

describe('waves', () => {
  beforeEach(() => mkdirSync(join(folder, 'waves')));

  test('are created, listed, renamed and removed', async () => {
    expect(await causeway('wave', 'create', 'first')).toMatchObject({ status: 0, err: '' });
    expect((await causeway('wave', 'create', 'first')).status).toBe(1);
    expect((await causeway('wave', 'rename', 'first', 'pilot')).status).toBe(0);
    expect((await causeway('wave', 'list', '--json')).out).toBe('{"name":"pilot","replicas":[]}\n');
    expect((await causeway('wave', 'remove', 'pilot')).status).toBe(0);
    expect(readdirSync(join(folder, 'waves'))).toEqual([]);
  });

  test('that do not exist are named with the command that creates them', async () => {
    await causeway('wave', 'create', 'first');
    for (const argv of [['wave', 'assign', 'frist', 'web-01'], ['wave', 'remove', 'frist'], ['wave', 'rename', 'frist', 'x'], ['replica', 'update', 'web-01', '--wave', 'frist']]) {
      expect(await causeway(...argv)).toEqual({ status: 2, out: '', err: 'causeway: there is no wave "frist" (did you mean first?). To create it: causeway wave create frist\n' });
    }
  });
});
