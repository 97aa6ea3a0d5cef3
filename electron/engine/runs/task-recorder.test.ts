import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { openStore, type Store } from '../store/store.ts';
import { taskRecorder } from './task-recorder.ts';

let folder: string;
let store: Store;
const told: string[] = [];

const recorderOf = (id: string) =>
  taskRecorder(
    store.tasks,
    { id },
    (error) => error,
    (type, taskId, message, details) => void told.push(`${type} ${taskId} ${String(details['state'])}: ${message}`),
  );

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-tasks-'));
  store = openStore(folder);
  // Their tasks alone.
  store.db.exec('PRAGMA foreign_keys = OFF');
  for (const id of ['exe', 'other']) {
    store.tasks.plan(
      id,
      ['Describe', 'Make', 'Stop'].map((title) => ({ id: title.toLowerCase(), title, cleanUp: title === 'Stop' })),
    );
    const recorder = recorderOf(id);
    for (const task of ['describe', 'make', 'stop']) recorder.start(task);
    recorder.finish('describe', 'completed', { result: { vm: 'web' } });
    recorder.finish('make', 'completed', { result: {} });
    recorder.finish('stop', 'failed', { error: new CausewayError('general.deadline', 'too late').toRecord() });
  }
  told.length = 0;
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

test('tasks that are taken back are pending, were started, and keep what they yielded; those of other runs stay as they are', () => {
  recorderOf('exe').takeBack(['describe', 'stop']);
  expect(store.tasks.list('exe')).toMatchObject([
    { id: 'describe', state: 'pending', attempts: 1, result: { vm: 'web' } },
    { id: 'make', state: 'completed' },
    { id: 'stop', state: 'pending', attempts: 1 },
  ]);
  for (const task of store.tasks.list('exe').filter(({ state }) => state === 'pending'))
    for (const key of ['error', 'startedAt', 'finishedAt']) expect(task).not.toHaveProperty(key);
  expect(store.tasks.list('other').map(({ state }) => state)).toEqual(['completed', 'completed', 'failed']);
  expect(told).toEqual([
    'task.state describe pending: Describe: runs again',
    'task.state stop pending: Stop: runs again',
  ]);
});

test('none is taken back when one cannot be', () => {
  const before = store.tasks.list('exe');
  store.db.exec(
    `CREATE TRIGGER full BEFORE UPDATE ON tasks WHEN NEW.id = 'make' BEGIN SELECT RAISE (ABORT, 'no room'); END`,
  );
  expect(() => recorderOf('exe').takeBack(['describe', 'make'])).toThrow('no room');
  expect([store.tasks.list('exe'), told]).toEqual([before, []]);
});
