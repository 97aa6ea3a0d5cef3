import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inFirstWay } from '../../electron/engine/platforms/virtualization-platform/disk-access/disk-access.ts';
import { vendorLibrary } from '../../electron/engine/platforms/virtualization-platform/disk-access/vendor-library-way.ts';
import {
  createVsphereSource,
  type VsphereConnection,
} from '../../electron/engine/platforms/virtualization-platform/source/index.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';
import { closeAll } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { MemoryDisk } from '../rigs/virtualization-platform/backing.ts';
import { ExportLeases } from '../rigs/virtualization-platform/export-lease/export-leases.ts';
import { startHttpsHost, type HttpsHost } from '../rigs/virtualization-platform/https-host.ts';
import { vsphereHarness, type VsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';
import { buildStandIn, vddkPlugin } from '../rigs/virtualization-platform/vendor-library/vddk-plugin.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;
type Access = NonNullable<VsphereConnection['disk_access']>;

describe('the same VM by each transport', () => {
  let lab: VsphereHarness;
  let exportHost: HttpsHost;
  let leases: ExportLeases;
  let folder = '';
  let notes: string[];
  let tags = 0;
  const opened: SourcePlatform[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-transports-'));
    notes = [];
    lab = await vsphereHarness();
    leases = new ExportLeases({
      origin: () => `https://*:${exportHost.port}`,
      sslThumbprint: () => exportHost.sslThumbprint,
    });
    exportHost = await startHttpsHost(leases.handle);
    lab.rig.world.leases = leases;
    // Runs that compress and runs that don't, with zeros between them.
    for (const [offset, length, byte] of [
      [0, 2 * MIB, 0x41],
      [3 * MIB + 512, 700_000, 0x42],
      [15 * MIB, MIB, 0x43],
    ] as const)
      await lab.write(0, offset, length, byte);
    await lab.write(1, 4 * MIB, 5000, 0x44);
  });
  afterEach(() =>
    closeAll(
      ...opened.splice(0).map((each) => () => each.close()),
      () => lab.close(),
      () => exportHost.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  const clock = hurriedClock(5);
  const context = () => ({
    scratchFolder: join(folder, 'scratch'),
    use: { replicaId: 'rep-1', executionId: 'exe-1', note: (message: string) => void notes.push(message) },
  });
  const source = (access: Access): SourcePlatform => {
    const made = createVsphereSource({ ...lab.rig.connection, disk_access: access }, context(), {
      clock,
      random: () => 0,
      backOff: { attempts: 4, firstMs: 1, capMs: 5 },
    });
    opened.push(made);
    return made;
  };
  /** A source with the stand-in for the vendor's library, which serves the files of the rig's snapshots as they are now. */
  const withLibrary = async (): Promise<SourcePlatform> => {
    const { host, port, username, password, ca_certificate: caCertificate = '' } = lab.rig.connection;
    const place = await mkdtemp(join(folder, 'library-'));
    await mkdir(join(place, 'images'));
    const disks: Record<string, string> = {};
    for (const [id, frozen] of lab.vm.snapshots) {
      for (const { disk, content } of frozen) {
        const image = join(place, 'images', `${disk.key}-${id}.raw`);
        await writeFile(image, await content.read(0, content.sizeBytes));
        disks[lab.rig.world.linkOf(lab.vm, id, disk)] = image;
      }
    }
    const thumbprint = new X509Certificate(caCertificate).fingerprint;
    await buildStandIn(place, '8.0.2', {
      log: join(place, 'calls.log'),
      user: username,
      password: String(password),
      thumbprint,
      disks,
    });
    const plugin = await vddkPlugin();
    const made = createVsphereSource(lab.rig.connection, context(), {
      clock,
      random: () => 0,
      backOff: { attempts: 4, firstMs: 1, capMs: 5 },
      access: (session) =>
        inFirstWay(
          [
            vendorLibrary(session, {
              folder: place,
              port: port ?? 443,
              user: username,
              password: String(password),
              caCertificate,
              allowUntrusted: false,
              plugin,
            }),
          ],
          (message) => void notes.push(message),
        ),
    });
    expect(host).toBeDefined();
    opened.push(made);
    return made;
  };
  const snapshot = (platform: SourcePlatform, base?: Snapshot) =>
    platform.createSnapshot(
      {
        vmId: lab.vmId,
        tag: `tag-${(tags += 1)}`,
        environment: { disklib_compatibility_version: '7.0' },
        ...(base === undefined ? {} : { base }),
      },
      signal,
    );
  const read = async (
    platform: SourcePlatform,
    of: Snapshot,
    index: number,
    base?: Snapshot,
    former?: Buffer,
  ): Promise<DiskRead> => {
    const reader = await platform.openDisk(of, lab.diskIds[index] ?? '', base, signal);
    try {
      return await readOnto(reader, former, signal);
    } finally {
      await reader.close();
    }
  };

  it.each(['data_port', 'vendor_library', 'datastore_files', 'export', 'auto'] as const)(
    '%s gives the bytes of a first and of a further execution',
    async (access) => {
      const control = source('auto');
      const reading = () => (access === 'vendor_library' ? withLibrary() : Promise.resolve(source(access)));
      const base = await snapshot(control);
      const first = await reading();
      const replicas: Buffer[] = [];
      for (const index of [0, 1]) {
        const result = await read(first, base, index);
        expect(firstDifference(result.replica, await lab.content(index)), `disk ${index}`).toBeUndefined();
        replicas.push(result.replica);
      }
      await control.promoteToBase(base, undefined, signal);
      await lab.write(0, 5 * MIB, 65_536, 0x51);
      await lab.zero(0, 0, 131_072);
      const next = await snapshot(control, base);
      const result = await read(await reading(), next, 0, base, replicas[0]);
      expect(result.coverage).toBe('changed');
      expect(result.dataBytes).toBeLessThanOrEqual(3 * 65_536);
      expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
      await control.promoteToBase(next, base, signal);
      expect(await lab.leftovers()).toEqual([]);
      expect(leases.ends()).not.toContain(undefined);
      expect(leases.ends().length > 0).toBe(access === 'export');
      if (access === 'export')
        expect(notes.join('\n')).toMatch(
          /received as a whole, from its beginning[^]*received as a whole although only its changes are needed/,
        );
    },
  );

  it('reads two disks of one export at a time, and renews a session that ended in between', async () => {
    const platform = source('export');
    const taken = await snapshot(platform);
    const readers = await Promise.all(lab.diskIds.map((id) => platform.openDisk(taken, id, undefined, signal)));
    lab.rig.world.expireSessions();
    const results = await Promise.all(readers.map((reader) => readOnto(reader, undefined, signal)));
    for (const [index, { replica }] of results.entries())
      expect(firstDifference(replica, await lab.content(index))).toBeUndefined();
    await Promise.all(readers.map((reader) => reader.close()));
    expect(leases.ends()).toEqual(['completed']);
    await platform.discardSnapshot(taken, undefined, signal);
  });

  it('reads no ciphertext from the files of an encrypted disk', async () => {
    lab.vm.isRunning = false;
    const { key } = lab.rig.world.addDisk(lab.vm, new MemoryDisk(MIB), { isEncrypted: true });
    const platform = source('datastore_files');
    const taken = await snapshot(platform);
    await expect(platform.openDisk(taken, String(key), undefined, signal)).rejects.toMatchObject({
      code: 'source.unsupported',
      message: expect.stringContaining('Hard disk 3 of VM') as string,
    });
    await (await platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal)).close();
    await platform.discardSnapshot(taken, undefined, signal);
  });

  it('takes no other way than the one that the endpoint names', async () => {
    // On top of a foreign snapshot the disk is no flat file.
    const foreign = await lab.rig.takeSnapshot(lab.vm, 'by hand');
    const platform = source('datastore_files');
    const taken = await snapshot(platform);
    await expect(platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal)).rejects.toMatchObject({
      code: 'source.unsupported',
      message: expect.stringContaining('snapshot') as string,
    });
    expect(leases.ends()).toEqual([]);
    await platform.discardSnapshot(taken, undefined, signal);
    await lab.rig.removeSnapshot(lab.vm, foreign);
  });
});
