import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { unmanagedHarness } from '../rigs/resource-group-cloud/unmanaged-harness.ts';

const MIB = 2 ** 20;
const KIB = 1024;
const signal = new AbortController().signal;

describeSourcePlatform('resource-group-cloud with unmanaged disks', unmanagedHarness, { faults: 2, crashes: 1 });

describe('a VM of Azure with page blobs as disks', () => {
  let lab: Awaited<ReturnType<typeof unmanagedHarness>>;
  beforeEach(async () => {
    lab = await unmanagedHarness();
    await lab.write(0, MIB, 2 * MIB, 0x11);
  });
  afterEach(() => lab.close());

  const take = (tag: string, base?: Snapshot) =>
    lab.platform.createSnapshot(
      { vmId: lab.vmId, tag, environment: lab.environment, ...(base === undefined ? {} : { base }) },
      signal,
    );
  async function read(of: Snapshot, base?: Snapshot, former?: Buffer): Promise<DiskRead> {
    const reader = await lab.platform.openDisk(of, lab.diskIds[0] ?? '', base, signal);
    try {
      return await readOnto(reader, former, signal);
    } finally {
      await reader.close();
    }
  }

  it('is described with its disks, without their footers, and says what reading them needs', async () => {
    const vm = await lab.platform.describeVm(lab.vmId, signal, {});
    expect(vm.disks).toEqual([
      {
        id: 'vmdisks/vhds/old-os.vhd',
        size_bytes: 16 * MIB,
        bootable: true,
        bus: 'scsi',
        storage_backend: 'Standard_LRS',
      },
      {
        id: 'vmdisks/vhds/old/data 1.vhd',
        size_bytes: 8 * MIB,
        bootable: false,
        bus: 'scsi',
        storage_backend: 'Standard_LRS',
      },
    ]);
    expect(vm.firmware).toBe('bios');
    expect((await lab.platform.listVms(signal)).find(({ id }) => id === lab.vmId)).toMatchObject({
      diskCount: 2,
      totalBytes: 24 * MIB,
    });
    expect((await lab.platform.unsupportedDevices?.(lab.vmId, signal))?.join('\n')).toContain(
      'Storage Blob Data Contributor',
    );
    expect(lab.platform.policyDocument?.(lab.platform.policy?.() ?? [])).toContain(
      'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write',
    );
  });

  it('is read in full and then by what differs between two snapshots of its blob, without an address being granted', async () => {
    const first = await take('one');
    const full = await read(first);
    expect(firstDifference(full.replica, await lab.content(0))).toBeUndefined();
    await lab.platform.promoteToBase(first, undefined, signal);
    await lab.write(0, 4 * MIB, 64 * KIB, 0x44);
    await lab.zero(0, MIB, 64 * KIB);
    const second = await take('two', first);
    const increment = await read(second, first, full.replica);
    expect([increment.coverage, increment.dataBytes]).toEqual(['changed', 64 * KIB]);
    expect(firstDifference(increment.replica, await lab.content(0))).toBeUndefined();
    await lab.platform.promoteToBase(second, first, signal);
    expect(await lab.leftovers()).toHaveLength(2);
    expect(lab.lab.recorded.filter(({ operation }) => /GrantAccess|RevokeAccess/.test(operation))).toEqual([]);
    // What an orphan would be found by.
    expect((await lab.platform.listManaged?.(signal))?.map(({ kind, replicaId }) => [kind, replicaId])).toEqual([
      ['volume-snapshot', 'rep-1'],
      ['volume-snapshot', 'rep-1'],
    ]);
    await lab.platform.deleteBase(second, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('is read whole after its blob was written anew, and leaves no snapshot that a lost answer hid', async () => {
    const first = await take('one');
    await lab.platform.promoteToBase(first, undefined, signal);
    Object.assign(lab.blobs[0] ?? {}, { createdAt: 7 });
    lab.lab.blobs.faults.add({ operation: 'Blob_CreateSnapshot', effect: 'connection-reset-after' });
    const second = await take('two', first);
    const result = await read(second, first);
    expect(result.coverage).toBe('allocated');
    expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
    await lab.platform.promoteToBase(second, first, signal);
    await lab.platform.deleteBase(second, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('is refused with the reason where its blob is in no account that can be seen, is no VHD, or may not be read', async () => {
    const { accounts } = lab.lab.blobs.world;
    const [account] = [...lab.lab.cloud.world.storageAccounts.values()].filter(({ name }) => name === 'vmdisks');
    lab.lab.blobs.faults.add({
      operation: 'Blob_CreateSnapshot',
      times: 2,
      effect: 'refused',
      status: 403,
      code: 'AuthorizationPermissionMismatch',
    });
    await expect(take('denied')).rejects.toMatchObject({ code: 'cloud.permission-denied' });
    const blob = lab.blobs[0];
    await lab.lab.cloud.world.ground.files.write(blob?.fileId ?? '', 16 * MIB, Buffer.alloc(512));
    await expect(take('footless')).rejects.toMatchObject({
      code: 'source.snapshot-failed',
      message: expect.stringContaining('VHD of fixed size') as unknown,
    });
    expect([...accounts.blobs.values()].filter(({ snapshot, name }) => snapshot !== '' && name === blob?.name)).toEqual(
      [],
    );
    lab.lab.cloud.world.storageAccounts.delete(account?.id.toLowerCase() ?? '');
    await expect(lab.reopen().prepare(lab.vmId, {}, signal)).rejects.toMatchObject({
      code: 'cloud.permission-denied',
      message: expect.stringContaining('storageAccounts/read') as unknown,
    });
  });

  it('sends its token to no address that a record of before names outside of the subscription', async () => {
    const taken = await take('one');
    const disks = Object.fromEntries(
      lab.diskIds.map((id) => [
        id,
        {
          snapshotId: 'https://elsewhere.invalid/vmdisks/vhds/old-os.vhd?snapshot=2030-01-01T00:00:00.0010000Z',
          uniqueId: 'x',
          family: 'y',
        },
      ]),
    );
    const hostile = { ...taken, state: { ...taken.state, disks } };
    expect(await lab.platform.isAlive(hostile, signal)).toBe(false);
    await expect(read(hostile)).rejects.toMatchObject({ code: 'source.snapshot-lost' });
  });
});
