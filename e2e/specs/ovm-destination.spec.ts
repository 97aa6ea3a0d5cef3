import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOvmDestination } from '../../electron/engine/platforms/server-virtualization-manager/destination/ovm-destination.ts';
import type { DeploymentRun } from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { deployByHand } from '../conformance/deploy-by-hand.ts';
import { ovmEnvironment, recordsOnly } from '../conformance/ovm-labs.ts';
import { closeAll } from '../rigs/closing.ts';
import { hurriedClock, requestClock, type RequestClock } from '../rigs/hurried-clock.ts';
import { startManager, stockVm, type SimulatedManager } from '../rigs/server-virtualization-manager/start.ts';

/** What only this platform has: repositories, templates, types of clones, targets. Each parameter by its effect on the manager's records. */

const signal = new AbortController().signal;
const gib = 2 ** 30;
const vm: Vm = {
  id: 'vm-1',
  name: 'web',
  os_type: 'linux',
  vcpus: 4,
  memory_mb: 6000,
  firmware: 'bios',
  disks: [
    { id: 'd0', size_bytes: gib, bootable: true },
    { id: 'd1', size_bytes: gib, storage_backend: 'fast' },
  ],
  nics: [
    { id: 'n0', network: 'lan' },
    { id: 'n1', network: 'mgmt' },
  ],
};

let manager: SimulatedManager;
let clock: RequestClock;
let folder: string;
let store: Store;
let notes: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-ovm-'));
  store = openStore(folder, undefined, hurriedClock(20));
  clock = requestClock(4);
  manager = await startManager({
    transitionMs: 2,
    onCall: ({ fault }) => {
      if (fault?.effect === 'no-answer') clock.nobodyAnswers();
    },
  });
  notes = [];
});
afterEach(() =>
  closeAll(
    () => manager.close(),
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

const open = (): DestinationPlatform => createOvmDestination(manager.connection, recordsOnly(clock));
const nameOf = (id: string | undefined): string | undefined => manager.world.repositories.get(id ?? '')?.name;
const copies = (): readonly string[] => manager.world.cloneTypes;

function run(more: JsonObject = {}, of: Vm = vm): DestinationRun {
  return {
    replicaId: 'replica',
    executionId: 'execution',
    vm: of,
    environment: { ...ovmEnvironment, ...more },
    ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'execution' }),
    note: (message) => void notes.push(message),
  };
}

async function deployed(platform: DestinationPlatform, more: JsonObject = {}, of: Vm = vm) {
  const made = await deployByHand(
    platform,
    { ...run(more, of), deploymentId: 'deployment', preparationRole: 'osmorphing-linux' },
    signal,
  );
  const record = manager.world.vms.get(made.server.id);
  if (record === undefined) throw new Error('no VM');
  return { ...made, record };
}

async function findings(more: JsonObject = {}, of: Vm = vm): Promise<string[]> {
  const platform = open();
  const all = await platform.checkEnvironment({ ...ovmEnvironment, ...more }, of, signal);
  await platform.close();
  return all.map(
    ({ severity, path, rule }) => `${severity} ${path} ${rule.replace('server-virtualization-manager/online-', '')}`,
  );
}

