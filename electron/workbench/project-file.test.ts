import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from '../cli/program.ts';
import { createProject, ensureProjectFile, readProject } from './project-file.ts';

/** What fails in the project's folder as it does on a full disk, where it is read only, or on a file system without links. */
const faults = { folder: '', writing: '', linking: '', meanwhile: undefined as (() => void) | undefined };
const { writeFileSync: realWrite, linkSync: realLink } = fs;

/** For everything in this process, whoever has imported them: a mock would have to load the whole engine once more. */
function replaceFunctions(functions: Partial<typeof fs>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const failing: Pick<typeof fs, 'writeFileSync' | 'linkSync'> = {
  writeFileSync(path, data, options) {
    if (faults.writing === '' || dirname(String(path)) !== faults.folder) return realWrite(path, data, options);
    // A full disk still has room for the name of a file.
    if (faults.writing === 'ENOSPC') realWrite(path, '', options);
    throw failure(faults.writing);
  },
  linkSync(...paths) {
    faults.meanwhile?.();
    if (faults.linking !== '') throw failure(faults.linking);
    return realLink(...paths);
  },
};

let folder: string;
const nameOf = (): string => readProject(folder).name;
const files = (): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-project-file-'));
  faults.folder = folder;
  replaceFunctions(failing);
});
afterEach(() => {
  replaceFunctions({ writeFileSync: realWrite, linkSync: realLink });
  Object.assign(faults, { writing: '', linking: '', meanwhile: undefined });
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['ENOSPC', 'execution'],
  ['EACCES', 'ledger'],
  ['EROFS', 'endpoint'],
])(
  "that can't be written (%s) does not fail %s list, leaves nothing behind, and is written later",
  async (code, group) => {
    mkdirSync(join(folder, 'endpoints'));
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    faults.writing = code;
    const status = await runProgram([group, 'list'], {
      stdout,
      stderr,
      env: { CAUSEWAY_PROJECT: folder },
      entry: import.meta.url,
      signal: new AbortController().signal,
    });
    expect({ status, err: String(stderr.read() ?? '') }).toEqual({ status: 0, err: '' });
    expect(files()).toEqual([]);
    expect(() => createProject(folder, 'Move')).toThrow(code);
    expect(nameOf).toThrow('is not a project');
    faults.writing = '';
    ensureProjectFile(folder);
    expect(nameOf()).toBe(basename(folder));
    expect(files()).toEqual(['causeway.yaml']);
  },
);

test.each(['the command line', 'the workbench'])('that is empty is not there, and is written by %s', (who) => {
  writeFileSync(join(folder, 'causeway.yaml'), '');
  expect(nameOf).toThrow('is not a project');
  if (who === 'the workbench') createProject(folder, 'Move 2027');
  else ensureProjectFile(folder);
  expect(nameOf()).toBe(who === 'the workbench' ? 'Move 2027' : basename(folder));
  expect(files()).toEqual(['causeway.yaml']);
});

test.each([
  ['links', ''],
  ['no links', 'EPERM'],
])('that another process writes meanwhile stays, on a file system with %s', (_links, linking) => {
  faults.linking = linking;
  faults.meanwhile = () => writeFileSync(join(folder, 'causeway.yaml'), 'name: Theirs\n');
  ensureProjectFile(folder);
  expect(nameOf()).toBe('Theirs');
  rmSync(join(folder, 'causeway.yaml'));
  expect(() => createProject(folder, 'Mine')).toThrow('is already a project');
  expect(readFileSync(join(folder, 'causeway.yaml'), 'utf8')).toBe('name: Theirs\n');
  expect(files()).toEqual(['causeway.yaml']);
});

test('is written where there are no links, too', () => {
  faults.linking = 'EPERM';
  createProject(folder, 'Move 2027');
  expect(nameOf()).toBe('Move 2027');
  expect(files()).toEqual(['causeway.yaml']);
});
