import { appendFile, open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentLab } from '../conformance/deployment-lab.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform, type DestinationLab } from '../conformance/destination-platform.ts';
import type { SourceHarness } from '../conformance/source-harness.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { ToyCloud, toyKey } from '../toy-platform/toy-cloud.ts';
import { createToyDestination } from '../toy-platform/toy-destination.ts';
import { createToySource } from '../toy-platform/toy-source.ts';

/** The platform of docs/add-a-platform.md, in each of its three parts. */

const mib = 2 ** 20;
const gib = 2 ** 30;
const markBytes = 64;
// An answer takes a copy of a disk, on a busy machine: who gives up before it is there creates a second one.
const hurried = { clock: hurriedClock(4), timing: { requestMs: 3_000, pollFirstMs: 2, pollCapMs: 5 } };
const environment = { network_map: { lan: 'blue', mgmt: 'green' } };

async function toySource(): Promise<SourceHarness> {
  const cloud = await ToyCloud.start();
  const vm = {
    name: 'web',
    disks: [
      { id: 'root', sizeBytes: 16 * mib },
      { id: 'data', sizeBytes: 8 * mib },
    ],
  };
  cloud.vms.set('web', vm);
  const change = async (
    index: number,
    work: (file: Awaited<ReturnType<typeof open>>) => Promise<unknown>,
  ): Promise<void> => {
    const path = cloud.disk(vm.disks[index]?.id ?? '');
    await appendFile(path, '');
    await using file = await open(path, 'r+');
    await work(file);
  };
  for (const [index, { sizeBytes }] of vm.disks.entries()) await change(index, (file) => file.truncate(sizeBytes));
  const write = (index: number, offset: number, length: number, byte: number): Promise<void> =>
    change(index, (file) => file.write(Buffer.alloc(length, byte), 0, length, offset));
  const reopen = () => createToySource({ url: cloud.url, key: toyKey }, join(cloud.folder, 'disks'), hurried);
  const platform = reopen();
  return {
    platform,
    reopen,
    calls: cloud.calls,
    vmId: 'web',
    environment: {},
    diskIds: ['root', 'data'],
    tracksChanges: true,
    isLive: true,
    async leftovers() {
      await cloud.settled();
      return cloud.list('exports').map(({ name }) => name);
    },
    write,
    zero: (index, offset, length) => write(index, offset, length, 0),
    content: (index) => readFile(cloud.disk(vm.disks[index]?.id ?? '')),
    async addDisk(sizeBytes, byte) {
      vm.disks.push({ id: 'added', sizeBytes });
      await write(2, 0, sizeBytes, byte);
      return 'added';
    },
    async growDisk(index, sizeBytes) {
      await truncate(cloud.disk(vm.disks[index]?.id ?? ''), sizeBytes);
      Object.assign(vm.disks[index] ?? {}, { sizeBytes });
    },
    spoil: async ({ id }) => cloud.remove(id),
    loseBase: async () => cloud.list('exports').forEach(({ id }) => cloud.remove(id)),
    async close() {
      await platform.close();
      await cloud.close();
    },
  };
}

async function toyDestination(): Promise<DestinationLab> {
  const cloud = await ToyCloud.start();
  return {
    ...cloud.calls,
    open: (which = 'right') =>
      createToyDestination({ url: cloud.url, key: which === 'right' ? toyKey : 'another key' }, hurried),
    environment,
    vm: {
      id: 'vm',
      name: 'web',
      os_type: 'linux',
      vcpus: 1,
      memory_mb: 512,
      disks: [
        { id: 'disk/0 [ds1] web.vmdk', size_bytes: 2 * gib },
        { id: 'disk-1', size_bytes: 700 * mib },
      ],
      nics: [{ id: 'nic-0', network: 'lan' }],
    },
    inventory: () => cloud.inventory(),
    volumeGib: (id) => cloud.find(id)?.['sizeGib'] as number | undefined,
    loseVolume: (id) => cloud.remove(id),
    violations: () => [],
    close: () => cloud.close(),
  };
}

async function toyDeployment(): Promise<DeploymentLab> {
  const cloud = await ToyCloud.start();
  return {
    ...cloud.calls,
    open: () => createToyDestination({ url: cloud.url, key: toyKey }, hurried),
    environment,
    vm: {
      id: 'vm',
      name: 'web 01',
      os_type: 'linux',
      vcpus: 1,
      memory_mb: 512,
      firmware: 'bios',
      disks: [
        { id: 'data', size_bytes: gib },
        { id: 'root', size_bytes: gib, bootable: true },
      ],
      nics: [
        { id: 'n0', network: 'lan' },
        { id: 'n1', network: 'mgmt' },
      ],
    },
    refused: [
      {
        about: 'a network without a mapping',
        environment: { network_map: { lan: 'blue' } },
        code: 'cloud.parameter-missing',
      },
      {
        about: 'an unknown network',
        environment: { network_map: { lan: 'blue', mgmt: 'pink' } },
        code: 'cloud.name-unknown',
      },
    ],
    inventory: () => cloud.inventory(),
    async writeMark(volumeId, mark) {
      await using file = await open(cloud.disk(volumeId), 'r+');
      await file.write(Buffer.from(mark.padEnd(markBytes)), 0, markBytes, mib);
    },
    async readMark(volumeId) {
      await using file = await open(cloud.disk(volumeId));
      return (await file.read(Buffer.alloc(markBytes), 0, markBytes, mib)).buffer.toString().trimEnd();
    },
    async server(id) {
      const server = cloud.find(id);
      if (server === undefined) return undefined;
      return {
        isRunning: server.status === 'READY',
        volumeIds: server['volumeIds'] as string[],
        nics: (server['nicIds'] as string[]).map((nicId) => ({
          id: nicId,
          macAddress: cloud.find(nicId)?.['mac'] as string,
        })),
        firmware: server['firmware'] as 'bios' | 'uefi',
      };
    },
    violations: () => [],
    close: () => cloud.close(),
  };
}

describeSourcePlatform('toy', toySource);
describeDestinationPlatform('toy', toyDestination);
describeDeploymentPlatform('toy', toyDeployment);
