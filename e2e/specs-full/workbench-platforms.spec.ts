// needs: native workers
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright';
import { beforeAll, describe, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import type { PluginId } from '../../shared/model/plugin-id.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { startLargePublicCloud } from '../rigs/large-public-cloud/start.ts';
import { makeScreenProject, openScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';
import { startManager, stockVm as stockOvmVm } from '../rigs/server-virtualization-manager/start.ts';
import { startAzureLab, stockVm } from '../rigs/resource-group-cloud/source-lab.ts';
import { MemoryDisk } from '../rigs/virtualization-platform/backing.ts';
import { startNfcServer, type NfcServer } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import { startVsphere } from '../rigs/virtualization-platform/start.ts';
import { startHyperv } from '../rigs/windows-hypervisor/start.ts';

const MIB = 2 ** 20;

interface Platform {
  readonly plugin: PluginId;
  /** Name of the endpoint. */
  readonly name: string;
  readonly connection: JsonObject;
  /** Of a VM that can be replicated, in the inventory. */
  readonly vm: string;
  /** What the inventory shows beside the names. */
  readonly columns: readonly string[];
  /** What is said of that VM before it is replicated. */
  readonly limit?: RegExp;
  close(): Promise<void>;
}

async function vsphere(): Promise<Platform> {
  const rig = await startVsphere({ machines: 3 });
  for (const vm of rig.vms) rig.world.addDisk(vm, new MemoryDisk(16 * MIB));
  const [first] = rig.vms;
  if (first === undefined) throw new Error('the rig has no VM');
  rig.world.addDisk(first, new MemoryDisk(MIB), { mode: 'independent_persistent' });
  await rig.tag([first], 'Environment', 'Production');
  const ports: NfcServer[] = [];
  for (const [index, hostId] of [...rig.hosts.keys()].entries()) {
    const port = await startNfcServer({ host: `127.0.0.${index + 2}`, disks: rig.world });
    rig.world.dataPorts.set(hostId, { host: port.host, port: port.port, sslThumbprint: port.thumbprint });
    ports.push(port);
  }
  return {
    plugin: 'virtualization-platform',
    name: 'vCenter',
    connection: { ...rig.connection } as JsonObject,
    vm: first.name,
    columns: ['Folder', 'Cluster', 'Tags'],
    limit: /is replicated only while the VM is off/,
    async close() {
      for (const port of ports) await port.close();
      await rig.close();
    },
  };
}

async function largePublicCloud(): Promise<Platform> {
  const cloud = await startLargePublicCloud({ transitionMs: 3 });
  const instance = cloud.world.addInstance('web');
  cloud.world.attach(await cloud.world.addVolume(1), instance.id, instance.rootDevice);
  return {
    plugin: 'large-public-cloud',
    name: 'Region Frankfurt',
    connection: cloud.connection() as JsonObject,
    vm: 'web',
    columns: [],
    close: () => cloud.close(),
  };
}

async function resourceGroupCloud(): Promise<Platform> {
  const lab = await startAzureLab();
  await stockVm(lab.cloud, { name: 'web', disks: [{ name: 'web-os', sizeBytes: 16 * MIB }] });
  return {
    plugin: 'resource-group-cloud',
    name: 'Subscription',
    connection: lab.connection,
    vm: 'web',
    columns: [],
    close: () => lab.close(),
  };
}

async function windowsHypervisor(): Promise<Platform> {
  const rig = await startHyperv();
  rig.world.addDisk(rig.world.addVm('web'), 16 * MIB);
  const [host] = rig.hosts;
  const connection = {
    host: '127.0.0.1',
    port: host?.port ?? 0,
    username: rig.username,
    password: rig.password,
    certificate_sha256: [host?.certificateSha256 ?? ''],
    rct_port: rig.rct.port,
    rct_password: rig.rct.key,
    ca_certificate: rig.rct.certificatePem,
  };
  return {
    plugin: 'windows-hypervisor',
    name: 'Hyper-V host',
    connection,
    vm: 'web',
    columns: [],
    close: () => rig.close(),
  };
}

async function serverVirtualizationManager(): Promise<Platform> {
  const manager = await startManager({ transitionMs: 3 });
  // Nothing listens there: the exporter service is on no server.
  for (const server of manager.world.servers.values()) server.hostname = '127.0.0.1';
  await stockOvmVm(manager.world, 'web', [16 * MIB]);
  return {
    plugin: 'server-virtualization-manager',
    name: 'Manager',
    connection: manager.connection,
    vm: 'web',
    columns: ['Cluster'],
    close: () => manager.close(),
  };
}

const platforms = [
  ['vSphere', vsphere],
  ['AWS', largePublicCloud],
  ['Azure', resourceGroupCloud],
  ['Hyper-V', windowsHypervisor],
  ['Oracle VM', serverVirtualizationManager],
] as const;

/** Each platform by its form, its check, its inventory and the form of a replica, as somebody who has just added it sees them. */
describe('the workbench with each source', () => {
  let lab: ScreenLab;
  let workbench: Workbench;
  let page: Page;
  const opened = closedAfterAll();
  const started = new Map<string, Platform>();
  const { heading, go, choose, lookAt } = screenSteps(() => page);

  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(MIB), closing);
    mkdirSync(lab.settings, { recursive: true });
    await makeScreenProject(lab, { replicas: [] });
    const client = await openScreenProject(lab);
    for (const [key, start] of platforms) {
      const platform = opened.adopt(await start(), closing);
      started.set(key, platform);
      await client.call('endpoint.add', {
        name: platform.name,
        plugin: platform.plugin,
        connection: platform.connection,
      });
    }
    await client.close();
    workbench = opened.use(await openWorkbench({ settings: lab.settings, project: lab.project }));
    page = workbench.page;
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
    await page.getByText(/^The vault is unlocked\./).waitFor();
  });

  it.each(platforms.map(([key]) => key))('%s: the form, the check, the VMs, and a replica of one', async (key) => {
    const platform = started.get(key);
    if (platform === undefined) throw new Error(`${key} was not started`);
    const { name, vm, columns, limit } = platform;
    await go('Endpoints');
    await page.getByRole('link', { name, exact: true }).click();
    await heading(name);
    await lookAt(`platform-${platform.plugin}-form`);
    await go('Endpoints');
    await page.getByRole('button', { name: `Check connection of ${name}`, exact: true }).click();
    await page.getByText(new RegExp(`^${name}: (?:all checks passed|passed with \\d+ warnings?)$`)).waitFor();
    await lookAt(`platform-${platform.plugin}-check`);
    await page.getByRole('link', { name: `Browse virtual machines of ${name}`, exact: true }).click();
    await page.getByRole('cell', { name: vm, exact: true }).waitFor();
    for (const column of columns) await page.getByRole('columnheader', { name: column, exact: true }).waitFor();
    await lookAt(`platform-${platform.plugin}-vms`);
    await page.getByRole('link', { name: `Create replica of ${vm}`, exact: true }).click();
    await heading(`New replica of ${vm}`);
    if (limit !== undefined)
      await page
        .getByRole('alert')
        .filter({ hasText: 'Before you replicate this VM' })
        .getByText(limit, { exact: true })
        .waitFor();
    await choose(page.getByLabel('Destination', { exact: true }), 'Cloud (European cloud)');
    await page
      .getByText(/^(No findings|\d+ errors?, \d+ warnings?)$/)
      .first()
      .waitFor();
    await lookAt(`platform-${platform.plugin}-replica`);
    await soon(() => page.getByText('Something went wrong', { exact: true }).count()).toBe(0);
  });
});