describe('parameters', () => {
  it('repository_name, storage_mappings: the repository of each disk', async () => {
    const platform = open();
    const repositories = async (more: JsonObject) => {
      const volumes = await platform.ensureVolumes(run(more), vm.disks, signal);
      const made = volumes.map(({ id }) => nameOf(manager.world.disks.get(id)?.repositoryId.value));
      await platform.deleteVolumes(run(more), signal);
      return made;
    };
    expect(await repositories({})).toEqual(['repo-1', 'repo-1']);
    expect(await repositories({ repository_name: 'repo-2' })).toEqual(['repo-2', 'repo-2']);
    expect(
      await repositories({
        storage_mappings: { default: 'repo-2', backend_mappings: [{ source: 'fast', destination: 'repo-1' }] },
      }),
    ).toEqual(['repo-2', 'repo-1']);
    expect(
      await repositories({ storage_mappings: { disk_mappings: [{ disk_id: 'd0', destination: 'repo-2' }] } }),
    ).toEqual(['repo-2', 'repo-1']);
    await platform.close();
  });

  it('migr_template_name_map, migr_template_username_map, migr_template_password_map: a clone of the template that takes a key of its own', async () => {
    const seen: object[] = [];
    const platform = createOvmDestination(manager.connection, {
      ...recordsOnly(clock),
      async enrol(_manager, _ssh, { username, password }, keys) {
        seen.push({ username, password });
        return keys.host.publicKey;
      },
    });
    const volumes = await platform.ensureVolumes(run(), vm.disks, signal);
    const access = await startWorkerWith(platform, run(), 'disk-copy', volumes, signal);
    expect(seen).toEqual([{ username: 'opc', password: 'template-secret' }]);
    const worker = manager.world.vms.get(access.workerId);
    expect(worker).toMatchObject({
      isWorker: true,
      vmRunState: 'RUNNING',
      serverPoolId: { name: 'pool-1' },
      repositoryId: { name: 'repo-1' },
    });
    expect(access.attached.map(({ identity }) => identity)).toEqual([
      { kind: 'order', order: 1, sizeBytes: gib },
      { kind: 'order', order: 2, sizeBytes: gib },
    ]);
    expect(JSON.stringify(store.ledger.list({}))).not.toContain('template-secret');
    await platform.stopWorker(run(), 'disk-copy', signal);
    await platform.deleteVolumes(run(), signal);
    expect(manager.world.leftovers()).toEqual([]);
    await platform.close();
  });

  it('migr_template_*_map.windows: a clone of the Windows template, which its user and password open over WinRM', async () => {
    const { world } = manager;
    const [main] = world.repositories.values();
    const [pool] = world.serverPools.values();
    const template = world.add(world.vms, 'Vm', 'windows-worker', {
      vmRunState: 'TEMPLATE',
      vmDomainType: 'XEN_HVM_PV_DRIVERS',
      osType: 'Microsoft Windows Server 2019',
      memory: 4096,
      cpuCount: 2,
      vmDiskMappingIds: [],
      virtualNicIds: [],
      repositoryId: main!.id,
      serverPoolId: pool!.id,
      serverId: null,
    });
    world.map(template, await world.addDisk('windows-worker-system', 2 ** 20, main!.id), 0);
    world.stocked();
    const more = {
      migr_template_name_map: { linux: 'linux-worker', windows: 'windows-worker' },
      migr_template_username_map: { linux: 'opc', windows: 'Administrator' },
      migr_template_password_map: { linux: 'template-secret', windows: 'windows-secret' },
    };
    const reached: number[] = [];
    const platform = createOvmDestination(manager.connection, {
      ...recordsOnly(clock),
      async enrol(_manager, way) {
        reached.push(way.port);
        return 'ab'.repeat(32);
      },
    });
    expect(platform.runPolicy(more).hasWindowsWorkerImage).toBe(true);
    const access = await startWorkerWith(
      platform,
      run(more, { ...vm, os_type: 'windows' }),
      'osmorphing-windows',
      [],
      signal,
    );
    expect(reached).toEqual([access.winrm?.port]);
    expect(access).toMatchObject({
      username: 'Administrator',
      winrm: { password: 'windows-secret', certificateSha256: 'ab'.repeat(32) },
    });
    expect(access.hostKey).toBeUndefined();
    expect(world.vms.get(access.workerId)).toMatchObject({
      osType: 'Microsoft Windows Server 2019',
      vmRunState: 'RUNNING',
    });
    expect(JSON.stringify(store.ledger.list({}))).not.toContain('windows-secret');
    await platform.stopWorker(run(more), 'osmorphing-windows', signal);
    world.vms.delete(template.id.value);
    expect(await findings({ ...more, migr_template_password_map: { linux: 'x' } })).toEqual([
      expect.stringMatching(/windows-worker|name-unknown/),
      'error /migr_template_password_map parameter-missing',
    ]);
    await platform.close();
  });

  it('virtual_disk_clone_type: how deployments copy disks, with the others where the repository refuses it', async () => {
    const platform = open();
    const { own, deployment } = await deployed(platform, { virtual_disk_clone_type: 'SPARSE_COPY' });
    expect(copies()).toEqual(Array.from({ length: 4 }, () => 'SPARSE_COPY'));
    await deployment.rollBack(own, signal);
    for (const id of manager.world.repositories.keys()) manager.world.withoutThinClones.add(id);
    const before = copies().length;
    const again = await deployed(platform);
    expect(copies().slice(before).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'SPARSE_COPY'),
      ...Array.from({ length: 4 }, () => 'THIN_CLONE'),
    ]);
    expect(notes.filter((note) => note.includes('cannot be cloned by THIN_CLONE'))).toHaveLength(4);
    await again.deployment.rollBack(again.own, signal);
    await platform.deleteVolumes(again.own, signal);
    expect(manager.world.leftovers()).toEqual([]);
    await platform.close();
  });

  it('server_pool_name, network_map, os_label: the migrated VM, with its disks from target 0 and NICs in their order', async () => {
    const platform = open();
    const { record, copies: volumes, server, nics } = await deployed(platform, { os_label: 'Oracle Linux 8' });
    expect(record).toMatchObject({
      name: 'web',
      vmRunState: 'RUNNING',
      vmDomainType: 'XEN_HVM_PV_DRIVERS',
      osType: 'Oracle Linux 8',
      cpuCount: 4,
      memory: 6000,
      serverPoolId: { name: 'pool-1' },
      repositoryId: { name: 'repo-1' },
    });
    const mappings = record.vmDiskMappingIds.map(({ value }) => manager.world.mappings.get(value));
    expect(mappings.map((mapping) => [mapping?.virtualDiskId?.value, mapping?.diskTarget])).toEqual(
      volumes.map(({ id }, target) => [id, target]),
    );
    expect(record.virtualNicIds.map(({ value }) => manager.world.nics.get(value)?.networkId.name)).toEqual([
      'VM Network',
      'vlan-20',
    ]);
    expect(nics.map(({ macAddress }) => macAddress)).toEqual(
      record.virtualNicIds.map(({ value }) => manager.world.nics.get(value)?.macAddress.toLowerCase()),
    );
    expect(await platform.deployment?.addresses?.(server.id, signal)).toEqual(server.addresses);
    await platform.close();
  });

  it('leave_migrated_vm_off: the VM is there with its disks, and is not started', async () => {
    const platform = open();
    const { record, server } = await deployed(platform, { leave_migrated_vm_off: true });
    expect(record).toMatchObject({ vmRunState: 'STOPPED' });
    expect(record.vmDiskMappingIds).toHaveLength(2);
    expect(server).toMatchObject({ isOff: true, addresses: [] });
    expect(manager.calls.filter(({ operation }) => operation === 'startVm')).toEqual([]);
    await platform.close();
  });
});

