import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { screenSteps } from '../hosts/screen-steps.ts';
import { openWorkbenchHere, type WorkbenchHere } from '../hosts/workbench-here.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { makeEmptyProject, openMadeProject, passphrase } from '../rigs/project/make-screen-project.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-apply-to-many-'));
const images = join(root, 'images');
const project = join(root, 'project');
const others = 300;
const needed = {
  network_map: { default: 'production' },
  availability_zone: 'eu01-1',
  migr_network: 'migration',
  migr_machine_type: 'g1.2',
  migr_image_map: { linux: 'Debian 12' },
};
const names = Array.from({ length: 1 + others }, (_, index) => `vm-${String(index).padStart(3, '0')}`);
let workbench: WorkbenchHere;

describe('settings of one VM that are applied to 300 others', () => {
  const opened = closedAfterAll();
  opened.defer(() => rmSync(root, { recursive: true, force: true }));
  beforeAll(async () => {
    mkdirSync(images);
    for (const name of names) {
      writeFileSync(join(images, `${name}.raw`), '');
      truncateSync(join(images, `${name}.raw`), 1024 * 1024);
    }
    await makeEmptyProject(project, 'Data centre');
    const client = await openMadeProject(project);
    await client.call('endpoint.add', { name: 'Images', plugin: 'disk-images', connection: { path: images } });
    await client.call('endpoint.add', {
      name: 'Cloud',
      plugin: 'european-cloud',
      connection: {
        project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
        region_name: 'eu01',
        service_account_key: '{}',
      },
    });
    for (const name of names)
      await client.call('replica.create', {
        name,
        source: 'Images',
        destination: 'Cloud',
        vm: name,
        destinationEnvironment: { ...needed, ...(name === names[0] ? { machine_type: 'g1.2' } : {}) },
      });
    await client.close();
    workbench = opened.use(await openWorkbenchHere(engineHere({}), project));
    await workbench.ask('vault.unlock', { passphrase });
    await workbench.page.reload();
  });

  it('changes all of them, after showing what it changes', async () => {
    const { page } = workbench;
    await screenSteps(() => page).go('Replicas');
    await page.getByRole('link', { name: names[0]!, exact: true }).click();
    await page.getByRole('link', { name: 'Configure', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: `Configure ${names[0]}`, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Apply to other VMs…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Apply settings to other VMs', exact: true });
    await dialog.getByLabel('Machine type', { exact: true }).check();
    await dialog.getByRole('group', { name: 'VMs', exact: true }).getByLabel('All', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Change 300 VMs', exact: true }).click();
    // Each is a file of its own, written and checked.
    await page.getByText('300 VMs changed', { exact: true }).waitFor({ timeout: 120_000 });
    await dialog.waitFor({ state: 'detached' });
    const replicas = (await workbench.ask('replica.list', {})) as unknown as {
      readonly destinationEnvironment: { readonly machine_type?: string };
    }[];
    expect(replicas).toHaveLength(names.length);
    expect(replicas.filter(({ destinationEnvironment }) => destinationEnvironment.machine_type !== 'g1.2')).toEqual([]);
  });

  it('never violates its content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});
