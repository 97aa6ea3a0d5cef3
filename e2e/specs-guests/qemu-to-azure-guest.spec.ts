// needs: native workers, emulated machines, slirp4netns
import { copyFile, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { startAzureLab, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import { startSourceVm, type SourceVm } from '../rigs/source-vm.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

// An emulated system that boots twice, and is prepared in between: minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;
const MiB = 2 ** 20;
const dataDiskBytes = 64 * MiB;
const drivers = ['hv_vmbus', 'hv_storvsc', 'hv_netvsc'];

const initialRamDisk = async (files: GuestFiles): Promise<string> =>
  `/boot/${(await files.names('/boot')).find((one) => one.startsWith('initrd.img-')) ?? 'none'}`;

/** Which of the drivers a guest's initial RAM disk has as files: its index names all. */
async function inInitialRamDisk(disk: string): Promise<boolean[]> {
  const files = new GuestFiles(disk);
  const image = gunzipSync(await files.bytes(await initialRamDisk(files)));
  return drivers.map((driver) => image.includes(`/${driver}.ko`));
}

/** As one that was built for another platform alone: Debian's usual one has the drivers. Names of the same length leave the rest of the image as it is. */
async function takeDriversAway(disk: string, folder: string): Promise<void> {
  const files = new GuestFiles(disk);
  const path = await initialRamDisk(files);
  const image = gunzipSync(await files.bytes(path));
  for (const driver of drivers) {
    for (let at = image.indexOf(`/${driver}.ko`); at >= 0; at = image.indexOf(`/${driver}.ko`)) image.write('/no', at);
  }
  const bare = join(folder, 'bare-initrd');
  await writeFile(bare, gzipSync(image, { level: 1 }));
  await files.replace(path, bare);
}

describe.runIf(isAskedFor)('a guest that runs on QEMU', () => {
  let folder: string;
  let azure: AzureLab;
  let lab: ProjectLab;
  let guest: SourceVm;
  let device: string;
  const closing: (() => Promise<unknown>)[] = [];

  function stage(text: string): void {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-azg-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const image = await ensureDebianGuest((line) => void process.stderr.write(`${line}\n`));
    const [root, data] = [join(folder, 'root.raw'), join(folder, 'data.raw')];
    await run('cp', ['--sparse=always', '--reflink=auto', join(image, 'disk.raw'), root]);
    // No emulator of the lab has the controllers of Hyper-V. The one that it has instead is named in the guest's own list, so that the image
    // which the preparation builds has its driver as well as those of Hyper-V; the guest itself starts from SATA, by the image that it has.
    const list = join(folder, 'modules');
    await writeFile(
      list,
      `${await new GuestFiles(root).text('/etc/initramfs-tools/modules')}virtio_pci\nvirtio_scsi\n`,
    );
    await new GuestFiles(root).replace('/etc/initramfs-tools/modules', list);
    // Its card keeps its name by its driver, which is another one here.
    const names = join(folder, 'names');
    await writeFile(names, 'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="virtio_net", NAME="ens3"\n');
    await new GuestFiles(root).replace('/etc/udev/rules.d/75-lab-card.rules', names);
    await takeDriversAway(root, folder);
    expect(await inInitialRamDisk(root)).toEqual([false, false, false]);
    await (await open(data, 'w')).close();
    await truncate(data, dataDiskBytes);
    azure = await startAzureLab({ machines: labMachines({ worker: usualWorkerKind, outbound: true }) });
    closing.push(() => azure.close());
    // Emulated systems on busy processors take their time.
    lab = await startProjectLab({ patience: { workerMs: 2 * minute, linkMs: 2 * minute } });
    closing.push(() => lab.close());
    letSshIn();
    guest = await startSourceVm({
      folder: join(folder, 'vm'),
      guest: { disks: [], key: join(image, 'id_ed25519') },
      dataDisks: [
        { path: root, format: 'raw' },
        { path: data, format: 'raw' },
      ],
    });
    closing.push(() => guest.close());
    await guest.ssh.waitUntilUp(15 * minute);
    stage('the source answers SSH');
    device = (await guest.ssh.text(`lsblk -bdnpo NAME,SIZE | awk '$2 == ${dataDiskBytes} { print $1 }'`)).trim();
    await guest.ssh.text(`dd if=/dev/urandom of=${device} bs=1M count=8 seek=2 oflag=direct status=none; sync`);
    const connection = {
      ...azure.connection,
      caller_address: '127.0.0.0/8',
      use_public_ip: true,
      network_security_group: 'web',
    } as JsonObject;
    const destinationEnvironment: JsonObject = {
      location: azure.cloud.location,
      resource_group: azure.cloud.resourceGroup,
      network_map: { net0: 'production/default' },
      storage_map: { default: 'Premium_LRS' },
      vm_size: 'Standard_D2s_v5',
      worker_size: 'Standard_D2s_v5',
      linux_migr_image: { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' },
    };
    await lab.use(async (core) => {
      await core.call('endpoint.add', {
        name: 'hypervisor',
        plugin: 'qemu-hypervisor',
        connection: { qmp_socket: guest.qmpSocket, os_type: 'linux' },
      });
      await core.call('endpoint.add', { name: 'azure', plugin: 'resource-group-cloud', connection });
      await core.call('replica.create', {
        name: 'guest',
        source: 'hypervisor',
        destination: 'azure',
        vm: guest.name,
        destinationEnvironment,
      });
    });
  }, 30 * minute);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** The security group that the endpoint gives to NICs of migrated VMs. */
  function letSshIn(): void {
    const group = [...azure.cloud.world.securityGroups.values()].find(({ name }) => name === 'web');
    if (group === undefined) throw new Error('the lab has no security group');
    const rule = {
      protocol: 'Tcp',
      sourceAddressPrefix: '127.0.0.0/8',
      sourcePortRange: '*',
      destinationAddressPrefix: '*',
      destinationPortRange: '22',
      access: 'Allow',
      direction: 'Inbound',
      priority: 100,
      provisioningState: 'Succeeded',
    };
    Object.assign(group.properties, {
      securityRules: [{ id: `${group.id}/securityRules/ssh`, name: 'ssh', properties: rule }],
    });
  }

  async function copied(execution: ExecutionDetail): Promise<number> {
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    return events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
  }
  /** The files of the source, and those of the disks in the cloud that they were copied to. */
  async function pairs(): Promise<readonly (readonly [string, string])[]> {
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'guest' }));
    return disks.map(
      ({ volumeId = '' }, index) => [guest.disks[index]?.path ?? '', azure.cloud.volumePath(volumeId)] as const,
    );
  }

  it(
    'is copied to managed disks while it runs, and then brought up to date, byte for byte',
    async () => {
      const full = await copied(await lab.execute('guest'));
      stage(`copied in full, ${(full / MiB).toFixed(0)} MiB sent`);
      expect(((await guest.monitor.execute('query-status')) as { status: string }).status).toBe('running');
      // Nothing has written to the second disk meanwhile.
      const [, data] = await pairs();
      expect(await firstDifference(data?.[0] ?? '', data?.[1] ?? '')).toBeUndefined();

      await guest.ssh.text(
        `head -c 3000000 /dev/urandom > /srv/data/late; sha256sum < /srv/data/late > /srv/data/late.sum; dd if=/dev/urandom of=${device} bs=1M count=2 seek=20 oflag=direct status=none; sync`,
      );
      await guest.monitor.execute('stop');
      const changed = await copied(await lab.execute('guest'));
      stage(`brought up to date, ${(changed / MiB).toFixed(0)} MiB sent`);
      expect(changed).toBeGreaterThan(5_000_000);
      expect(changed).toBeLessThan(full / 4);
      for (const [file, volume] of await pairs()) expect(await firstDifference(file, volume), file).toBeUndefined();
      expect(azure.cloud.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume', 'volume']);
    },
    40 * minute,
  );

  it(
    'is deployed with the drivers of Hyper-V in its initial RAM disk, boots from SCSI disks by their numbers, and answers as what it was',
    async () => {
      const { id } = await lab.use((core) =>
        core.call('deployment.create', {
          replica: 'guest',
          options: { bootCheck: { mode: 'network', deadlineSeconds: 1800 } },
        }),
      );
      const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-2000)}`,
      ).toMatchObject({ state: 'completed', leftBehind: 0, boot: { outcome: 'up' } });
      stage('deployed, and the network answers');
      const keyPath = join(folder, 'deployed-key');
      await copyFile(guest.ssh.access.keyPath, keyPath);
      const ssh = new RigSsh({ ...resolveAddress(deployment.server?.addresses[0] ?? '', 22), user: 'root', keyPath });
      await ssh.waitUntilUp(10 * minute);
      const shown = await ssh.text(
        [
          'hostname',
          'sha256sum < /srv/data/late | cmp - /srv/data/late.sum && echo late',
          '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
          // Each disk is host:channel:target:number.
          'lsblk -dno HCTL,TRAN,SIZE -b | sort -t: -k4 | awk \'{ split($1, at, ":"); print at[4], $NF }\'',
          'basename $(readlink /sys/class/net/e*/device/driver)',
        ].join('; '),
        { timeoutMs: 5 * minute },
      );
      expect(shown.split('\n')).toEqual([
        'source-vm',
        'late',
        'data',
        `0 ${2048 * MiB}`,
        `1 ${1024 * MiB}`,
        'virtio_net',
      ]);
      const [vm] = [...azure.cloud.world.virtualMachines.values()];
      expect(vm?.properties.storageProfile.dataDisks.map(({ lun }) => lun)).toEqual([0]);
      // What the VM boots from now has the drivers; what it was copied from is as it was.
      const prepared = azure.cloud.volumePath(vm?.properties.storageProfile.osDisk.managedDisk.id ?? '');
      expect(await inInitialRamDisk(prepared)).toEqual([true, true, true]);
      for (const [file, volume] of await pairs()) expect(await firstDifference(file, volume), file).toBeUndefined();

      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
      await lab.use((core) => core.call('replica.delete', { replica: 'guest' }));
      expect(azure.cloud.world.leftovers()).toEqual([]);
      expect(azure.cloud.violations).toEqual([]);
    },
    60 * minute,
  );
});
