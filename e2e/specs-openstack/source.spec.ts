import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExportLab, type ExportLab } from '../rigs/open-source-cloud/export-lab.ts';
import { leftInOrigin, startOriginServer, type OriginServer } from '../rigs/open-source-cloud/origin-server.ts';

const MiB = 1024;
const mib = 1024 * 1024;

let exporting: ExportLab;

beforeAll(async () => {
  exporting = await startExportLab();
});
afterAll(() => exporting?.close());

/** Executes and compares. Resolves with the bytes that crossed the link. */
async function replicate(
  name: string,
  server: OriginServer,
  pool?: string,
  files?: Record<string, string>,
): Promise<number> {
  const execution = await exporting.lab.execute(name);
  expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(await exporting.difference(name, server, pool, files)).toBeUndefined();
  return exporting.bytesSent(execution);
}

describe('a server that boots from a volume', () => {
  let server: OriginServer;
  beforeAll(async () => {
    server = await startOriginServer(exporting.cloud, { name: 'origin-web', boots: 'volume' });
    await server.scribble('vda', 10 * MiB, 20 * MiB);
  });
  afterAll(() => server?.close());

  it('is listed and described with its disks and networks', async () => {
    const vms = await exporting.lab.use((core) => core.call('vm.list', { endpoint: 'origin' }));
    expect(vms.find(({ id }) => id === server.id)).toMatchObject({
      name: 'origin-web',
      os_type: 'linux',
      power: 'running',
      diskCount: 1,
      totalBytes: 1024 * mib,
    });
    const vm = await exporting.lab.use((core) => core.call('vm.show', { endpoint: 'origin', vm: server.id }));
    expect(vm).toMatchObject({
      firmware: 'bios',
      disks: [{ id: server.volumeIds[0], size_bytes: 1024 * mib, storage_backend: 'standard', bootable: true }],
    });
    expect(vm.nics).toMatchObject([
      { ip_addresses: [expect.stringMatching(/^10\.71\.0\./)], mac_address: expect.stringMatching(/^fa:16:3e/) },
    ]);
  });

  describe.each(['distributed_snapshots', 'objectstore_backups', 'distributed_backups', 'service_backups'])(
    'by %s',
    (mechanism) => {
      beforeAll(async () => exporting.createReplica(mechanism, server.id, await exporting.mechanism(mechanism)));

      it('is replicated byte for byte', async () => {
        expect(await replicate(mechanism, server)).toBeGreaterThan(19 * mib);
      });

      it('sends what the guest changed since, and little more', async () => {
        await server.scribble('vda', 200 * MiB, 192);
        await server.guest('dd if=/dev/zero of=/dev/vda bs=1M seek=12 count=1 conv=fsync,notrunc');
        const sent = await replicate(mechanism, server);
        expect(sent).toBeGreaterThanOrEqual(192 * 1024);
        expect(sent).toBeLessThan(400 * 1024);
        await server.scribble('vda', 12 * MiB, MiB);
      });

      it('leaves nothing once the replica is deleted', async () => {
        await exporting.lab.use((core) => core.call('replica.delete', { replica: mechanism }));
        expect(await leftInOrigin(exporting.cloud)).toEqual([]);
      });
    },
  );
});

describe('a server whose flavor adds an ephemeral and a swap disk', () => {
  let server: OriginServer;
  beforeAll(async () => {
    server = await startOriginServer(exporting.cloud, { name: 'origin-local', boots: 'volume', flavor: 'rig.local' });
    await exporting.createReplica('local', server.id, await exporting.mechanism('distributed_snapshots'));
  });
  afterAll(() => server?.close());

  it('has its volume replicated, and is said to have what no replica carries', async () => {
    expect((await server.guest('cat /proc/partitions')).match(/vd[a-z]$/gm)).toEqual(['vda', 'vdb', 'vdc']);
    await replicate('local', server);
    const events = await exporting.lab.use((core) => core.call('execution.events', {}));
    const notes = events.filter(({ type }) => type === 'note').map(({ message }) => message);
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^origin-local has ephemeral disks of 1 GiB/),
        expect.stringMatching(/^origin-local has a swap disk of 64 MiB/),
      ]),
    );
    await exporting.lab.use((core) => core.call('replica.delete', { replica: 'local' }));
  });
});

describe('a server that boots from an image, with a volume on another back end', () => {
  let server: OriginServer;
  let root: Record<string, string>;
  beforeAll(async () => {
    server = await startOriginServer(exporting.cloud, {
      name: 'origin-db',
      boots: 'image',
      more: [{ type: 'archive', sizeGib: 1 }],
    });
    await server.scribble('vda', 5 * MiB, 4 * MiB);
    await server.scribble('vdb', 900 * MiB, 8 * MiB);
    root = { [`root-${server.id}`]: join(exporting.cloud.folder, 'nova', 'instances', server.id, 'disk') };
    const service_backups_options = {
      ...exporting.exportOptions,
      export_flavor_name: 'rig.worker',
      export_worker_boot_from_volume: true,
      export_worker_volume_size: 1,
      export_interim_volume_type: 'archive',
    };
    await exporting.createReplica('db', server.id, {
      replica_export_mechanism: 'service_backups',
      service_backups_options,
    });
  });
  afterAll(() => server?.close());

  it('is replicated by a worker, its root disk by way of an image', async () => {
    expect(await replicate('db', server, 'archive', { ...root })).toBeGreaterThan(11 * mib);
  });

  it('sends what changed on either disk', async () => {
    await server.scribble('vda', 6 * MiB, 64);
    await server.scribble('vdb', 100 * MiB, 128);
    const sent = await replicate('db', server, 'archive', { ...root });
    expect(sent).toBeGreaterThanOrEqual(192 * 1024);
    expect(sent).toBeLessThan(400 * 1024);
  });

  it('leaves nothing once the replica is deleted', async () => {
    await exporting.lab.use((core) => core.call('replica.delete', { replica: 'db' }));
    expect(await leftInOrigin(exporting.cloud)).toEqual([]);
  });
});
