import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { removeFile, removeFileSync } from './remove-file.ts';
import { replaceFile, replaceFileSync } from './replace-file.ts';

/** A rename that is refused so many times. */
function refusing(times: number, code: string) {
  const state = { attempts: 0, pauses: [] as number[] };
  const rename = (): void => {
    state.attempts += 1;
    if (state.attempts <= times) throw Object.assign(new Error(code), { code });
  };
  const pause = (ms: number): void => void state.pauses.push(ms);
  return { state, rename, pause };
}

describe.each(['EPERM', 'EACCES', 'EBUSY'])('replacing a file while %s', (code) => {
  it('is tried again on Windows, with growing pauses, and given up in the end', async () => {
    const short = refusing(3, code);
    replaceFileSync('a', 'b', { platform: 'win32', ...short });
    expect(short.state).toEqual({ attempts: 4, pauses: [5, 10, 20] });
    const long = refusing(1000, code);
    expect(() => replaceFileSync('a', 'b', { platform: 'win32', ...long })).toThrow(code);
    expect(long.state.attempts).toBe(10);
    const later = refusing(2, code);
    await replaceFile('a', 'b', {
      platform: 'win32',
      rename: async () => later.rename(),
      pause: async (ms) => later.pause(ms),
    });
    expect(later.state.attempts).toBe(3);
  });

  it('fails at once elsewhere', async () => {
    const { state, rename, pause } = refusing(1, code);
    expect(() => replaceFileSync('a', 'b', { platform: 'linux', rename, pause })).toThrow(code);
    await expect(
      replaceFile('a', 'b', {
        platform: 'darwin',
        rename: async () => Promise.reject(Object.assign(new Error(code), { code })),
      }),
    ).rejects.toThrow(code);
    expect(state.attempts).toBe(1);
  });
});

test('another failure is not tried again, and a file is really replaced', async () => {
  const { state, rename, pause } = refusing(1, 'ENOENT');
  expect(() => replaceFileSync('a', 'b', { platform: 'win32', rename, pause })).toThrow('ENOENT');
  expect(state.attempts).toBe(1);
  const folder = mkdtempSync(join(tmpdir(), 'cwy-replace-'));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  for (const replace of [replaceFileSync, replaceFile]) {
    writeFileSync(from, 'new');
    writeFileSync(to, 'old');
    await replace(from, to);
    expect(readFileSync(to, 'utf8')).toBe('new');
  }
  rmSync(folder, { recursive: true });
});

test('deleting a file waits on Windows until no other program has it open, and needs no file', async () => {
  const held = refusing(2, 'EBUSY');
  removeFileSync('a', { platform: 'win32', remove: held.rename, pause: held.pause });
  expect(held.state).toEqual({ attempts: 3, pauses: [5, 10] });
  const later = refusing(1, 'EPERM');
  await removeFile('a', {
    platform: 'win32',
    remove: async () => later.rename(),
    pause: async (ms) => later.pause(ms),
  });
  expect(later.state).toEqual({ attempts: 2, pauses: [5] });
  const elsewhere = refusing(1, 'EPERM');
  expect(() => removeFileSync('a', { platform: 'linux', remove: elsewhere.rename })).toThrow('EPERM');
  const folder = mkdtempSync(join(tmpdir(), 'cwy-remove-'));
  for (const remove of [removeFileSync, removeFile]) {
    writeFileSync(join(folder, 'file'), '');
    await remove(join(folder, 'file'));
    await remove(join(folder, 'file'));
    expect(readdirSync(folder)).toEqual([]);
  }
  rmSync(folder, { recursive: true });
});
