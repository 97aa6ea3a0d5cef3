import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from './program.ts';
import { passphraseWrapper } from '../secrets/passphrase-wrapper.ts';
import { createVault, openVault } from '../secrets/vault.ts';
import { createCore } from '../engine/core/core.ts';
import { MemoryLab } from '../engine/core/testing/memory-lab.ts';

const canary = 'canary-7c1f-tweet "quoted" and more';
const key = passphraseWrapper('open sesame', { n: 2 ** 14, r: 8, p: 1 });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-canary-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Everything on disk below the project. */
function everything(below: string): string {
  return readdirSync(below, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('\n');
}

function expectClean(text: string): void {
  expect(text).not.toContain('canary-7c1f');
  expect(text).not.toContain(Buffer.from(canary).toString('base64').slice(0, 24));
}

test('a secret is in no file, event, answer or error, even when a platform repeats it', async () => {
  const lab = new MemoryLab();
  const core = createCore({
    projectFolder: folder,
    vault: openVault(join(folder, 'vault.json'), async () => key),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
  });
  await createVault(join(folder, 'vault.json'), key);
  const heard: unknown[] = [];
  core.subscribe('execution.event', (event) => heard.push(event));
  heard.push(
    await core.dispatch('endpoint.add', {
      name: 'to',
      plugin: 'european-cloud',
      connection: {
        project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
        region_name: 'eu01',
        service_account_key: canary,
      },
    }),
    await core.dispatch('endpoint.add', {
      name: 'bad',
      plugin: 'european-cloud',
      connection: { region_name: 7, service_account_key: canary },
    }),
    await core.dispatch('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } }),
    await core.dispatch('endpoint.get', { endpoint: 'to' }),
    await core.dispatch('endpoint.check', { endpoint: 'to' }),
    await core.dispatch('catalog.capture', { endpoint: 'to' }),
    await core.dispatch('vault.list', {}),
  );
  expect(heard[0]).toMatchObject({ ok: true });
  expect(heard[1]).toMatchObject({ ok: false });
  lab.disks.set('disk-0', Buffer.alloc(65536));
  lab.fail('snapshot', Object.assign(new Error(`login with ${canary} was refused`)) as never);
  heard.push(
    await core.dispatch('replica.create', {
      name: 'web',
      source: 'from',
      destination: 'to',
      vm: 'web',
      destinationEnvironment: {
        network_map: { default: 'net' },
        availability_zone: 'z',
        migr_network: 'n',
        migr_machine_type: 'm',
        machine_type: 'm',
        migr_image_map: { linux: 'i' },
      },
    }),
    await core.dispatch('replica.execute', { replica: 'web' }),
  );
  await core.drain();
  const shown = await core.dispatch('execution.show', { execution: 'web' });
  expect(JSON.stringify(shown)).toContain('[secret');
  heard.push(shown, await core.dispatch('execution.events', {}), await core.dispatch('ledger.list', {}));
  await core.close();
  expectClean(JSON.stringify(heard));
  expectClean(everything(folder));
});

test('the command line prints no secret', async () => {
  let output = '';
  const sink = { write: (text: string) => ((output += text), true), isTTY: false } as unknown as NodeJS.WritableStream;
  const run = (...argv: string[]) =>
    runProgram([...argv, '--project', folder], {
      stdout: sink,
      stderr: sink,
      env: { CAUSEWAY_KEY_FILE: join(folder, 'key') },
      entry: import.meta.url,
      signal: new AbortController().signal,
    });
  expect(await run('vault', 'init')).toBe(0);
  const connection = (key: string): string[] =>
    ['project_id=f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11', 'region_name=eu01', `service_account_key=${key}`].flatMap(
      (pair) => ['--set', pair],
    );
  expect(await run('endpoint', 'add', 'to', '--plugin', 'european-cloud', ...connection(canary))).toBe(2);
  expect(output).toContain('service_account_key must be the JSON text');
  expect(
    await run(
      'endpoint',
      'add',
      'to',
      '--plugin',
      'european-cloud',
      ...connection(JSON.stringify({ credentials: { privateKey: canary } })),
    ),
  ).toBe(0);
  expect(await run('endpoint', 'list', '--json')).toBe(0);
  expect(await run('endpoint', 'check', 'to', '--json')).toBe(1);
  expect(await run('vault', 'list')).toBe(0);
  expect(output).toContain('service_account_key');
  expectClean(output);
  expectClean(everything(folder));
});
