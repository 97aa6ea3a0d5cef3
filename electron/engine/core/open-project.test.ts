import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureStateFolder } from '../store/database.ts';
import { takeProjectLock } from '../store/project-lock.ts';
import { localAddress } from './ipc.ts';
import { openProject } from './open-project.ts';
import { memoryVault, MemoryLab } from './testing/memory-lab.ts';

let folder: string;
let lab: MemoryLab;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-open-'));
  lab = new MemoryLab();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (deadlineMs?: number) =>
  openProject(
    { projectFolder: folder, vault: memoryVault(), platforms: lab.platforms, connectWorker: lab.connectWorker },
    new AbortController().signal,
    deadlineMs,
  );

describe('a project that is opened twice', () => {
  test('has one engine, and the second one is its client with the same calls, events and errors', async () => {
    const first = await open();
    const second = await open();
    expect([first.role, second.role]).toEqual(['engine', 'client']);
    await second.client.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
    expect(await first.client.call('endpoint.list', {})).toMatchObject([{ name: 'from' }]);
    await expect(second.client.call('replica.show', { replica: 'nobody' })).rejects.toMatchObject({
      code: 'engine.not-found',
    });
    await second.client.close();
    await first.client.close();
  });

  test('is taken over by the next process when the engine has closed', async () => {
    const first = await open();
    await first.client.close();
    const second = await open();
    expect(second.role).toBe('engine');
    await second.client.close();
  });

  test.skipIf(process.platform === 'win32')('the socket is for its owner alone', async () => {
    const { client } = await open();
    expect(statSync(localAddress(join(folder, '.causeway'))).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.causeway')).mode & 0o777).toBe(0o700);
    await client.close();
  });

  test('a path that is too long for a socket is no obstacle', async () => {
    folder = mkdtempSync(join(tmpdir(), `causeway-${'long'.repeat(30)}-`));
    const first = await open();
    const second = await open();
    expect(second.role).toBe('client');
    await second.client.close();
    await first.client.close();
  });

  test('by several processes again and again: each gets its answer, whoever is the engine and ends meanwhile', async () => {
    const once = async (): Promise<unknown> => {
      const { client } = await open();
      try {
        return await client.call('endpoint.list', {});
      } finally {
        await client.close();
      }
    };
    for (let round = 0; round < 20; round += 1)
      expect(await Promise.all([once(), once(), once(), once()])).toEqual([[], [], [], []]);
  });

  test.skipIf(process.platform === 'win32')(
    'an engine that never serves is not waited for without an end',
    async () => {
      const sockets: Socket[] = [];
      const silent = createServer((socket) => void sockets.push(socket));
      const address = join(folder, 'silent');
      await new Promise<void>((resolve) => silent.listen(address, resolve));
      const lock = takeProjectLock(ensureStateFolder(folder), address);
      await expect(open(100)).rejects.toMatchObject({ code: 'engine.project-busy', details: { pid: process.pid } });
      lock?.release();
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
  );

  test('the engine waits for calls that are under way before it hangs up', async () => {
    const first = await open();
    const second = await open();
    const answer = second.client.call('endpoint.list', {});
    const closed = first.client.close();
    expect(await answer).toEqual([]);
    await second.client.close();
    await closed;
  });
});
