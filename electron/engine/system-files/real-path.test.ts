import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realPathSync } from './real-path.ts';

const failing = (): string => {
  throw Object.assign(new Error('UNKNOWN'), { code: 'UNKNOWN' });
};

test('a path that Windows does not resolve because it is long is resolved part by part', () => {
  const long = `C:\\${'a'.repeat(250)}`;
  expect(realPathSync(long, { platform: 'win32', native: failing, byParts: (path) => `by parts ${path}` })).toBe(
    `by parts ${long}`,
  );
  // A short one is not there, and a long one elsewhere is no reason.
  expect(() => realPathSync('C:\\a', { platform: 'win32', native: failing, byParts: (path) => path })).toThrow(
    'UNKNOWN',
  );
  expect(() => realPathSync(long, { platform: 'linux', native: failing, byParts: (path) => path })).toThrow('UNKNOWN');
});

test('a long path is found, with its links resolved, and one that is not there is not', () => {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'causeway-real-')));
  const deep = join(root, ...Array<string>(4).fill('a'.repeat(70)));
  mkdirSync(deep, { recursive: true });
  expect(realPathSync(deep)).toBe(deep);
  expect(() => realPathSync(join(deep, 'missing'))).toThrow('ENOENT');
  if (process.platform !== 'win32') {
    symlinkSync(deep, join(root, 'link'));
    expect(realPathSync(join(root, 'link'))).toBe(deep);
  }
  rmSync(root, { recursive: true });
});
