import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { platforms } from '../platforms/registry.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

let root: string;
let core: Core;
const open = (): Core =>
  createCore({ projectFolder: join(root, 'project'), vault: new MemoryLab().vault(), platforms });

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
  expect((await core.call('endpoint.get', { endpoint: 'images' })).lastCheck).toMatchObject({
    passed: false,
    isOutdated: true,
  });
  const again = await core.call('endpoint.check', { endpoint: 'images' });
  expect((await core.call('endpoint.get', { endpoint: 'images' })).lastCheck).toMatchObject({
    ...again,
    isOutdated: false,
  });

  await core.call('endpoint.remove', { endpoint: id });
  await core.call('endpoint.add', { name: 'images', plugin: 'disk-images', connection: { path } });
  expect(await core.call('endpoint.get', { endpoint: 'images' })).not.toHaveProperty('lastCheck');
});

describe('a check of which something goes wrong', () => {
  let lab: MemoryLab;
  const passes = () => new MemoryLab().check();
  const last = async () => (await core.call('endpoint.get', { endpoint: 'images' })).lastCheck;

  beforeEach(async () => {
    await core.close();
    lab = new MemoryLab();
    core = createCore({ projectFolder: join(root, 'project'), vault: lab.vault(), platforms: lab.platforms });
    await core.call('endpoint.add', { name: 'images', plugin: 'disk-images', connection: { path: '/images' } });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('is kept as failed with its error, and who shows the endpoint is told', async () => {
    await core.call('endpoint.check', { endpoint: 'images' });
    expect(await last()).toMatchObject({ passed: true });
    lab.check = () => Promise.reject(new CausewayError('source.unreachable', 'no route to images'));
    const told = new Promise((resolve) => core.subscribe('project.changed', resolve));
    await expect(core.call('endpoint.check', { endpoint: 'images' })).rejects.toMatchObject({
      code: 'source.unreachable',
    });
    await told;
    expect(await last()).toMatchObject({
      passed: false,
      isOutdated: false,
      steps: [
        {
          name: 'Check',
          outcome: 'failed',
          code: 'source.unreachable',
          evidence: expect.stringContaining('no route to images') as unknown,
        },
      ],
    });
  });

  test('that is cancelled leaves the one before', async () => {
    await core.call('endpoint.check', { endpoint: 'images' });
    const stop = new AbortController();
    lab.check = async () => {
      stop.abort();
      throw new CausewayError('source.unreachable', 'cut off');
    };
    await expect(core.call('endpoint.check', { endpoint: 'images' }, { signal: stop.signal })).rejects.toThrow();
    expect(await last()).toMatchObject({ passed: true });
  });

  test("is answered where it can't be kept: on a full disk, or for an endpoint that was removed meanwhile", async () => {
    const run = StatementSync.prototype.run;
    const full = vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
      this: StatementSync,
      ...given: Parameters<typeof run>
    ) {
      if (this.sourceSQL.includes('endpoint_checks'))
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
      return run.apply(this, given);
    });
    expect(await core.call('endpoint.check', { endpoint: 'images' })).toEqual(await passes());
    expect(full).toHaveBeenCalled();
    expect(await last()).toBeUndefined();
    full.mockRestore();
    lab.check = async () => {
      await core.call('endpoint.remove', { endpoint: 'images' });
      return passes();
    };
    expect(await core.call('endpoint.check', { endpoint: 'images' })).toEqual(await passes());
  });

  test('during which the endpoint is edited is outdated: the connection before was checked', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const began = new Date().toISOString();
    lab.check = async () => {
      vi.setSystemTime(Date.now() + 5_000);
      await core.call('endpoint.update', { endpoint: 'images', connection: { path: '/other-images' } });
      vi.setSystemTime(Date.now() + 5_000);
      return passes();
    };
    await core.call('endpoint.check', { endpoint: 'images' });
    expect(await last()).toMatchObject({ passed: true, at: began, isOutdated: true });
  });
});
