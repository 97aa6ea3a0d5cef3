import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { destinationEnvironment } from '../../electron/engine/core/testing/deployment-project.ts';
import { MemoryLab } from '../../electron/engine/core/testing/memory-lab.ts';
import type { Endpoint } from '../../shared/model/endpoint.ts';
import type { Replica } from '../../shared/model/replica.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { openWorkbenchHere, type WorkbenchHere } from '../hosts/workbench-here.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { makeEmptyProject, openMadeProject, passphrase } from '../rigs/project/make-screen-project.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-interchange-'));
const project = join(root, 'project');
const lab = new MemoryLab();
let workbench: WorkbenchHere;
let page: Page;
const { go, heading, choose, lookAt } = screenSteps(() => page);

const { network_map: networks, ...environment } = destinationEnvironment;
const transfer = (instance: string, more: object = {}) => ({
  transfer: {
    scenario: 'replica',
    origin_endpoint_id: '5f1c',
    destination_endpoint_id: 'e2',
    instances: [instance],
    network_map: networks,
    destination_environment: environment,
    ...more,
  },
});
const payloads = {
  endpoints: [
    {
      id: 'e2',
      name: 'New site',
      type: 'stackit',
      connection_info: {
        project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
        region_name: 'eu01',
        service_account_key: '{"credentials":{"a":"key-4711"}}',
      },
    },
    { id: 'e3', name: 'Cloud', type: 'stackit', connection_info: {} },
  ],
  transfers: [
    transfer('web', { notes: 'shop', clone_disks: false }),
    transfer('gone', { destination_environment: {} }),
  ],
};

/** A project from Coriolis and one to it, with platforms in memory; each step needs the one before. */
describe('import and export in the workbench', () => {
  const opened = closedAfterAll();
  opened.defer(() => rmSync(root, { recursive: true, force: true }));
  beforeAll(async () => {
    lab.disks.set('disk-0', randomBytes(64 * 1024));
    await makeProject();
    workbench = opened.use(
      await openWorkbenchHere(engineHere({ platforms: lab.platforms, connectWorker: lab.connectWorker }), project),
    );
    page = workbench.page;
    await workbench.ask('vault.unlock', { passphrase });
    await page.reload();
  });

  it('refuses what is no payload, with the reason', async () => {
    await go('Import and export');
    await heading('Import and export');
    await offer('notes.txt', 'ls -l');
    await page.getByText('Invalid input', { exact: true }).waitFor();
    await lookAt('interchange');
  });

  it('shows what would be written, without secrets, before anything is', async () => {
    await offer('project.json', JSON.stringify(payloads));
    await page.getByText('1 endpoint and 0 replicas selected. Nothing is written yet.', { exact: true }).waitFor();
    await choose(page.getByLabel('Endpoint 5f1c is', { exact: true }), 'Images');
    await page.getByText('1 endpoint and 2 replicas selected. Nothing is written yet.', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /^Create Cloud .*Exists/ })
      .first()
      .waitFor();
    await page
      .getByText(
        'Coriolis deploys it with other options. To get the same, choose when you deploy it: Volumes: The replica’s own volumes.',
        { exact: true },
      )
      .waitFor();
    await page
      .getByRole('table', { name: 'Not imported', exact: true })
      .getByRole('cell', { name: 'notes', exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Show the contents of web', exact: true }).click();
    const contents = page.getByRole('region', { name: 'Contents of web', exact: true }).last();
    await soon(() => contents.textContent()).toContain('availability_zone: eu01-1');
    await page.getByRole('button', { name: 'Show the contents of New site', exact: true }).click();
    const connection = page.getByRole('region', { name: 'Contents of New site', exact: true }).last();
    await soon(() => connection.textContent()).toContain('# service_account_key: stored in the vault');
    expect(await page.content()).not.toContain('key-4711');
    await lookAt('interchange-preview');
    expect(await namesOf('replica.list')).toEqual(['old']);
  });

  it('creates what is chosen, and says what could not be created', async () => {
    await page.getByRole('button', { name: 'Create 3 items', exact: true }).click();
    await page.getByText('2 items created, 1 failed.', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /^Create gone / })
      .getByText('Failed', { exact: true })
      .waitFor();
    await lookAt('interchange-done');
    expect([await namesOf('endpoint.list'), await namesOf('replica.list')]).toEqual([
      ['Cloud', 'Images', 'New site'],
      ['old', 'web'],
    ]);
    const [web] = ((await workbench.ask('replica.list', {})) as unknown as Replica[]).filter(
      ({ name }) => name === 'web',
    );
    expect(web?.destinationEnvironment).toMatchObject({ network_map: networks, availability_zone: 'eu01-1' });
    // The same file again: what is there is neither created twice nor changed.
    await page.getByRole('button', { name: 'Other file', exact: true }).click();
    await offer('project.json', JSON.stringify(payloads));
    await choose(page.getByLabel('Endpoint 5f1c is', { exact: true }), 'Images');
    await page.getByText('0 endpoints and 1 replica selected. Nothing is written yet.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Other file', exact: true }).click();
  });

  it('exports the project or one wave of it, and names what stays behind', async () => {
    const written = page.getByRole('region', { name: 'What the file will contain', exact: true });
    await soon(() => written.textContent()).not.toContain('key-4711');
    await page
      .getByRole('table', { name: 'Not exported', exact: true })
      .getByRole('row', { name: /^Images\b.*no provider/ })
      .waitFor();
    await choose(page.getByLabel('Format', { exact: true }), 'Script of commands');
    await page.getByText(/^#!\/bin\/sh\s+set -e\s+coriolis endpoint create --name/).waitFor();
    await lookAt('interchange-export');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save file', exact: true }).click();
    const saved = await download;
    expect([saved.suggestedFilename(), await readFile(await saved.path(), 'utf8')]).toEqual([
      'coriolis.sh',
      await written.textContent(),
    ]);
    expect(workbench.complaints).toEqual([]);
  });
});

async function offer(name: string, content: string): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
}

async function namesOf(call: 'endpoint.list' | 'replica.list'): Promise<string[]> {
  return ((await workbench.ask(call, {})) as unknown as Pick<Endpoint, 'name'>[]).map(({ name }) => name).sort();
}

async function makeProject(): Promise<void> {
  await makeEmptyProject(project, 'Data centre');
  const client = await openMadeProject(project, { platforms: lab.platforms, connectWorker: lab.connectWorker });
  await client.call('endpoint.add', { name: 'Images', plugin: 'disk-images', connection: { path: root } });
  await client.call('endpoint.add', {
    name: 'Cloud',
    plugin: 'european-cloud',
    connection: { project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11', region_name: 'eu01', service_account_key: '{}' },
  });
  await client.call('replica.create', {
    name: 'old',
    source: 'Images',
    destination: 'Cloud',
    vm: 'web',
    destinationEnvironment,
  });
  await client.close();
}
