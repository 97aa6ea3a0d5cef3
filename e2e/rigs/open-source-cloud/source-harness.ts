import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { markedDisks } from '../../../electron/engine/platforms/open-source-cloud/source/disk-mark.ts';
import { createOpenStackSource } from '../../../electron/engine/platforms/open-source-cloud/source/index.ts';
import { keptBackups } from '../../../electron/engine/platforms/open-source-cloud/source/mechanisms/backup-chain-retention.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { cutRequests } from '../../conformance/cut-requests.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { run } from '../machines/child-process.ts';
import { leftInOrigin, volumeBytes, type OriginServer } from './origin-server.ts';
import type { OpenSourceCloud } from './start.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock } from '../hurried-clock.ts';

const GIB = 2 ** 30;
const calls = cutRequests();

/**
 * A server that is switched off, whose volumes are written straight in the distributed storage, as a guest's writes arrive
 * there. The server is used again and again; each harness begins with blank disks.
 */
export async function sourceHarness(
  cloud: OpenSourceCloud,
  server: OriginServer,
  environment: JsonObject,
): Promise<SourceHarness> {
  await using stack = new AsyncDisposableStack();
  const api = await cloud.api('origin');
  const folder = await temporaryFolder(stack, 'causeway-source-harness-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const use = { replicaId: 'rep-1', executionId: 'exe-1' };
  const reopen = (process?: MortalProcess) =>
    createOpenStackSource(cloud.connection('origin') as JsonObject, {
      scratchFolder: folder,
      use,
      ledger: ledgerScope(process === undefined ? store.ledger : process.ledger(store.ledger), {
        endpointId: 'end-1',
        ...use,
        side: 'source',
      }),
    });
  const platform = stack.adopt(reopen(), closing);
  const diskIds = server.volumeIds;
  const added: string[] = [];
  const on = async (volumeId: string, ...commands: readonly string[]): Promise<void> => {
    const image = JSON.stringify({
      driver: 'raw',
      file: { driver: 'rbd', pool: 'volumes', image: `volume-${volumeId}`, conf: cloud.cephConfiguration },
    });
    await run('qemu-io', [...commands.flatMap((command) => ['-c', command]), '-c', 'flush', `json:${image}`]);
  };
  const volume = async (id: string) =>
    (await api.call<{ volume: { status: string; size: number } }>('block-storage', 'GET', `/volumes/${id}`)).volume;
  const until = async (what: string, is: () => Promise<boolean>): Promise<void> => {
    for (const deadline = Date.now() + 180_000; !(await is()); await sleep(300)) {
      if (Date.now() > deadline) throw new Error(`${what} not within three minutes`);
    }
  };
  const attach = async (id: string): Promise<void> => {
    await api.call('compute', 'POST', `/servers/${server.id}/os-volume_attachments`, {
      volumeAttachment: { volumeId: id },
    });
    await until(`volume ${id} attached`, async () => (await volume(id)).status === 'in-use');
  };
  const detach = async (id: string): Promise<void> => {
    await api.call('compute', 'DELETE', `/servers/${server.id}/os-volume_attachments/${id}`);
    await until(`volume ${id} detached`, async () => (await volume(id)).status === 'available');
  };
  const snapshotsOf = async (id: string) =>
    (
      await api.call<{ snapshots: { id: string; status: string }[] }>(
        'block-storage',
        'GET',
        `/snapshots?volume_id=${id}`,
      )
    ).snapshots;
  const dropSnapshots = async (id: string): Promise<void> => {
    await until(`snapshots of ${id} gone`, async () => {
      const left = await snapshotsOf(id);
      for (const snapshot of left.filter(({ status }) => status === 'available'))
        await api.call('block-storage', 'DELETE', `/snapshots/${snapshot.id}`);
      return left.length === 0;
    });
  };
  const dropBackups = async (id: string): Promise<void> => {
    await until(`backups of ${id} gone`, async () => {
      const { backups } = await api.call<{ backups: { id: string; status: string; has_dependent_backups: boolean }[] }>(
        'block-storage',
        'GET',
        `/backups/detail?volume_id=${id}`,
      );
      for (const backup of backups)
        if (backup.status === 'available' && !backup.has_dependent_backups)
          await api.call('block-storage', 'DELETE', `/backups/${backup.id}`);
      return backups.length === 0;
    });
  };
  const mechanism = String(environment['replica_export_mechanism']);
  for (const id of diskIds) {
    // One request of qemu-io is below 2 GiB.
    await on(id, ...Array.from({ length: (await volume(id)).size }, (_, part) => `discard -q ${part * GIB} ${GIB}`));
  }

  const opened = stack.move();
  return {
    platform,
    calls,
    reopen,
    leftovers: (base) => leftInOrigin(cloud, base === undefined ? [] : markedDisks(base).flatMap(keptBackups.of)),
    vmId: server.id,
    environment,
    diskIds,
    tracksChanges: true,
    changesAreRough: mechanism.startsWith('distributed_'),
    isLive: true,
    diskUnitBytes: GIB,
    write: (index, offset, length, byte) => on(diskIds[index] ?? '', `write -q -P ${byte} ${offset} ${length}`),
    zero: (index, offset, length) => on(diskIds[index] ?? '', `discard -q ${offset} ${length}`),
    async content(index) {
      const file = join(folder, `disk-${index}`);
      await volumeBytes(cloud, diskIds[index] ?? '', file);
      return bytesOf(file);
    },
    async addDisk(sizeBytes, byte) {
      const { volume: made } = await api.call<{ volume: { id: string } }>('block-storage', 'POST', '/volumes', {
        volume: { size: sizeBytes / GIB, volume_type: 'standard' },
      });
      await until(`volume ${made.id} made`, async () => (await volume(made.id)).status === 'available');
      await on(
        made.id,
        ...Array.from(
          { length: sizeBytes / (GIB / 4) },
          (_, part) => `write -q -P ${byte} ${(part * GIB) / 4} ${GIB / 4}`,
        ),
      );
      await attach(made.id);
      added.push(made.id);
      return made.id;
    },
    async growDisk(index, sizeBytes) {
      const id = diskIds[index] ?? '';
      await detach(id);
      await api.call('block-storage', 'POST', `/volumes/${id}/action`, { 'os-extend': { new_size: sizeBytes / GIB } });
      await until(`volume ${id} grown`, async () => (await volume(id)).status === 'available');
      await attach(id);
    },
    async spoil(snapshot) {
      const readFrom: Readonly<Record<string, readonly [string, string]>> = {
        distributed_snapshots: ['snapshots', 'snapshotId'],
        service_backups: ['volumes', 'interimVolumeId'],
      };
      const [what, key] = readFrom[mechanism] ?? ['backups', 'backupId'];
      const marks = snapshot.state['disks'] as Readonly<Record<string, Readonly<Record<string, string>>>>;
      const gone = `/${what}/${marks[diskIds[0] ?? '']?.[key] ?? ''}`;
      await api.call('block-storage', 'DELETE', gone);
      await until(`${gone} gone`, () =>
        api.call('block-storage', 'GET', gone).then(
          () => false,
          () => true,
        ),
      );
    },
    async loseBase() {
      if (mechanism === 'service_backups') await rm(join(folder, 'open-source-cloud-digests'), { recursive: true });
      else await (mechanism === 'distributed_snapshots' ? dropSnapshots : dropBackups)(diskIds[0] ?? '');
    },
    async close() {
      await using _rest = opened;
      await platform.close();
      for (const id of [...diskIds, ...added]) {
        await dropBackups(id);
        await dropSnapshots(id);
      }
      for (const id of added) {
        await detach(id);
        await api.call('block-storage', 'DELETE', `/volumes/${id}`);
      }
    },
  };
}

/** A whole file, which may be larger than what is read at once. */
async function bytesOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += GIB / 4) await handle.read(bytes, at, Math.min(GIB / 4, size - at), at);
    return bytes;
  } finally {
    await handle.close();
  }
}
