import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { platforms } from '../platforms/registry.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

let root: string;
let core: Core;
const open = (): Core => createCore({ projectFolder: join(root, 'project'), vault: new MemoryLab().vault(), platforms });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-checks-'));
  mkdirSync(join(root, 'project'));
  core = open();
});
afterEach(async () => {
  await core.close();
  rmSync(root, { recursive: true, force: true });
});

test('what the last check of an endpoint found is kept with it, until the next one or its removal', async () => {
  const path = join(root, 'images');
  const { id } = await core.call('endpoint.add', { name: 'images', plugin: 'disk-images', connection: { path } });
  expect(await core.call('endpoint.get', { endpoint: 'images' })).not.toHaveProperty('lastCheck');
  const before = new Date().toISOString();
  const found = await core.call('endpoint.check', { endpoint: 'images' });
  expect(found.passed).toBe(false);

  await core.close();
  core = open();
  const [kept] = await core.call('endpoint.list', {});
  expect(kept?.lastCheck).toEqual({ ...found, at: expect.any(String), isOutdated: false });
  expect(kept!.lastCheck!.at >= before).toBe(true);

  mkdirSync(path);
  writeFileSync(join(path, 'web.raw'), Buffer.alloc(1024 * 1024));
  await core.call('endpoint.update', { endpoint: 'images', connection: { path: `${path}/` } });
  expect((await core.call('endpoint.get', { endpoint: 'images' })).lastCheck).toMatchObject({ passed: false, isOutdated: true });
  const again = await core.call('endpoint.check', { endpoint: 'images' });
  expect((await core.call('endpoint.get', { endpoint: 'images' })).lastCheck).toMatchObject({ ...again, isOutdated: false });

  await core.call('endpoint.remove', { endpoint: id });
  await core.call('endpoint.add', { name: 'images', plugin: 'disk-images', connection: { path } });
  expect(await core.call('endpoint.get', { endpoint: 'images' })).not.toHaveProperty('lastCheck');
});
