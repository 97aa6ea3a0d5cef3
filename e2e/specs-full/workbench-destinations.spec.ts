// needs: native workers
import { mkdirSync } from 'node:fs';
import type { Locator, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { compartmentCloudConnection } from '../conformance/compartment-cloud-labs.ts';
import { startClassicCloud } from '../rigs/classic-infrastructure-cloud/start.ts';
import { startCompartmentCloud, type CompartmentCloud } from '../rigs/compartment-cloud/start.ts';
import { editorText } from '../hosts/code-editor.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { makeScreenProject, openScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';
import { startManager } from '../rigs/server-virtualization-manager/start.ts';

const MIB = 2 ** 20;

/** The form of a replica with each of Oracle's platforms as the destination: what it offers, and that a choice has no finding. */
describe('the form of a replica', () => {
  let lab: ScreenLab;
  let workbench: Workbench;
  let page: Page;
  let oci: CompartmentCloud;
  const opened = closedAfterAll();
  const { heading, go, choose, lookAt } = screenSteps(() => page);

  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(MIB), closing);
    mkdirSync(lab.settings, { recursive: true });
    await makeScreenProject(lab, { replicas: [] });
    oci = opened.adopt(await startCompartmentCloud({ transitionMs: 3 }), closing);
    const classic = opened.adopt(await startClassicCloud({ transitionMs: 3 }), closing);
    const manager = opened.adopt(await startManager({ transitionMs: 3 }), closing);
    const client = await openScreenProject(lab);
    await client.call('endpoint.add', {
      name: 'OCI',
      plugin: 'compartment-cloud',
      connection: compartmentCloudConnection(oci) as never,
    });
    await client.call('endpoint.add', {
      name: 'Classic',
      plugin: 'classic-infrastructure-cloud',
      connection: classic.connection() as never,
    });
    await client.call('endpoint.add', {
      name: 'Manager',
      plugin: 'server-virtualization-manager',
      connection: manager.connection,
    });
    await client.close();
    workbench = opened.use(await openWorkbench({ settings: lab.settings, project: lab.project }));
    page = workbench.page;
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
    await page.getByText(/^The vault is unlocked\./).waitFor();
  });

  const setting = (key: string): Locator => page.locator(`[data-setting="${key}"]`);

  async function newReplicaTo(destination: string): Promise<void> {
    await go('Endpoints');
    await page.getByRole('link', { name: 'Browse virtual machines of Images', exact: true }).click();
    await page.getByRole('link', { name: 'Create replica of web-01', exact: true }).click();
    await heading('New replica of web-01');
    await choose(page.getByLabel('Destination', { exact: true }), destination);
  }

  /** Opens the choices of a field, and takes the one whose text begins so. */
  async function pick(field: Locator, text: RegExp): Promise<void> {
    await field.click();
    await field.fill('');
    await page.getByRole('option', { name: text, exact: true }).first().click();
  }

  it('to the compartment cloud: networks in rows with subnet and groups, chosen by name and written by ID', async () => {
    await newReplicaTo('OCI (Compartment cloud)');
    await pick(setting('compartment').getByRole('combobox'), /^migrations/);
    const row = setting('network_map').getByRole('group', { name: 'default', exact: true });
    await pick(row.getByRole('combobox', { name: 'Destination network', exact: true }), /^production/);
    await soon(() => row.getByRole('combobox', { name: 'Destination network', exact: true }).inputValue()).toBe(
      oci.idOf('subnet', 'production'),
    );
    await row.getByText(/^production · /).waitFor();
    await pick(row.getByRole('combobox', { name: 'Security groups', exact: true }), /^web/);
    // Shown by its name; the ID that is written is in its title.
    const group = row.getByRole('button', { name: /^web/ });
    await group.waitFor();
    await soon(() => group.getAttribute('title')).toBe(oci.idOf('group', 'web'));
    await lookAt('destination-compartment-cloud-networks');
    await pick(setting('migr_subnet_id').getByRole('combobox'), /^workers/);
    await pick(setting('migr_shape_name').getByRole('combobox'), /^VM\.Standard2\.1/);
    await lookAt('destination-compartment-cloud');
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    const written = await editorText(page.getByLabel('Environment document', { exact: true }));
    for (const line of [
      /network_map:\s+default:\s+id: ocid1\.subnet\./,
      /security_groups:\s+- ocid1\.networksecuritygroup\./,
      /migr_subnet_id: ocid1\.subnet\./,
    ])
      expect(written).toMatch(line);
  });

  it('to the classic cloud: IP networks, image lists, shapes, pools and keys of the account', async () => {
    await newReplicaTo('Classic (Classic infrastructure cloud)');
    await pick(setting('network_map').getByRole('combobox'), /^production/);
    await pick(setting('migr_shape_name').getByRole('combobox'), /^oc3/);
    await pick(setting('default_volume_pool').getByRole('combobox'), /latency/);
    await pick(setting('keypair_name').getByRole('combobox'), /./);
    await lookAt('destination-classic-cloud');
  });

  it('to Oracle VM: pools, repositories, networks, templates, operating systems and cloning methods of the manager', async () => {
    await newReplicaTo('Manager (Server virtualization manager)');
    await pick(setting('network_map').getByRole('combobox'), /^VM Network/);
    await pick(setting('server_pool_name').getByRole('combobox'), /^pool-1/);
    await pick(setting('repository_name').getByRole('combobox'), /^repo-1/);
    await pick(setting('os_label').getByRole('combobox'), /Linux/);
    await pick(setting('virtual_disk_clone_type').getByRole('combobox'), /^SPARSE_COPY/);
    await pick(
      setting('migr_template_name_map').getByRole('combobox', { name: 'Linux worker template', exact: true }),
      /^linux-worker/,
    );
    await lookAt('destination-oracle-vm');
  });
});
