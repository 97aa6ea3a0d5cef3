import { open as openFile, readFile } from 'node:fs/promises';
import type { AzureContext } from '../../../electron/engine/platforms/resource-group-cloud/destination/session.ts';
import { createAzureSource } from '../../../electron/engine/platforms/resource-group-cloud/source/index.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { SourcePlatform } from '../../../electron/engine/ports/source-platform.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock, patientRequestMs } from '../hurried-clock.ts';
import type { DiskRecord } from './records.ts';
import type { ResourceGroupCloudOptions } from './start.ts';
import { startAzureLab, stockDisk, stockVm, type AzureLab } from './source-lab.ts';

const MIB = 2 ** 20;

export interface AzureHarness extends SourceHarness {
  readonly lab: AzureLab;
  /** What people were told. */
  readonly notes: string[];
  /** The source of an endpoint with more in its connection. The test closes it. */
  openWith(connection: JsonObject, options?: AzureContext): SourcePlatform;
}

/**
 * A running VM with two disks on the simulated cloud, and a source with a ledger.
 *
 * @param environment more of the source's environment
 */
export async function azureHarness(
  options: ResourceGroupCloudOptions = {},
  environment: JsonObject = {},
): Promise<AzureHarness> {
  await using stack = new AsyncDisposableStack();
  const lab = stack.adopt(await startAzureLab(options), closing);
  const { cloud, blobs } = lab;
  const { world } = cloud;
  const vm = await stockVm(cloud, {
    name: 'web',
    disks: [
      { name: 'web-os', sizeBytes: 16 * MIB },
      { name: 'web-data', sizeBytes: 8 * MIB },
    ],
  });
  const diskOf = (id: string): DiskRecord => {
    const disk = [...world.disks.values()].find((one) => `${cloud.resourceGroup}/${one.name}` === id);
    if (disk === undefined) throw new Error(`no disk ${id}`);
    return disk;
  };
  const diskIds = [`${cloud.resourceGroup}/web-os`, `${cloud.resourceGroup}/web-data`];
  const folder = await temporaryFolder(stack, 'causeway-azure-source-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const notes: string[] = [];
  const use = { replicaId: 'rep-1', executionId: 'exe-1', note: (message: string) => void notes.push(message) };
  const timing = {
    backOff: { attempts: 4, firstMs: 1, capMs: 5 },
    requestMs: patientRequestMs,
    pollFirstMs: 3,
    pollCapMs: 5,
    looksBeforeCreatingAgain: 2,
  };
  const open = (connection: JsonObject, process?: MortalProcess, more: AzureContext = {}) =>
    createAzureSource(
      connection,
      {
        scratchFolder: folder,
        use,
        ledger: ledgerScope(process === undefined ? store.ledger : process.ledger(store.ledger), {
          endpointId: 'end-1',
          ...use,
          side: 'source',
        }),
      },
      { clock: lab.clock, random: () => 0, timing, ...more },
    );
  const reopen = (process?: MortalProcess) => open(lab.connection, process);
  const platform = stack.adopt(reopen(), closing);
  const change = async (
    index: number,
    work: (file: Awaited<ReturnType<typeof openFile>>) => Promise<unknown>,
  ): Promise<void> => {
    await using file = await openFile(world.ground.files.path(diskOf(diskIds[index] ?? '').properties.uniqueId), 'r+');
    await work(file);
  };
  const fill = (index: number, offset: number, length: number, byte: number): Promise<void> =>
    change(index, (file) => file.write(Buffer.alloc(length, byte), 0, length, offset));
  const opened = stack.move();
  return {
    lab,
    notes,
    openWith: (connection, more) => open({ ...lab.connection, ...connection }, undefined, more),
    platform,
    reopen,
    calls: lab.calls,
    vmId: `${cloud.resourceGroup}/web`,
    environment: { location: 'West Europe', resource_group: cloud.resourceGroup, ...environment },
    diskIds,
    tracksChanges: true,
    isLive: true,
    async leftovers() {
      const shared = [...world.snapshots.values(), ...world.disks.values()]
        .filter(({ properties }) => blobs.hasAccess(properties.uniqueId))
        .map(({ name }) => `address of ${name}`);
      return [
        ...world.leftovers(),
        ...shared,
        ...[...blobs.world.accounts.blobs.values()].map(({ container, name }) => `blob ${container}/${name}`),
      ];
    },
    write: fill,
    zero: (index, offset, length) => fill(index, offset, length, 0),
    content: (index) => readFile(world.ground.files.path(diskOf(diskIds[index] ?? '').properties.uniqueId)),
    async addDisk(sizeBytes, byte) {
      const disk = await stockDisk(cloud, { name: 'web-added', sizeBytes });
      await world.ground.files.write(disk.properties.uniqueId, 0, Buffer.alloc(sizeBytes, byte));
      disk.managedBy = vm.id;
      const { storageProfile } = vm.properties;
      storageProfile.dataDisks = [
        ...storageProfile.dataDisks,
        { lun: 7, name: disk.name, createOption: 'Attach', managedDisk: { id: disk.id } },
      ];
      return `${cloud.resourceGroup}/web-added`;
    },
    async growDisk(index, sizeBytes) {
      const { properties } = diskOf(diskIds[index] ?? '');
      await world.ground.files.grow(properties.uniqueId, sizeBytes);
      Object.assign(properties, { diskSizeBytes: sizeBytes, diskSizeGB: Math.ceil(sizeBytes / 2 ** 30) });
    },
    async spoil(snapshot) {
      const marks = snapshot.state['disks'] as Readonly<Record<string, Readonly<Record<string, string>>>>;
      await loseSnapshot(lab, marks[diskIds[0] ?? '']?.['snapshotId'] ?? '');
    },
    async loseBase() {
      for (const id of [...world.snapshots.keys()]) await loseSnapshot(lab, id);
    },
    close: () => opened.disposeAsync(),
  };
}

/** As somebody removes it at the cloud's own page. */
async function loseSnapshot({ cloud: { world }, blobs }: AzureLab, id: string): Promise<void> {
  const snapshot = world.snapshots.get(id.toLowerCase());
  if (snapshot === undefined) return;
  blobs.revoke(snapshot.properties.uniqueId);
  world.snapshots.delete(id.toLowerCase());
  await world.ground.files.remove(snapshot.properties.uniqueId);
}
