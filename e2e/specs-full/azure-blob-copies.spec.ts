import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { azureHarness, type AzureHarness } from '../rigs/resource-group-cloud/source-harness.ts';

const MIB = 2 ** 20;
const KIB = 1024;
const signal = new AbortController().signal;
const environment = { storage_account_name: 'staging', storage_container_name: 'exports' };
const open = (): Promise<AzureHarness> => azureHarness({ storageAccounts: ['others', 'staging'] }, environment);

describeSourcePlatform('resource-group-cloud with copies in a storage account', open, { faults: 2, crashes: 1 });

describe('a VM of Azure whose snapshots are copied to a storage account', () => {
  let lab: AzureHarness;
  let tags = 0;
  beforeEach(async () => {
    lab = await open();
    await lab.write(0, MIB, 2 * MIB, 0x11);
  });
  afterEach(() => lab.close());

  const snapshot = (base?: Snapshot) =>
    lab.platform.createSnapshot(
      {
        vmId: lab.vmId,
        tag: `tag-${(tags += 1)}`,
        environment: lab.environment,
        ...(base === undefined ? {} : { base }),
      },
      signal,
    );
  const read = async (of: Snapshot, base?: Snapshot, former?: Buffer): Promise<DiskRead> => {
    const reader = await lab.platform.openDisk(of, lab.diskIds[0] ?? '', base, signal);
    try {
      return await readOnto(reader, former, signal);
    } finally {
      await reader.close();
    }
  };
  const pathsOf = (operation: string): string[] =>
    lab.lab.recorded.filter((call) => call.operation === operation).map(({ path }) => path);
  const blobs = (): string[] =>
    [...lab.lab.blobs.world.accounts.blobs.values()].map(({ account, container }) => `${account}/${container}`);
  const whole = async (one: DiskRead): Promise<void> =>
    expect(firstDifference(one.replica, await lab.content(0))).toBeUndefined();

  it('is read from blobs of the container, which is made, and never by the address of a snapshot; the copies go with the execution', async () => {
    await lab.platform.prepare?.(lab.vmId, lab.environment, signal);
    const taken = await snapshot();
    const copy = await read(taken);
    await whole(copy);
    expect(blobs()).toEqual(['staging/exports']);
    expect(lab.lab.blobs.world.accounts.containers).toContain('staging/exports');
    for (const path of [...pathsOf('GetBlob'), ...pathsOf('GetPageRanges')])
      expect(path).toMatch(/^\/staging\/exports\//);
    // The address that was copied from is revoked as soon as the copy is complete.
    expect(lab.lab.blobs.world.grants.size).toBe(0);
    await lab.platform.promoteToBase(taken, undefined, signal);
    expect(blobs()).toEqual([]);

    await lab.write(0, 4 * MIB, 64 * KIB, 0x44);
    const next = await snapshot(taken);
    const increment = await read(next, taken, copy.replica);
    expect([increment.coverage, increment.dataBytes]).toEqual(['changed', 64 * KIB]);
    await whole(increment);
    for (const path of pathsOf('GetBlob')) expect(path).toMatch(/^\/staging\/exports\//);
    await lab.platform.promoteToBase(next, taken, signal);
    await lab.platform.deleteBase(next, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('is compared as a whole where lists of changes are denied, which is said', async () => {
    const taken = await snapshot();
    const copy = await read(taken);
    await lab.platform.promoteToBase(taken, undefined, signal);
    await lab.write(0, 4 * MIB, 64 * KIB, 0x44);
    lab.lab.blobs.faults.add({
      operation: 'GetPageRangesDiff',
      times: 100,
      effect: 'refused',
      status: 403,
      code: 'AuthorizationFailure',
    });
    const next = await snapshot(taken);
    const increment = await read(next, taken, copy.replica);
    expect(increment.coverage).toBe('allocated');
    await whole(increment);
    expect(lab.notes.join('\n')).toContain('does not tell what changed on disk');
    expect(lab.lab.blobs.world.grants.size).toBe(0);
  });

  it('fails with the reason of a copy that fails, and makes another one the next time', async () => {
    lab.lab.blobs.world.copyMs = 3600_000;
    const taken = await snapshot();
    const failed = read(taken).catch((error: unknown) => error);
    await expect.poll(blobs).toHaveLength(1);
    for (const { properties } of lab.lab.cloud.world.snapshots.values()) lab.lab.blobs.revoke(properties.uniqueId);
    expect(await failed).toMatchObject({
      code: 'cloud.operation-failed',
      message: expect.stringContaining('failed 403 AuthenticationFailed') as unknown,
    });
    expect(blobs()).toEqual([]);
    lab.lab.blobs.world.copyMs = 5;
    await whole(await read(taken));
  });

  it('leaves no copy behind when it is called off while the cloud copies', async () => {
    lab.lab.blobs.world.copyMs = 3600_000;
    // As after a process that was killed: the address is good until its time is over, and the cloud goes on.
    lab.lab.blobs.world.accounts.isReadable = () => true;
    const taken = await snapshot();
    const cancel = new AbortController();
    const opened = lab.platform
      .openDisk(taken, lab.diskIds[0] ?? '', undefined, cancel.signal)
      .catch((error: unknown) => error);
    await expect.poll(blobs).toHaveLength(1);
    // It cannot be renewed while the cloud copies, and is good for a day.
    expect([...lab.lab.blobs.world.grants.values()].map(({ access, seconds }) => [access, seconds])).toEqual([
      ['Read', 86_400],
    ]);
    cancel.abort();
    await opened;
    expect(await lab.platform.listManaged?.(signal)).toContainEqual(
      expect.objectContaining({ kind: 'volume', replicaId: 'rep-1' }),
    );
    await lab.platform.discardSnapshot(taken, undefined, signal);
    expect(pathsOf('Blob_AbortCopyFromURL')).toHaveLength(1);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('is refused before anything is made where the account is not in the resource group, or has no page blobs', async () => {
    const { world } = lab.lab.cloud;
    const prepare = (more: object) => lab.platform.prepare?.(lab.vmId, { ...lab.environment, ...more }, signal);
    await expect(prepare({ storage_account_name: 'nobodys' })).rejects.toMatchObject({
      code: 'cloud.name-unknown',
      details: { parameter: 'storage_account_name' },
    });
    for (const account of world.storageAccounts.values())
      if (account.name === 'others') Object.assign(account, { kind: 'BlockBlobStorage' });
    await expect(prepare({ storage_account_name: 'others' })).rejects.toMatchObject({
      code: 'general.invalid-input',
      details: { parameter: 'storage_account_name' },
    });
    await prepare({});
    expect(await lab.leftovers()).toEqual([]);
  });
});
