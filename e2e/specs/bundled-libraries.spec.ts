import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCore } from '../../electron/engine/core/core.ts';
import { keyFileWrapper, makeKeyFile } from '../../electron/secrets/key-file-wrapper.ts';
import { createVault, openVault } from '../../electron/secrets/vault.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { closeAll } from '../rigs/closing.ts';
import { startLargePublicCloud, type LargePublicCloud } from '../rigs/large-public-cloud/start.ts';
import { startAzureLab, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

/** The product as it is packaged: with the clouds' own libraries in its bundle. */
const program = join(import.meta.dirname, '../../out/main/cli.js');
let folder: string;
let azure: AzureLab;
let aws: LargePublicCloud;
const key = (): string => join(folder, 'key');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-bundled-'));
  azure = await startAzureLab({ storageAccounts: ['disks'] });
  aws = await startLargePublicCloud();
  makeKeyFile(key());
  const vault = join(folder, '.causeway', 'vault.json');
  const core = createCore({ projectFolder: folder, vault: openVault(vault, async () => keyFileWrapper(key())) });
  // The first call makes the folder one that was accepted here.
  await core.call('endpoint.add', {
    name: 'first',
    plugin: 'large-public-cloud',
    connection: { region: aws.region, profile: 'none' },
  });
  await createVault(vault, keyFileWrapper(key()));
  await core.call('endpoint.add', { name: 'azure', plugin: 'resource-group-cloud', connection: azure.connection });
  await core.call('endpoint.add', {
    name: 'aws',
    plugin: 'large-public-cloud',
    connection: aws.connection() as JsonObject,
  });
  await core.close();
});
afterAll(() =>
  closeAll(
    () => azure?.close(),
    () => aws?.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

it.each([
  ['azure', /Sign in.*\n(?:.*\n)*.*List VMs/],
  ['aws', /Sign in.*\n/],
])('the built command line checks an endpoint of %s', async (endpoint, expected) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, 'endpoint', 'check', endpoint, '--project', folder],
    { env: { ...process.env, CAUSEWAY_KEY_FILE: key() } },
  ).catch((error: { readonly stdout: string; readonly stderr: string }) =>
    Promise.reject(new Error(`${error.stdout}\n${error.stderr}`)),
  );
  expect(stdout).toMatch(expected);
});
