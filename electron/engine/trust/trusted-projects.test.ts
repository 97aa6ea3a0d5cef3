import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureStateFolder } from '../store/database.ts';
import { projectTrust } from './trusted-projects.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-trust-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folderOf = (name: string): string => join(root, name);
const isTrusted = (name: string): boolean => projectTrust(folderOf(name)).read() !== undefined;

test('who makes a project trusts it; a folder with anything of a project in it is not trusted by being opened', () => {
  mkdirSync(folderOf('new'));
  writeFileSync(join(folderOf('new'), 'causeway.yaml'), 'name: New');
  ensureStateFolder(folderOf('new'));
  expect(isTrusted('new')).toBe(true);
  for (const content of [
    'endpoints/a.json',
    'replicas/a.json',
    'waves/a.json',
    'inventory/a.json',
    'defaults.json',
    '.causeway/vault.json',
  ]) {
    const name = `foreign-${content.replaceAll(/\W/g, '-')}`;
    mkdirSync(join(folderOf(name), content, '..'), { recursive: true });
    writeFileSync(join(folderOf(name), content), '{}');
    ensureStateFolder(folderOf(name));
    expect([content, isTrusted(name)]).toEqual([content, false]);
  }
});

test('a copy, a moved folder and another folder are not trusted; a link to a trusted one is that one', () => {
  mkdirSync(folderOf('mine'));
  ensureStateFolder(folderOf('mine'));
  cpSync(folderOf('mine'), folderOf('copy'), { recursive: true });
  expect([isTrusted('mine'), isTrusted('copy')]).toEqual([true, false]);
  // Wine makes no links that lead anywhere.
  if (process.platform !== 'win32') {
    symlinkSync(folderOf('mine'), folderOf('link'));
    expect(isTrusted('link')).toBe(true);
  }
  renameSync(folderOf('mine'), folderOf('moved'));
  expect(isTrusted('moved')).toBe(false);
});

test('revoking forgets all that was accepted', () => {
  mkdirSync(folderOf('mine'));
  ensureStateFolder(folderOf('mine'));
  const trust = projectTrust(folderOf('mine'));
  trust.change(() => ({ uses: ['a'] }));
  const former = trust.read()!;
  trust.revoke();
  expect(trust.accept()).toMatchObject({ uses: [], endpoints: {} });
  expect(trust.read()!.projectId).not.toBe(former.projectId);
});

test.skipIf(process.platform === 'win32')('a state folder that others could read is closed, with its files', () => {
  const state = join(folderOf('mine'), '.causeway');
  mkdirSync(join(state, 'transfer'), { recursive: true });
  writeFileSync(join(state, 'vault.json'), '{}');
  writeFileSync(join(state, 'transfer', 'map'), '');
  for (const [path, mode] of [
    [state, 0o755],
    [join(state, 'transfer'), 0o755],
    [join(state, 'vault.json'), 0o644],
    [join(state, 'transfer', 'map'), 0o644],
  ] as const)
    chmodSync(path, mode);
  ensureStateFolder(folderOf('mine'));
  const modes = ['', 'transfer', 'vault.json', 'transfer/map'].map((name) =>
    (statSync(join(state, name)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['700', '700', '600', '600']);
});
