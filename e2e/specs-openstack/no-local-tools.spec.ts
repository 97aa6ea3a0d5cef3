import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { startExportLab, type ExportLab } from '../rigs/open-source-cloud/export-lab.ts';
import { leftInOrigin, startOriginServer, type OriginServer } from '../rigs/open-source-cloud/origin-server.ts';

const MiB = 1024;
const mib = 1024 * 1024;
/** Those that read Ceph from this computer. */
const hidden = new Set(['rbd', 'rados', 'qemu-nbd']);

let exporting: ExportLab;
let server: OriginServer;
let folder: string;
const path = process.env['PATH'] ?? '';

/** All programs of this computer but those; the lab's own, which were found before, are not touched. */
async function hideTools(): Promise<string> {
  for (const place of path.split(delimiter)) {
    for (const name of await readdir(place).catch(() => []))
      if (!hidden.has(name)) await symlink(join(place, name), join(folder, name)).catch(() => undefined);
  }
  return folder;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-path-'));
  exporting = await startExportLab();
  server = await startOriginServer(exporting.cloud, { name: 'origin-tools', boots: 'volume' });
  await server.scribble('vda', 10 * MiB, 20 * MiB);
  process.env['PATH'] = await hideTools();
});
afterAll(async () => {
  process.env['PATH'] = path;
  await server?.close();
  await exporting?.close();
  await rm(folder, { recursive: true, force: true });
});

async function execute(
  name: string,
): Promise<{ readonly execution: ExecutionDetail; readonly notes: readonly string[]; readonly sent: number }> {
  const execution = await exporting.lab.execute(name);
  expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
  const events = await exporting.lab.use((core) => core.call('execution.events', { execution: execution.id }));
  return {
    execution,
    notes: events.filter(({ type }) => type === 'note').map(({ message }) => message),
    sent: await exporting.bytesSent(execution),
  };
}

const instead =
  /is read through an export worker \(service_backups\) instead of by distributed_(snapshots|backups): rbd is not installed \(Debian package ceph-common\); rados is not installed.*; qemu-nbd is not installed/;

describe('a computer without the programs that read Ceph', () => {
  it('is told by the check of the endpoint', async () => {
    const { steps } = await exporting.lab.use((core) => core.call('endpoint.check', { endpoint: 'origin' }));
    expect(steps.find(({ name }) => name === 'Distributed storage')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('servers are read through an export worker') as unknown,
    });
  });

  it.each(['distributed_snapshots', 'distributed_backups'])(
    'replicates %s through an export worker, in full and by what changed, and says so',
    async (mechanism) => {
      await exporting.createReplica(mechanism, server.id, {
        replica_export_mechanism: mechanism,
        service_backups_options: exporting.exportOptions,
      });
      const full = await execute(mechanism);
      expect(full.notes).toContainEqual(expect.stringMatching(instead));
      expect(await exporting.difference(mechanism, server)).toBeUndefined();
      expect(full.sent).toBeGreaterThan(19 * mib);
      await server.scribble('vda', 200 * MiB, 192);
      const changed = await execute(mechanism);
      expect(await exporting.difference(mechanism, server)).toBeUndefined();
      expect(changed.sent).toBeGreaterThanOrEqual(192 * 1024);
      expect(changed.sent).toBeLessThan(400 * 1024);
      await exporting.lab.use((core) => core.call('replica.delete', { replica: mechanism }));
      expect(await leftInOrigin(exporting.cloud)).toEqual([]);
    },
  );

  it('goes on with a replica that began with Ceph read directly, and sends only what changed', async () => {
    process.env['PATH'] = path;
    await exporting.createReplica('moved', server.id, {
      replica_export_mechanism: 'distributed_snapshots',
      service_backups_options: exporting.exportOptions,
    });
    expect((await execute('moved')).notes).not.toContainEqual(expect.stringMatching(instead));
    process.env['PATH'] = folder;
    await server.scribble('vda', 300 * MiB, 128);
    const changed = await execute('moved');
    expect(changed.notes).toContainEqual(expect.stringMatching(instead));
    expect(await exporting.difference('moved', server)).toBeUndefined();
    // It reads everything, and compares by digest what the volume has already.
    expect(changed.sent).toBeGreaterThanOrEqual(128 * 1024);
    expect(changed.sent).toBeLessThan(2 * mib);
    await exporting.lab.use((core) => core.call('replica.delete', { replica: 'moved' }));
    expect(await leftInOrigin(exporting.cloud)).toEqual([]);
  });

  it('refuses, with both ways out, where the worker is not described', async () => {
    await exporting.createReplica('undescribed', server.id, { replica_export_mechanism: 'distributed_snapshots' });
    const execution = await exporting.lab.execute('undescribed');
    expect(execution).toMatchObject({
      state: 'failed',
      error: {
        code: 'source.tool-missing',
        message: expect.stringContaining('service_backups_options.export_image is not set') as unknown,
      },
    });
    await exporting.lab.use((core) => core.call('replica.delete', { replica: 'undescribed' }));
  });
});
