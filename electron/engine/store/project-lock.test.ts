import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLockHolder, takeProjectLock } from './project-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('one at a time, and the second learns who the first is', () => {
  const first = takeProjectLock(folder, '/run/engine.sock');
  expect(takeProjectLock(folder, 'x')).toBeUndefined();
  expect(readLockHolder(folder)).toMatchObject({ pid: process.pid, address: '/run/engine.sock' });
  first?.release();
  const second = takeProjectLock(folder, 'x');
  expect(second).toBeDefined();
  second?.release();
});

test('a process that is killed lets go of the project at once', async () => {
  const script = `const { takeProjectLock } = await import(${JSON.stringify(new URL('./project-lock.ts', import.meta.url).href)});
    console.log(takeProjectLock(${JSON.stringify(folder)}, 'a') !== undefined); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(line.toString().trim()).toBe('true');
  expect(takeProjectLock(folder, 'b')).toBeUndefined();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const mine = takeProjectLock(folder, 'b');
  expect(mine).toBeDefined();
  mine?.release();
});