describe('copies', () => {
  it.each(['connection-reset-after', '502-after', 'no-answer'] as const)(
    'are made once where the answer was lost (%s)',
    async (effect) => {
      const platform = open();
      manager.faults.add({ operation: 'cloneDisk', effect });
      const { own, deployment, snapshots } = await deployed(platform);
      expect(snapshots).toHaveLength(2);
      expect(manager.world.disks.size).toBe(1 + 2 + 2 + 2);
      await deployment.rollBack(own, signal);
      await platform.deleteVolumes(own, signal);
      expect(manager.world.leftovers()).toEqual([]);
      await platform.close();
    },
  );

  it.each(['goes on', 'gives up'])('that a killed process did not name are found by the one that %s', async (then) => {
    const first = open();
    const own: DeploymentRun = { ...run(), deploymentId: 'deployment', preparationRole: 'osmorphing-linux' };
    const volumes = await first.ensureVolumes(own, vm.disks, signal);
    // The copy is there, but from then on no call of this process arrives.
    manager.faults.add({ operation: 'updateVirtualDisk', effect: 'connection-reset', times: 1_000 });
    await expect(first.deployment?.snapshotVolumes(own, volumes, signal)).rejects.toThrow();
    manager.faults.clear();
    await first.close();
    expect(manager.world.disks.size).toBe(1 + 2 + 1);
    const second = open();
    if (then === 'goes on') {
      const snapshots = await second.deployment?.snapshotVolumes(own, volumes, signal);
      expect(snapshots).toHaveLength(2);
      expect(manager.world.disks.size).toBe(1 + 2 + 2);
    }
    await second.deployment?.rollBack(own, signal);
    await second.deleteVolumes(own, signal);
    expect(manager.world.leftovers()).toEqual([]);
    await second.close();
  });

  it('of somebody else are never taken for a lost one', async () => {
    const platform = open();
    const { world } = manager;
    const {
      disks: [foreign],
    } = await stockVm(world, 'other', [gib]);
    manager.faults.add({ operation: 'cloneDisk', effect: 'connection-reset' });
    const { own, deployment } = await deployed(platform);
    await deployment.rollBack(own, signal);
    await platform.deleteVolumes(own, signal);
    expect(world.disks.has(foreign?.id.value ?? '')).toBe(true);
    expect(world.leftovers()).toEqual([]);
    await platform.close();
  });
});

