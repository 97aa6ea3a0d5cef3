import { open as openFile, readFile } from 'node:fs/promises';
import { fixedVhdFooter } from '../../../electron/engine/images/vhd-footer.ts';
import { createAzureSource } from '../../../electron/engine/platforms/resource-group-cloud/source/index.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock, patientRequestMs } from '../hurried-clock.ts';
import { keyOf, type BlobRecord } from './blobs/accounts.ts';
import type { DataDisk, OsDisk, VirtualMachineRecord } from './records.ts';
import { startAzureLab, stockVm, type AzureLab } from './source-lab.ts';

const MIB = 2 ** 20;
const footerBytes = 512;
const account = 'vmdisks';
const container = 'vhds';

/** A blob of an account as the VHD of a disk. */
async function stockVhd({ cloud, blobs: { world } }: AzureLab, name: string, sizeBytes: number): Promise<BlobRecord> {
  const blob = await world.accounts.stock({ account, container, name }, sizeBytes + footerBytes);
  await cloud.world.ground.files.write(blob.fileId, sizeBytes, fixedVhdFooter(sizeBytes));
  blob.isLeased = true;
  return blob;
}

const addressOf = ({ blobs }: AzureLab, { name }: BlobRecord): string =>
  `${blobs.url}/${account}/${container}/${encodeURI(name)}`;
const attached = (lab: AzureLab, blob: BlobRecord): object => ({
  name: blob.name.replace('.vhd', ''),
  createOption: 'Attach',
  diskSizeGB: (blob.bytes - footerBytes) / 2 ** 30,
  vhd: { uri: addressOf(lab, blob) },
});

export interface UnmanagedVm {
  readonly lab: AzureLab;
  readonly vm: VirtualMachineRecord;
  readonly blobs: BlobRecord[];
  attach(name: string, sizeBytes: number): Promise<BlobRecord>;
}

/** A running VM of generation 1, as it was made before there were managed disks. */
export async function unmanagedVm(): Promise<UnmanagedVm> {
  const lab = await startAzureLab({ storageAccounts: ['others', account] });
  const { cloud } = lab;
  const vm = await stockVm(cloud, { name: 'old', disks: [{ name: 'unused', sizeBytes: MIB }] });
  cloud.world.disks.clear();
  const blobs = [await stockVhd(lab, 'old-os.vhd', 16 * MIB), await stockVhd(lab, 'old/data 1.vhd', 8 * MIB)];
  const { storageProfile } = vm.properties;
  const show = (): void => {
    const [os, ...data] = blobs;
    if (os === undefined) throw new Error('a VM has a disk');
    storageProfile.osDisk = { osType: 'Linux', ...attached(lab, os) } as unknown as OsDisk;
    storageProfile.dataDisks = data.map((each, lun) => ({ lun, ...attached(lab, each) }) as unknown as DataDisk);
  };
  show();
  return {
    lab,
    vm,
    blobs,
    async attach(name, sizeBytes) {
      const blob = await stockVhd(lab, name, sizeBytes);
      blobs.push(blob);
      show();
      return blob;
    },
  };
}

/** The same as a source for the conformance suite. */
export async function unmanagedHarness(): Promise<SourceHarness & UnmanagedVm> {
  await using stack = new AsyncDisposableStack();
  const made = await unmanagedVm();
  const { lab, blobs } = made;
  stack.adopt(lab, closing);
  const { cloud } = lab;
  const { accounts } = lab.blobs.world;
  const idOf = (blob: BlobRecord | undefined): string => `${account}/${container}/${blob?.name ?? ''}`;
  const fileOf = (index: number): string => cloud.world.ground.files.path(blobs[index]?.fileId ?? '');
  const sizeOf = (index: number): number => (blobs[index]?.bytes ?? 0) - footerBytes;
  const folder = await temporaryFolder(stack, 'causeway-azure-unmanaged-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const use = { replicaId: 'rep-1', executionId: 'exe-1', note: () => undefined };
  const timing = {
    backOff: { attempts: 4, firstMs: 1, capMs: 5 },
    requestMs: patientRequestMs,
    pollFirstMs: 3,
    pollCapMs: 5,
    looksBeforeCreatingAgain: 2,
  };
  const reopen = (process?: MortalProcess) =>
    createAzureSource(
      lab.connection,
      {
        scratchFolder: folder,
        use,
        ledger: ledgerScope(process === undefined ? store.ledger : process.ledger(store.ledger), {
          endpointId: 'end-1',
          ...use,
          side: 'source',
        }),
      },
      { clock: lab.clock, random: () => 0, timing },
    );
  const platform = stack.adopt(reopen(), closing);
  const fill = async (index: number, offset: number, length: number, byte: number): Promise<void> => {
    await using file = await openFile(fileOf(index), 'r+');
    await file.write(Buffer.alloc(length, byte), 0, length, offset);
  };
  const lose = async (blob: BlobRecord): Promise<void> => {
    accounts.blobs.delete(keyOf(blob));
    await cloud.world.ground.files.remove(blob.fileId);
  };
  const opened = stack.move();
  return {
    ...made,
    platform,
    reopen,
    calls: lab.calls,
    vmId: `${cloud.resourceGroup}/old`,
    environment: { resource_group: cloud.resourceGroup },
    diskIds: blobs.map(idOf),
    tracksChanges: true,
    isLive: true,
    async leftovers() {
      return [
        ...cloud.world.leftovers(),
        ...[...accounts.blobs.values()]
          .filter(({ snapshot }) => snapshot !== '')
          .map(({ name, snapshot }) => `snapshot ${name} ${snapshot}`),
      ];
    },
    write: fill,
    zero: (index, offset, length) => fill(index, offset, length, 0),
    content: async (index) => (await readFile(fileOf(index))).subarray(0, sizeOf(index)),
    async addDisk(sizeBytes, byte) {
      const blob = await made.attach('old-added.vhd', sizeBytes);
      await cloud.world.ground.files.write(blob.fileId, 0, Buffer.alloc(sizeBytes, byte));
      return idOf(blob);
    },
    async growDisk(index, sizeBytes) {
      const blob = blobs[index];
      if (blob === undefined) throw new Error('no such disk');
      const before = blob.bytes;
      await cloud.world.ground.files.grow(blob.fileId, sizeBytes + footerBytes);
      // The footer moves to the new end.
      await cloud.world.ground.files.write(blob.fileId, before - footerBytes, Buffer.alloc(footerBytes));
      await cloud.world.ground.files.write(blob.fileId, sizeBytes, fixedVhdFooter(sizeBytes));
      blob.bytes = sizeBytes + footerBytes;
    },
    async spoil(snapshot) {
      const marks = snapshot.state['disks'] as Readonly<Record<string, Readonly<Record<string, string>>>>;
      const time = new URL(marks[idOf(blobs[0])]?.['snapshotId'] ?? '').searchParams.get('snapshot');
      for (const blob of [...accounts.blobs.values()].filter((each) => each.snapshot === time)) await lose(blob);
    },
    async loseBase() {
      for (const blob of [...accounts.blobs.values()].filter(({ snapshot }) => snapshot !== '')) await lose(blob);
    },
    close: () => opened.disposeAsync(),
  };
}
