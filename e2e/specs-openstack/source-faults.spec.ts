import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sourceContext } from '../../electron/engine/platforms/open-source-cloud/source/index.ts';
import { OpenStackSource } from '../../electron/engine/platforms/open-source-cloud/source/openstack-source.ts';
import {
  usualDeadlines,
  type SourceContext,
  type SourceDeadlines,
} from '../../electron/engine/platforms/open-source-cloud/source/source-context.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { readOnto } from '../conformance/read-snapshot.ts';
import type { RigApi } from '../rigs/open-source-cloud/admin-api.ts';
import {
  leftInOrigin,
  startOriginServer,
  volumeBytes,
  type OriginServer,
} from '../rigs/open-source-cloud/origin-server.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

const signal = new AbortController().signal;
const snapshots = { replica_export_mechanism: 'distributed_snapshots' };
const backups = { replica_export_mechanism: 'objectstore_backups' };

let cloud: OpenSourceCloud;
let admin: RigApi;
let server: OriginServer;
let folder: string;
let store: Store;

beforeAll(async () => {
  cloud = await startOpenSourceCloud();
  admin = await cloud.api('admin');
  server = await startOriginServer(cloud, { name: 'origin-faults', boots: 'volume' });
  await server.scribble('vda', 0, 1024);
});
afterAll(() => server?.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-faults-'));
  store = openStore(folder, undefined, hurriedClock(20));
  return async () => {
    expect(store.ledger.list()).toEqual([]);
    expect(await leftInOrigin(cloud)).toEqual([]);
    store.close();
    await rm(folder, { recursive: true, force: true });
  };
});

function open(deadlines: Partial<SourceDeadlines> = {}): {
  readonly source: OpenStackSource;
  readonly context: SourceContext;
} {
  const use = { replicaId: 'rep-1', executionId: 'exe-1' };
  const ledger = ledgerScope(store.ledger, { endpointId: 'end-1', ...use, side: 'source' });
  const context = sourceContext(
    cloud.connection('origin') as JsonObject,
    { scratchFolder: folder, ledger, use },
    { ...usualDeadlines, ...deadlines },
  );
  return { source: new OpenStackSource(context), context };
}

async function content(): Promise<Buffer> {
  const file = join(folder, 'now.raw');
  await volumeBytes(cloud, server.volumeIds[0] ?? '', file);
  return readFile(file);
}

async function read(source: OpenStackSource, of: Snapshot, base?: Snapshot, former?: Buffer) {
  const reader = await source.openDisk(of, server.volumeIds[0] ?? '', base, signal);
  try {
    return await readOnto(reader, former, signal);
  } finally {
    await reader.close();
  }
}