describe('checks', () => {
  it('an environment: all unknown names in one go, each at its place, and nothing is created', async () => {
    expect(await findings()).toEqual([]);
    expect(
      await findings({
        network_map: { lan: 'nowhere', mgmt: 'vlan-20' },
        server_pool_name: 'none',
        repository_name: 'none',
        storage_mappings: { disk_mappings: [{ disk_id: 'd1', destination: 'floppy' }] },
        migr_template_name_map: { linux: 'web' },
        os_label: 'Plan 9',
      }),
    ).toEqual([
      'error /network_map/lan name-unknown',
      'error /server_pool_name name-unknown',
      'error /repository_name name-unknown',
      'error /storage_mappings/disk_mappings/0/destination name-unknown',
      'error /migr_template_name_map/linux name-unknown',
      'warning /os_label os-label',
    ]);
    expect(manager.world.leftovers()).toEqual([]);
  });

  it('an environment: what is missing, and what the platform does not carry', async () => {
    expect(await findings({ network_map: { lan: 'VM Network' } })).toEqual([
      expect.stringContaining('error /network_map'),
    ]);
    expect(await findings({ migr_template_username_map: {}, migr_template_password_map: {} })).toEqual([
      'error /migr_template_username_map parameter-missing',
      'error /migr_template_password_map parameter-missing',
    ]);
    expect(await findings({}, { ...vm, firmware: 'uefi' })).toEqual(['error  no-uefi']);
    expect(
      await findings(
        {},
        { ...vm, disks: Array.from({ length: 5 }, (_, index) => ({ id: `d${index}`, size_bytes: gib })) },
      ),
    ).toEqual(['warning  disk-count']);
  });

  it('the endpoint: says what is there, and that there is no template', async () => {
    const platform = open();
    const { steps } = await platform.check(signal);
    expect(steps.map(({ outcome }) => outcome)).not.toContain('failed');
    for (const [id, each] of manager.world.vms) if (each.vmRunState === 'TEMPLATE') manager.world.vms.delete(id);
    expect((await platform.check(signal)).steps.find(({ name }) => name === 'List templates')).toMatchObject({
      outcome: 'warning',
    });
    await platform.close();
  });

  it('options and catalog: pools, repositories, networks and templates by name', async () => {
    const platform = open();
    const catalog = await platform.catalog({}, signal);
    expect(catalog).toMatchObject({
      plugin: 'server-virtualization-manager',
      networks: [{ name: 'VM Network' }, { name: 'vlan-20' }],
      repositories: [{ name: 'repo-1' }, { name: 'repo-2' }],
      server_pools: [{ name: 'pool-1' }],
      templates: [{ name: 'linux-worker' }],
    });
    await platform.close();
  });
});
