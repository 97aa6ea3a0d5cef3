import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCore, type Core } from './core.ts';
import { memoryVault, MemoryLab } from './testing/memory-lab.ts';

const connection = {
  project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
  region_name: 'eu01',
  service_account_key: 'the first key',
};

let folder: string;
let vault: ReturnType<typeof memoryVault>;
let core: Core;
let secret: string;

/** The secret as the endpoint's sealed record has it. */
async function stored(): Promise<string | undefined> {
  const { id } = await core.call('endpoint.get', { endpoint: 'cloud' });
  return (await vault.endpoint(id))?.secrets[secret];
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-secrets-'));
  vault = memoryVault({});
  core = createCore({ projectFolder: folder, vault, platforms: new MemoryLab().platforms });
  await core.call('endpoint.add', { name: 'cloud', plugin: 'european-cloud', connection });
  secret = (await vault.names())[0] ?? '';
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a secret in a connection goes into the vault, and a reference takes its place', async () => {
  expect(await core.call('endpoint.get', { endpoint: 'cloud' })).toMatchObject({
    connection: { service_account_key: { $secret: secret } },
  });
  expect(await stored()).toBe('the first key');
});

test('a change of an endpoint that is refused leaves the stored secret as it was', async () => {
  const refused = { ...connection, project_id: 7, service_account_key: 'the second key' };
  await expect(core.call('endpoint.update', { endpoint: 'cloud', connection: refused })).rejects.toMatchObject({
    code: 'general.invalid-input',
    message: expect.stringContaining('project_id') as unknown,
  });
  expect(await stored()).toBe('the first key');
});

test('a change that is accepted replaces it', async () => {
  await core.call('endpoint.update', {
    endpoint: 'cloud',
    connection: { ...connection, service_account_key: 'the second key' },
  });
  expect(await vault.names()).toEqual([secret]);
  expect(await stored()).toBe('the second key');
});

test('an endpoint that is refused stores nothing', async () => {
  await expect(
    core.call('endpoint.add', { name: 'two', plugin: 'european-cloud', connection: { service_account_key: 'canary' } }),
  ).rejects.toMatchObject({
    code: 'general.invalid-input',
  });
  expect(await vault.names()).toEqual([secret]);
});
