import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const status = await runProgram(argv, {
    stdout,
    stderr,
    env: { CAUSEWAY_PROJECT: folder },
    entry: new URL('../cli.ts', import.meta.url).href,
    signal: new AbortController().signal,
  });
  return { status, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('the version is that of the package', async () => {
  expect(await causeway('--version')).toEqual({ status: 0, out: `${packageJson.version}\n`, err: '' });
});

describe('a folder that is no project', () => {
  test.each([
    ['endpoint', 'list'],
    ['replica', 'list'],
    ['vault', 'list'],
    ['wave', 'list'],
    ['wave', 'create', 'first'],
    ['ledger', 'list'],
    ['execution', 'list'],
  ])('is left as it is by %s %s', async (...argv) => {
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
    expect((await causeway('inventory', 'import', join(folder, 'x.csv'))).err).toContain(
      'no table has a column with VM names',
    );
    expect(await causeway('inventory', 'import', join(folder, 'none.csv'))).toMatchObject({
      status: 2,
      err: expect.stringContaining('none.csv: file or folder not found') as unknown,
    });
  });
});

describe('a project that the command line makes', () => {
  test('is named after its folder, and can be opened in the workbench', async () => {
    expect(
      (await causeway('endpoint', 'add', 'images', '--plugin', 'disk-images', '--set', `path=${folder}`)).err,
    ).toBe('');
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
    expect(JSON.parse((await causeway('wave', 'list', '--json')).out)).toEqual({
      name: 'pilot',
      synchronised: 0,
      rehearsed: 0,
      moved: 0,
      active: 0,
      failed: 0,
      bytes: 0,
      replicas: [],
    });
    expect((await causeway('wave', 'remove', 'pilot')).status).toBe(0);
    expect(readdirSync(join(folder, 'waves'))).toEqual([]);
  });

  test('have a plan that is changed option by option, in their file', async () => {
    await causeway('wave', 'create', 'first');
    const planned = await causeway(
      'wave',
      'plan',
      'first',
      '--window',
      '2026-11-28 22:00 Europe/Berlin',
      '--hours',
      '6',
      '--group',
      'Databases=db-01,db-02',
      '--group',
      'Web=web-01',
      '--go',
      'Web',
      '--after',
      'web-01=db-01',
    );
    expect(planned).toMatchObject({
      status: 0,
      err: '',
      out: expect.stringContaining('2026-11-28 22:00 Europe/Berlin, 6 h') as unknown,
    });
    const plan = () =>
      (JSON.parse(readFileSync(join(folder, 'waves', 'first.json'), 'utf8')) as { plan: unknown }).plan;
    const groups = [
      { name: 'Databases', members: ['db-01', 'db-02'] },
      { name: 'Web', members: ['web-01'], needsGo: true },
    ];
    expect(plan()).toEqual({
      window: { date: '2026-11-28', time: '22:00', zone: 'Europe/Berlin', hours: 6 },
      groups,
      after: { 'web-01': ['db-01'] },
    });
    expect(
      (
        await causeway(
          'wave',
          'plan',
          'first',
          '--hours',
          '8',
          '--owner',
          'Ada',
          '--clear',
          'after',
          '--synchronise',
          '02:00 Europe/Berlin mon,thu',
        )
      ).status,
    ).toBe(0);
    expect(plan()).toEqual({
      window: { date: '2026-11-28', time: '22:00', zone: 'Europe/Berlin', hours: 8 },
      groups,
      owner: 'Ada',
      synchronisation: { time: '02:00', zone: 'Europe/Berlin', days: ['mon', 'thu'] },
    });
    const shown = await causeway(
      'wave',
      'plan',
      'first',
      '--starts-with',
      'cut-over',
      '--if-missed',
      'skip',
      '--black-out',
      '2026-11-27 08:00 2026-11-27 18:00 Europe/Berlin',
      '--rehearsal-network',
      'isolated',
      '--limit-profile',
      'mon-fri 08:00-18:00=20M; *=unlimited',
    );
    for (const line of [
      /starts by itself +cut-over/,
      /synchronises +02:00 Europe\/Berlin, mon, thu/,
      /if missed +skip/,
      /black-outs +2026-11-27 08:00 to 2026-11-27 18:00 Europe\/Berlin/,
      /rehearsal network +isolated/,
      /bandwidth +mon-fri 08:00-18:00=20M; \*=unlimited/,
    ])
      expect(shown.out).toMatch(line);
    for (const [option, value, message] of [
      ['--window', '28.11.2026', '"2026-11-28 22:00 Europe/Berlin"'],
      ['--window', '2026-02-30 22:00 Europe/Berlin', 'window.date'],
      ['--window', '2026-11-28 22:00 Mars/Base', 'IANA time zone'],
      ['--limit-profile', 'mon-fri 08:00', 'must be a profile'],
      ['--black-out', '2026-11-27 18:00 2026-11-27 08:00 Europe/Berlin', 'ends before it begins'],
      ['--starts-with', 'cutover', 'did you mean cut-over?'],
      ['--go', 'Nobody', 'no group "Nobody"'],
    ] as const)
      expect(await causeway('wave', 'plan', 'first', option, value)).toMatchObject({
        status: 2,
        err: expect.stringContaining(message) as unknown,
      });
  });

  test('without members are not started, and nothing is controlled that is not in progress', async () => {
    await causeway('endpoint', 'add', 'images', '--plugin', 'disk-images', '--set', `path=${folder}`);
    await causeway('wave', 'create', 'first');
    expect(await causeway('wave', 'start', 'first')).toMatchObject({
      status: 1,
      err: expect.stringContaining('The wave has no members') as unknown,
    });
    expect(await causeway('wave', 'start', 'first', '--action', 'move')).toMatchObject({
      status: 2,
      err: expect.stringContaining('--action must be') as unknown,
    });
    for (const verb of ['pause', 'continue', 'go', 'cancel'])
      expect(await causeway('wave', verb, 'first')).toMatchObject({
        status: 1,
        err: expect.stringContaining('The wave is not in progress') as unknown,
      });
    expect(await causeway('wave', 'retry', 'first')).toMatchObject({
      status: 1,
      err: expect.stringContaining('Nothing to retry') as unknown,
    });
    expect((await causeway('wave', 'report', 'first')).out).toContain('# first\n');
  });

  test('that do not exist are named with the command that creates them', async () => {
    await causeway('wave', 'create', 'first');
    for (const argv of [
      ['wave', 'assign', 'frist', 'web-01'],
      ['wave', 'remove', 'frist'],
      ['wave', 'rename', 'frist', 'x'],
      ['replica', 'update', 'web-01', '--wave', 'frist'],
    ]) {
      expect(await causeway(...argv)).toEqual({
        status: 2,
        out: '',
        err: 'causeway: there is no wave "frist" (did you mean first?). To create it: causeway wave create frist\n',
      });
    }
  });
});

test('how many executions run in parallel is shown and set', async () => {
  writeFileSync(join(folder, 'causeway.yaml'), 'name: Parallel\n');
  expect((await causeway('execution', 'parallel')).out).toBe('Parallel executions: 4\n');
  expect((await causeway('execution', 'parallel', '8')).out).toBe('Parallel executions: 8\n');
  expect(JSON.parse((await causeway('execution', 'parallel', '--json')).out)).toMatchObject({ atOnce: 8 });
  for (const wrong of ['0', '33', '1.5', 'many'])
    expect(await causeway('execution', 'parallel', wrong)).toMatchObject({
      status: 2,
      err: expect.stringContaining('from 1 to 32') as string,
    });
});