describe('when the cloud does not do as it is told', () => {
  it('says that the quota of snapshots is reached', async () => {
    const { projectId } = await cloud.api('origin');
    const setQuota = (limit: number) =>
      admin.call('block-storage', 'PUT', `/os-quota-sets/${projectId}`, { quota_set: { snapshots: limit } });
    await setQuota(0);
    try {
      const { source } = open();
      await expect(
        source.createSnapshot({ vmId: server.id, tag: 'full', environment: snapshots }, signal),
      ).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
      await source.discardPending({ vmId: server.id, tag: 'full' }, signal);
      await source.close();
    } finally {
      await setQuota(-1);
    }
  });

  it('gives up a snapshot that the volume service never takes, and removes it once the service is back', async () => {
    await cloud.phase('end', 'cinder-volume');
    const { source } = open({ snapshotMs: 5000 });
    try {
      await expect(
        source.createSnapshot({ vmId: server.id, tag: 'never', environment: snapshots }, signal),
      ).rejects.toMatchObject({ code: 'cloud.not-ready' });
      expect(store.ledger.list()).toMatchObject([{ kind: 'volume-snapshot', state: 'existing' }]);
    } finally {
      await cloud.phase('restart', 'cinder-volume');
    }
    await source.discardPending({ vmId: server.id, tag: 'never' }, signal);
    await source.close();
  });

  it('signs in again when its token ended early', async () => {
    const { source, context } = open();
    const { token } = await context.cloud.identity(signal);
    await admin.call('identity', 'DELETE', '/auth/tokens', undefined, { 'X-Subject-Token': token });
    expect((await source.listVms(signal)).map(({ id }) => id)).toContain(server.id);
    expect((await context.cloud.identity(signal)).token).not.toBe(token);
    await source.close();
  });

  it('tells all changes since its own backup although somebody else made one in between, and waits for theirs to go', async () => {
    await cloud.phase('backup-driver', 'swift');
    const api = await cloud.api('origin');
    const { source } = open();
    const first = await source.createSnapshot({ vmId: server.id, tag: 'one', environment: backups }, signal);
    const { replica } = await read(source, first);
    expect(replica.equals(await content())).toBe(true);
    await source.promoteToBase(first, undefined, signal);

    await server.scribble('vda', 64 * 1024, 128);
    const { backup: foreign } = await api.call<{ backup: { id: string } }>('block-storage', 'POST', '/backups', {
      backup: { volume_id: server.volumeIds[0], name: 'somebody-elses', incremental: true, force: true },
    });
    await until(
      async () =>
        (await api.call<{ backup: { status: string } }>('block-storage', 'GET', `/backups/${foreign.id}`)).backup
          .status === 'available',
    );
    await server.scribble('vda', 128 * 1024, 64);

    const second = await source.createSnapshot(
      { vmId: server.id, tag: 'two', environment: backups, base: first },
      signal,
    );
    const changed = await read(source, second, first, replica);
    expect(changed.coverage).toBe('changed');
    expect(changed.replica.equals(await content())).toBe(true);
    expect(changed.dataBytes).toBe(192 * 1024);
    await source.promoteToBase(second, first, signal);

    // Theirs stands on our first one, which therefore stays until theirs is gone.
    await source.deleteBase(second, signal);
    expect(store.ledger.list()).toMatchObject([{ kind: 'volume-backup' }]);
    await api.call('block-storage', 'DELETE', `/backups/${foreign.id}`);
    await until(
      async () =>
        (await api.call<{ backups: unknown[] }>('block-storage', 'GET', '/backups?name=somebody-elses')).backups
          .length === 0,
    );
    const [left] = store.ledger.list();
    if (left !== undefined)
      await source.removeResource(
        left,
        ledgerScope(store.ledger, { endpointId: 'end-1', replicaId: 'rep-1', side: 'source' }),
        signal,
      );
    await source.close();
  });

  it('refuses to export a root disk that is no volume by anything but a worker', async () => {
    const other = await startOriginServer(cloud, { name: 'origin-image', boots: 'image' });
    try {
      const { source } = open();
      expect((await source.describeVm(other.id, signal)).disks).toEqual([
        { id: `root-${other.id}`, size_bytes: 2 ** 30, bootable: true },
      ]);
      expect((await source.describeVm(other.id, signal)).os_type).toBe('linux');
      // By the distribution that the image says it has.
      expect((await source.describeVm(other.id, signal, { custom_os_type_map: { Debian: 'windows' } })).os_type).toBe(
        'windows',
      );
      await expect(source.prepare(other.id, snapshots, signal)).rejects.toMatchObject({ code: 'source.unsupported' });
      const service_backups_options = {
        export_image: 'worker',
        export_network: 'outside',
        export_flavor_name: 'rig.worker',
      };
      await source.prepare(other.id, { replica_export_mechanism: 'service_backups', service_backups_options }, signal);
      await expect(
        source.prepare(
          other.id,
          { service_backups_options: { ...service_backups_options, export_image: 'no-such' } },
          signal,
        ),
      ).rejects.toMatchObject({
        code: 'cloud.name-unknown',
        details: { parameter: 'service_backups_options.export_image' },
      });
      await expect(source.prepare(other.id, {}, signal)).rejects.toMatchObject({ code: 'cloud.parameter-missing' });
      await source.shutdown(other.id, {}, signal);
      expect((await source.listVms(signal)).find(({ id }) => id === other.id)).toMatchObject({ power: 'stopped' });
      await source.close();
    } finally {
      await other.close();
    }
  });
});

async function until(is: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await is())) {
    if (Date.now() > deadline) throw new Error('it did not come to it in two minutes');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
