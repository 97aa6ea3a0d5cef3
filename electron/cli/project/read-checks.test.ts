import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageError } from '../command-context.ts';
import { readChecks } from './read-checks.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-checks-'));
  folder = join(root, 'checks');
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(root, 'outside.sh'), 'true');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const guest = { via: 'ssh', username: 'root', secret: 'guest', hostKey: 'ssh-ed25519 AAAA' };
const read = (...checks: readonly object[]) => {
  const file = join(folder, 'checks.json');
  writeFileSync(file, JSON.stringify({ checks }));
  return readChecks(file);
};

test('a script comes from a file beside the checks, and is a part of them from then on', () => {
  writeFileSync(join(folder, 'scripts', 'database.sh'), '# Größe\ntrue\n');
  writeFileSync(join(folder, 'web.ps1'), '\ufeffexit 0\r\n');
  expect(
    read(
      { kind: 'script', ...guest, scriptFile: 'scripts/database.sh' },
      { kind: 'script', ...guest, name: 'Database', scriptFile: './scripts/../scripts/database.sh' },
      { kind: 'script', via: 'winrm', username: 'anna', secret: 'guest', scriptFile: 'web.ps1' },
    ),
  ).toEqual([
    { kind: 'script', ...guest, name: 'database.sh', script: '# Größe\ntrue\n' },
    { kind: 'script', ...guest, name: 'Database', script: '# Größe\ntrue\n' },
    { kind: 'script', via: 'winrm', username: 'anna', secret: 'guest', name: 'web.ps1', script: 'exit 0\r\n' },
  ]);
});

test('no file outside of the folder is read, by no path and no link', () => {
  symlinkSync(join(root, 'outside.sh'), join(folder, 'link.sh'));
  symlinkSync(root, join(folder, 'up'));
  for (const scriptFile of [
    '../outside.sh',
    join(root, 'outside.sh'),
    '/etc/passwd',
    'scripts/../../outside.sh',
    'link.sh',
    'up/outside.sh',
    '..',
    '.',
  ]) {
    expect(() => read({ kind: 'script', ...guest, scriptFile }), scriptFile).toThrow(
      /check 1: .* is not in the folder of the file of checks/,
    );
  }
});

test('what is no readable script is refused with the number of the check', () => {
  writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe, 0x41]));
  writeFileSync(join(folder, 'long.sh'), 'x'.repeat(32_769));
  writeFileSync(join(folder, 'huge.sh'), 'x'.repeat(200_000));
  const failure = (check: object) => () => read({ kind: 'login-prompt' }, check);
  expect(failure({ kind: 'script', ...guest, scriptFile: 'binary' })).toThrow('check 2: binary is not a text in UTF-8');
  expect(failure({ kind: 'script', ...guest, scriptFile: 'long.sh' })).toThrow(
    'long.sh has 32769 characters; a script may have 32768',
  );
  expect(failure({ kind: 'script', ...guest, scriptFile: 'huge.sh' })).toThrow('huge.sh has 200000 bytes');
  expect(failure({ kind: 'script', ...guest, scriptFile: 'none.sh' })).toThrow(UsageError);
  expect(failure({ kind: 'script', ...guest, scriptFile: 'scripts' })).toThrow(/scripts is not a file|scripts: /);
  expect(failure({ kind: 'script', ...guest, scriptFile: 7 })).toThrow('scriptFile must be the path of a file');
  expect(failure({ kind: 'script', ...guest, scriptFile: 'binary', script: 'true' })).toThrow(
    'give script or scriptFile, not both',
  );
  expect(failure({ kind: 'ssh', ...guest, scriptFile: 'binary' })).toThrow(UsageError);
});

test.skipIf(process.platform === 'win32')('a pipe is not waited for', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(() => read({ kind: 'script', ...guest, scriptFile: 'pipe' })).toThrow('pipe is not a file');
});
