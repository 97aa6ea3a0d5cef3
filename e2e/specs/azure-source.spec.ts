import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAzure } from '../../electron/engine/platforms/resource-group-cloud/client/open-azure.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { azureHarness, type AzureHarness } from '../rigs/resource-group-cloud/source-harness.ts';
import { stockVm } from '../rigs/resource-group-cloud/source-lab.ts';
import { canRun } from '../../scripts/test/needs.ts';

const MIB = 2 ** 20;
const KIB = 1024;
const signal = new AbortController().signal;

describe('the resource-group cloud as a source', () => {
  let lab: AzureHarness;
  let tags = 0;
  beforeEach(async () => {
    lab = await azureHarness();
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
  const called = (operation: string): number => lab.lab.recorded.filter((call) => call.operation === operation).length;
  const expireAll = (): void => {
    for (const { properties } of lab.lab.cloud.world.snapshots.values()) lab.lab.blobs.expire(properties.uniqueId);
  };

  it('opens addresses late, shares them, renews those that expire in the middle of a first copy and of an increment, and revokes them', async () => {
    const taken = await snapshot();
    const readers = await Promise.all(
      [0, 1].map(() => lab.platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal)),
    );
    expect(called('Snapshots_GrantAccess')).toBe(0);
    const [first, second] = readers;
    if (first === undefined || second === undefined) throw new Error('two readers');
    const copy = await readOnto(first, undefined, signal);
    expireAll();
    expect(firstDifference((await readOnto(second, undefined, signal)).replica, copy.replica)).toBeUndefined();
    expect(called('Snapshots_GrantAccess')).toBe(2);
    await first.close();
    expect(called('Snapshots_RevokeAccess')).toBe(0);
    await second.close();
    expect(await lab.leftovers()).toHaveLength(2);
    await lab.platform.promoteToBase(taken, undefined, signal);

    await lab.write(0, 4 * MIB, 64 * KIB, 0x44);
    const next = await snapshot(taken);
    const reader = await lab.platform.openDisk(next, lab.diskIds[0] ?? '', taken, signal);
    const increment = await readOnto(reader, copy.replica, signal);
    expireAll();
    const again = await readOnto(reader, copy.replica, signal);
    await reader.close();
    for (const one of [increment, again]) {
      expect([one.coverage, one.dataBytes]).toEqual(['changed', 64 * KIB]);
      expect(firstDifference(one.replica, await lab.content(0))).toBeUndefined();
    }
    await lab.platform.promoteToBase(next, taken, signal);
    expect(lab.notes.at(-1)).toMatch(
      /^Snapshots were read directly: \d+ requests \(\d+ per GiB read\), \d+ of them lists of pages; the data costs about USD 0\.\d+ if it leaves Azure/,
    );
    // The snapshots of the last success, one for each disk, and no address.
    expect(await lab.leftovers()).toHaveLength(2);
    await lab.platform.deleteBase(next, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('asks again in halves where a list of ranges is cut', async () => {
    for (let index = 0; index < 40; index += 1) await lab.write(0, index * 256 * KIB, 4 * KIB, 1 + index);
    lab.lab.blobs.world.rangesPerAnswer = 7;
    const result = await read(await snapshot());
    expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
    expect(called('GetPageRanges')).toBeGreaterThan(10);
  });

  it('compares the whole disk when it was replaced by one of the same name', async () => {
    const base = await snapshot();
    await lab.platform.promoteToBase(base, undefined, signal);
    const { world } = lab.lab.cloud;
    for (const { properties } of world.disks.values()) {
      const uniqueId = `another-${properties.uniqueId}`;
      await world.ground.files.copy(properties.uniqueId, uniqueId);
      Object.assign(properties, { uniqueId });
    }
    const taken = await snapshot(base);
    const result = await read(taken, base);
    expect(result.coverage).toBe('allocated');
    expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
  });

  it('compares the whole disk when the service refuses to compare two snapshots, and says so', async () => {
    const base = await snapshot();
    await lab.platform.promoteToBase(base, undefined, signal);
    lab.lab.blobs.faults.add({
      operation: 'GetPageRangesDiff',
      times: 100,
      effect: 'refused',
      status: 409,
      code: 'PreviousSnapshotOperationNotSupported',
    });
    const taken = await snapshot(base);
    const result = await read(taken, base);
    expect(result.coverage).toBe('allocated');
    expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
    expect(lab.notes.join()).toMatch(/does not tell what changed on disk migration\/web-os/);
    await lab.platform.promoteToBase(taken, base, signal);
    expect(await lab.leftovers()).toHaveLength(2);
  });

  it('waits out throttling for as long as the service asks', async () => {
    const { faults } = lab.lab.cloud;
    faults.add({ operation: 'Snapshots_CreateOrUpdate', times: 2, effect: '429', retryAfterSeconds: 17 });
    lab.lab.blobs.faults.add({ operation: 'GetBlob', times: 2, effect: 'refused', status: 503, code: 'ServerBusy' });
    const result = await read(await snapshot());
    expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
    expect(called('Snapshots_CreateOrUpdate')).toBe(4);
  });

  it('signs in again when its tokens end before their time, once for all that read', async () => {
    const taken = await snapshot();
    const before = called('Token');
    lab.lab.cloud.signIn.revokeAll();
    const results = await Promise.all(
      lab.diskIds.map(async (diskId) => {
        const reader = await lab.platform.openDisk(taken, diskId, undefined, signal);
        const result = await readOnto(reader, undefined, signal);
        await reader.close();
        return result;
      }),
    );
    for (const [index, { replica }] of results.entries())
      expect(firstDifference(replica, await lab.content(index))).toBeUndefined();
    expect(called('Token') - before).toBe(1);
    lab.lab.cloud.signIn.revokeAll();
    await lab.platform.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('takes all disks again when an attempt before got some of them only', async () => {
    const { faults, world } = lab.lab.cloud;
    const request = { vmId: lab.vmId, tag: 'half', environment: lab.environment };
    faults.add({
      operation: 'Snapshots_CreateOrUpdate',
      times: 1,
      effect: 'refused',
      status: 403,
      code: 'RequestDisallowedByPolicy',
    });
    await expect(lab.platform.createSnapshot(request, signal)).rejects.toMatchObject({
      code: 'cloud.permission-denied',
    });
    const [first] = [...world.snapshots.values()];
    expect(world.snapshots.size).toBe(1);
    const taken = await lab.platform.createSnapshot(request, signal);
    expect(world.snapshots.size).toBe(2);
    expect([...world.snapshots.values()].map(({ name }) => name)).not.toContain(first?.name);
    expect((await lab.platform.createSnapshot(request, signal)).state).toEqual(taken.state);
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it('leaves no address behind when reading is called off while one is being granted', async () => {
    const taken = await snapshot();
    const reader = await lab.platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal);
    const stop = new AbortController();
    const reading = reader.read(0, new Uint8Array(512), stop.signal).catch((error: unknown) => error);
    await expect.poll(() => called('Snapshots_GrantAccess'), { timeout: 30_000 }).toBe(1);
    stop.abort();
    await Promise.all([reading, reader.close()]);
    expect(await lab.leftovers()).toHaveLength(2);
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it('names what is missing in the check, and as a custom role', async () => {
    lab.lab.cloud.world.permissions = [
      {
        actions: ['*/read', 'Microsoft.Compute/snapshots/*'],
        notActions: ['Microsoft.Compute/snapshots/endGetAccess/action'],
      },
    ];
    const { steps, passed } = await lab.platform.check(signal);
    expect(passed).toBe(true);
    const warnings = steps
      .filter(({ outcome }) => outcome === 'warning')
      .map(({ evidence }) => evidence)
      .join('\n');
    expect(warnings).toContain('Microsoft.Compute/snapshots/endGetAccess/action');
    expect(warnings).toContain('Microsoft.Compute/disks/beginGetAccess/action');
    expect(warnings).not.toContain('virtualMachines/read');
    const role = JSON.parse(lab.platform.policyDocument?.(lab.platform.policy?.() ?? []) ?? '') as {
      Actions: readonly string[];
      AssignableScopes: readonly string[];
    };
    expect(role.AssignableScopes).toEqual([`/subscriptions/${lab.lab.cloud.subscriptionId}`]);
    expect(role.Actions).toEqual(
      expect.arrayContaining([
        'Microsoft.Compute/snapshots/beginGetAccess/action',
        'Microsoft.Compute/virtualMachines/read',
      ]),
    );
  });

  it('finds a VM by its name where the environment says where, and not elsewhere', async () => {
    const { resourceGroup } = lab.lab.cloud;
    expect(
      (await lab.platform.describeVm('WEB', signal, { resource_group: resourceGroup, location: 'West Europe' })).id,
    ).toBe(lab.vmId);
    for (const [environment, parameter] of [
      [{ location: 'northeurope' }, 'location'],
      [{ resource_group: 'other' }, 'resource_group'],
    ] as const) {
      await expect(lab.platform.describeVm(lab.vmId, signal, environment)).rejects.toMatchObject({
        code: 'source.vm-not-found',
        details: { parameter },
      });
    }
  });

  it('describes generation 2 with secure boot, names special disks, and refuses what cannot be read', async () => {
    const { cloud } = lab.lab;
    const vm = await stockVm(cloud, {
      name: 'db',
      generation: 'V2',
      osType: 'Windows',
      securityProfile: { securityType: 'TrustedLaunch', uefiSettings: { secureBootEnabled: true } },
      tags: { team: 'data' },
      disks: [
        { name: 'db-os', sizeBytes: MIB },
        {
          name: 'db-log',
          sizeBytes: MIB,
          sku: 'UltraSSD_LRS',
          properties: {
            maxShares: 2,
            encryption: { type: 'EncryptionAtRestWithCustomerKey', diskEncryptionSetId: '/des' },
          },
        },
      ],
    });
    const id = `${cloud.resourceGroup}/db`;
    expect(await lab.platform.describeVm(id, signal)).toMatchObject({
      os_type: 'windows',
      firmware: 'uefi',
      secure_boot: true,
      disks: [{ bootable: true }, { storage_backend: 'UltraSSD_LRS' }],
    });
    expect((await lab.platform.listVms(signal)).find((one) => one.id === id)).toMatchObject({
      tags: ['team: data'],
      folder: `westeurope/${cloud.resourceGroup}`,
      power: 'running',
    });
    const remarks = (await lab.platform.unsupportedDevices?.(id, signal))?.join('\n');
    for (const word of ['temporary disk', 'several VMs', 'disk encryption set', 'background'])
      expect(remarks).toContain(word);
    await lab.platform.prepare(id, {}, signal);
    const disk = [...cloud.world.disks.values()].find(({ name }) => name === 'db-os');
    Object.assign(disk?.properties ?? {}, { encryptionSettingsCollection: { enabled: true } });
    await expect(lab.platform.prepare(id, {}, signal)).rejects.toMatchObject({
      code: 'source.unsupported',
      message: expect.stringContaining('Azure Disk Encryption') as unknown,
    });
    Object.assign(vm.properties, { securityProfile: { securityType: 'ConfidentialVM' } });
    await expect(lab.platform.prepare(id, {}, signal)).rejects.toMatchObject({
      message: expect.stringContaining('confidential') as unknown,
    });
    Object.assign(vm.properties.storageProfile.osDisk, {
      managedDisk: undefined,
      vhd: { uri: 'https://a.blob.invalid/vhds/db.vhd' },
    });
    await expect(lab.platform.prepare(id, {}, signal)).rejects.toMatchObject({
      message: expect.stringContaining('unmanaged') as unknown,
    });
  });

  it('plans an export worker in the words of its parameters where the endpoint reads by one, and only there', async () => {
    const { resourceGroup } = lab.lab.cloud;
    const platform = lab.openWith({ disk_access: 'export_worker', caller_address: '127.0.0.0/8' });
    const worker = {
      export_worker_size: 'Standard_D2s_v5',
      export_worker_image: { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' },
    };
    await platform.prepare(lab.vmId, { resource_group: resourceGroup, ...worker }, signal);
    for (const [more, parameter] of [
      [{ export_worker_size: undefined }, 'export_worker_size'],
      [{ export_worker_size: 'Standard_Q9' }, 'export_worker_size'],
      [{ export_worker_image: { ...worker.export_worker_image, sku: 'none' } }, 'export_worker_image'],
    ] as const) {
      const environment = JSON.parse(JSON.stringify({ ...worker, ...more })) as object;
      await expect(platform.prepare(lab.vmId, { ...environment }, signal)).rejects.toMatchObject({
        details: { parameter },
        message: expect.stringContaining('export_worker') as unknown,
      });
    }
    const small = { ...worker, export_worker_size: 'Standard_B1s' };
    await platform.prepare(lab.vmId, small, signal);
    await lab.addDisk(MIB, 1);
    await expect(platform.prepare(lab.vmId, small, signal)).rejects.toMatchObject({
      details: { parameter: 'export_worker_size' },
      message: expect.stringContaining('takes 2 data disks') as unknown,
    });
    await platform.close();
    await lab.platform.prepare(lab.vmId, { export_worker_size: 'Standard_Q9' }, signal);
  });

  it('shuts the guest down and deallocates the VM, once, and starts it again', async () => {
    await lab.platform.shutdown?.(lab.vmId, lab.environment, signal);
    await lab.platform.shutdown?.(lab.vmId, lab.environment, signal);
    expect(called('VirtualMachines_Deallocate')).toBe(1);
    expect((await lab.platform.listVms(signal))[0]?.power).toBe('stopped');
    await lab.platform.start?.(lab.vmId, lab.environment, signal);
    await lab.platform.start?.(lab.vmId, lab.environment, signal);
    expect(called('VirtualMachines_Start')).toBe(1);
    expect((await lab.platform.listVms(signal))[0]?.power).toBe('running');
  });

  it('offers choices and lists what it made', async () => {
    const options = await lab.platform.options(['regions', 'resource_groups', 'machine_types', 'unknown'], signal);
    expect(options).toMatchObject({
      regions: [{ name: 'westeurope' }],
      resource_groups: [{ name: lab.lab.cloud.resourceGroup }],
      unknown: [],
    });
    expect(options['machine_types']?.find(({ name }) => name === 'Standard_D2s_v5')?.description).toBe('2 vCPU, 8 GiB');
    const taken = await snapshot();
    expect(await lab.platform.listManaged?.(signal)).toEqual(
      [0, 1].map(
        () =>
          expect.objectContaining({
            kind: 'volume-snapshot',
            replicaId: 'rep-1',
            details: { resourceGroup: lab.lab.cloud.resourceGroup },
          }) as unknown,
      ),
    );
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it('tells neither secret nor signature when signing in or reading fails', async () => {
    const { connection } = lab.lab;
    const secret = connection.service_principal_credentials.client_secret;
    const wrong = openAzure(
      {
        ...connection,
        service_principal_credentials: { ...connection.service_principal_credentials, client_secret: `${secret}x` },
      },
      { clock: hurriedClock(2) },
    );
    const refused = await wrong.signIn(signal).catch((error: unknown) => error);
    wrong.close();
    expect(refused).toMatchObject({
      code: 'cloud.authentication-failed',
      message: expect.stringContaining('AADSTS7000215') as unknown,
      details: { code: 'AADSTS7000215' },
    });
    const taken = await snapshot();
    lab.lab.blobs.faults.add({
      operation: 'GetPageRanges',
      times: 100,
      effect: 'refused',
      status: 400,
      code: 'InvalidInput',
    });
    const failed = await read(taken).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CausewayError);
    const text = JSON.stringify([refused, failed].map((error) => (error as CausewayError).toRecord()));
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/sig=(?!…)/);
  });

  it.runIf(canRun('openssl'))('signs in with a certificate that the directory knows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-azure-certificate-'));
    try {
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
      await promisify(execFile)('openssl', [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-subj',
        '/CN=causeway',
        '-days',
        '2',
        '-keyout',
        key,
        '-out',
        certificate,
      ]);
      const [keyPem, certificatePem] = await Promise.all([readFile(key, 'utf8'), readFile(certificate, 'utf8')]);
      const { cloud, connection } = lab.lab;
      const open = () =>
        openAzure(
          {
            ...connection,
            service_principal_credentials: { client_id: cloud.clientId, client_certificate: certificatePem + keyPem },
          },
          { clock: hurriedClock(2) },
        );
      const [stranger, known] = [open(), open()];
      await expect(stranger.signIn(signal)).rejects.toMatchObject({ code: 'cloud.authentication-failed' });
      cloud.signIn.certificate = certificatePem;
      await known.signIn(signal);
      for (const one of [stranger, known]) one.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
