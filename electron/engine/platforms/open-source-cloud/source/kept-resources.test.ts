import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { ledgerScope } from '../../../store/ledger.ts';
import { openStore, type Store } from '../../../store/store.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import { listManaged } from './list-managed.ts';
import { keptBackups } from './mechanisms/backup-chain-retention.ts';
import { rbdSnapshotMechanism } from './mechanisms/rbd-snapshot/mechanism.ts';
import { storageOptions } from './rbd/storage-cluster.ts';
import { GIB, usualDeadlines, type CloudDisk, type MarkedDisk, type SourceContext } from './source-context.ts';
import { makeBackups } from './mechanisms/cinder-backups.ts';
import { removeVolumeSnapshot, takeVolumeSnapshots } from './volume-snapshots.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';

const signal = new AbortController().signal;
const disk: CloudDisk = { id: 'vol-1', volumeId: 'vol-1', serverId: 'srv-1', sizeBytes: GIB, encrypted: false };

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-kept-'));
  store = openStore(folder, undefined, createHastyClock());
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly volume_id: string;
  status: string;
  fail_reason?: string;
  parent?: string | undefined;
}

/** Block storage whose removals need a few looks, and which has its moods. */
function blockStorage() {
  const snapshots = new Map<string, Thing>();
  const backups = new Map<string, Thing>();
  const log: string[] = [];
  const mood = { busyRemovals: 0, snapshotsFail: 0, backupsFail: 0 };
  let made = 0;
  const listed =
    (things: Map<string, Thing>) =>
    async ({ name }: { name?: string }) =>
      [...things.values()].filter((thing) => name === undefined || thing.name === name);
  const cloud = {
    volume: {
      snapshots: {
        list: listed(snapshots),
        get: async (id: string) => {
          const thing = snapshots.get(id);
          if (thing?.status === 'deleting') {
            // What a back end still uses comes back, although its removal was accepted.
            if (mood.busyRemovals > 0) [mood.busyRemovals, thing.status] = [mood.busyRemovals - 1, 'available'];
            else snapshots.delete(id);
          }
          return snapshots.get(id);
        },
        create: async ({ name, volume_id }: { name: string; volume_id: string }) => {
          const failed = mood.snapshotsFail-- > 0;
          const thing = { id: `snap-${(made += 1)}`, name, volume_id, status: failed ? 'error' : 'available' };
          snapshots.set(thing.id, thing);
          return thing;
        },
        delete: async (id: string) => {
          log.push(`delete ${id}`);
          const thing = snapshots.get(id);
          if (thing !== undefined) thing.status = 'deleting';
        },
      },
      backups: {
        list: listed(backups),
        get: async (id: string) => {
          const thing = backups.get(id);
          return thing === undefined
            ? undefined
            : {
                ...thing,
                has_dependent_backups: [...backups.values()].some((other) => other.parent === id),
                is_incremental: thing.parent !== undefined,
              };
        },
        create: async ({ name, volume_id, incremental }: { name: string; volume_id: string; incremental: boolean }) => {
          const parent = incremental ? [...backups.values()].at(-1)?.id : undefined;
          if (incremental && parent === undefined)
            throw new CausewayError('cloud.request-refused', 'no parent', { details: { status: 400 } });
          const failed = mood.backupsFail-- > 0;
          const thing: Thing = {
            id: `back-${(made += 1)}`,
            name,
            volume_id,
            status: failed ? 'error' : 'available',
            parent,
            ...(failed ? { fail_reason: 'no room' } : {}),
          };
          backups.set(thing.id, thing);
          return thing;
        },
        delete: async (id: string) => {
          log.push(`delete ${id}`);
          backups.delete(id);
        },
      },
    },
  } as unknown as OpenStackCloud;
  return { cloud, snapshots, backups, log, mood };
}

function contextOf(cloud: OpenStackCloud, note: (message: string) => void = () => undefined): SourceContext {
  let now = 0;
  const clock = {
    monotonic: () => now,
    wallTime: () => now,
    sleep: async (ms: number) => void (now += ms),
    after: () => () => undefined,
  };
  return {
    cloud,
    clock,
    random: () => 0.5,
    backOff: { attempts: 2, firstMs: 1, capMs: 1 },
    deadlines: usualDeadlines,
    folder,
    ledger: ledgerScope(store.ledger, { endpointId: 'end', replicaId: 'rep', executionId: 'exe', side: 'source' }),
    use: { replicaId: 'rep', executionId: 'exe', note },
  } as unknown as SourceContext;
}

describe('snapshots of volumes', () => {
  it('are removed for good although the cloud accepts a removal and then takes it back', async () => {
    const storage = blockStorage();
    const context = contextOf(storage.cloud);
    const [snapshot] = await takeVolumeSnapshots(context, 'tag', 'replica', [disk], signal);
    storage.mood.busyRemovals = 3;
    const [entry] = context.ledger?.list() ?? [];
    if (entry !== undefined) await removeVolumeSnapshot(context, entry, signal);
    expect(storage.log).toEqual(Array.from({ length: 4 }, () => `delete ${snapshot?.id}`));
    expect([storage.snapshots.size, store.ledger.list()]).toEqual([0, []]);
  });

  it('that the cloud could not take leave nothing, so that a repetition takes new ones', async () => {
    const storage = blockStorage();
    const context = contextOf(storage.cloud);
    storage.mood.snapshotsFail = 1;
    await expect(takeVolumeSnapshots(context, 'tag', 'replica', [disk], signal)).rejects.toMatchObject({
      code: 'source.snapshot-failed',
    });
    expect([storage.snapshots.size, store.ledger.list()]).toEqual([0, []]);
    expect(await takeVolumeSnapshots(context, 'tag', 'replica', [disk], signal)).toMatchObject([
      { status: 'available' },
    ]);
  });
});

describe('backups of volumes', () => {
  const backUp = async (
    context: SourceContext,
    tag: string,
    base: readonly MarkedDisk[] = [],
  ): Promise<readonly MarkedDisk[]> => {
    const chain = base[0] === undefined ? '' : ` ${String(base[0].mark['chain'])}`;
    const marks = await makeBackups(
      context,
      [disk],
      {
        tag,
        of: 'snapshots',
        container: undefined,
        incremental: keptBackups.incrementalFor(base),
        accept: async (backup) => ({
          backupId: backup.id,
          chain: backup.is_incremental === true ? backup.id + chain : backup.id,
        }),
      },
      signal,
    );
    return marks.map((mark) => ({ diskId: disk.id, sizeBytes: disk.sizeBytes, mark }));
  };

  it('stand on each other until a full one begins a new chain, and then the old chain goes, the newest first', async () => {
    const storage = blockStorage();
    const context = contextOf(storage.cloud);
    let base: readonly MarkedDisk[] = [];
    const lengths: number[] = [];
    for (let round = 1; round <= 9; round += 1) {
      const taken = await backUp(context, `tag-${round}`, base);
      await keptBackups.commit(context, `tag-${round}`, taken, signal);
      base = taken;
      lengths.push(storage.backups.size);
      // What it says that it keeps is what there is.
      expect(base.flatMap(keptBackups.of).toSorted()).toEqual([...storage.backups.keys()].toSorted());
    }
    expect(lengths).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1]);
    expect(storage.snapshots.size).toBe(0);
    await keptBackups.drop(context, 'tag-9', base, 'ancestors', signal);
    expect([storage.backups.size, store.ledger.list()]).toEqual([0, []]);
  });

  it('of a failed execution go alone: what they stand on is still the base', async () => {
    const storage = blockStorage();
    const context = contextOf(storage.cloud);
    const base = await backUp(context, 'good');
    const failed = await backUp(context, 'bad', base);
    await keptBackups.drop(context, 'bad', failed, 'alone', signal);
    expect([...storage.backups.keys()]).toEqual([base[0]?.mark['backupId']]);
  });

  it('are made in full when none can be counted from, and say why when they fail', async () => {
    const storage = blockStorage();
    const notes: string[] = [];
    const context = contextOf(storage.cloud, (message) => notes.push(message));
    const base = await backUp(context, 'one');
    storage.backups.clear();
    expect(notes).toEqual([]);
    expect((await backUp(context, 'two', base))[0]?.mark['chain']).not.toContain(' ');
    expect(notes).toEqual([expect.stringMatching(/in full: the cloud could not create an incremental backup/)]);
    storage.mood.backupsFail = 1;
    await expect(backUp(context, 'three')).rejects.toMatchObject({
      code: 'source.backup-failed',
      message: expect.stringContaining('no room'),
    });
  });
});

describe('what the cloud lists of replicas', () => {
  it('has the snapshots that are read straight from the distributed storage, those of a success as well as those that a kill left', async () => {
    // The storage's programs, as far as taking a snapshot asks them: which pools there are, and whether one has an image.
    const path = process.env['PATH'];
    for (const [program, says] of [
      ['rados', 'echo volumes'],
      ['rbd', 'echo "{}"'],
    ] as const)
      writeFileSync(join(folder, program), `#!/bin/sh\n${says}\n`, { mode: 0o755 });
    const configuration = join(folder, 'ceph.conf');
    writeFileSync(configuration, '');
    process.env['PATH'] = `${folder}:${path ?? ''}`;
    try {
      const storage = blockStorage();
      const context = { ...contextOf(storage.cloud), storage: storageOptions({ ceph_conf_file: configuration }) };
      const mechanism = rbdSnapshotMechanism(context);
      const listed = async () =>
        (
          await listManaged({ ...storage.cloud, image: { list: async () => [] } } as unknown as OpenStackCloud, signal)
        ).map(({ kind, id, entryId }) => [kind, id, entryId]);
      const recorded = () => store.ledger.list().map(({ kind, resourceId, entryId }) => [kind, resourceId, entryId]);
      await mechanism.take({ tag: 'good', environment: {}, disks: [disk], base: [] }, signal);
      await mechanism.take({ tag: 'later', environment: {}, disks: [disk], base: [] }, signal);
      expect(await listed()).toEqual(recorded());
      expect(recorded()).toHaveLength(2);
      await mechanism.commit('later', [], signal);
      expect(await listed()).toEqual(recorded());
      // Killed before the id was recorded: the name says whose it is.
      const [intent] = store.ledger.list();
      storage.snapshots.set('unrecorded', {
        id: 'unrecorded',
        name: 'causeway-res-abcdefghijklmnop',
        volume_id: 'vol-1',
        status: 'available',
      });
      expect(await listed()).toEqual([
        ['volume-snapshot', intent?.resourceId, intent?.entryId],
        ['volume-snapshot', 'unrecorded', 'res-abcdefghijklmnop'],
      ]);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('is known by the name that the ledger gave it: snapshots, backups and images, not those of others', async () => {
    const storage = blockStorage();
    const context = contextOf(storage.cloud);
    await takeVolumeSnapshots(context, 'tag', 'temporary', [disk], signal);
    await makeBackups(
      context,
      [disk],
      {
        tag: 'good',
        container: undefined,
        of: 'volumes',
        incremental: () => false,
        accept: async ({ id }) => ({ backupId: id }),
      },
      signal,
    );
    storage.snapshots.set('theirs', { id: 'theirs', name: 'nightly', volume_id: 'vol-1', status: 'available' });
    storage.backups.set('theirs', { id: 'theirs', name: 'causeway-notes', volume_id: 'vol-1', status: 'available' });
    const image = {
      list: async () => [
        { id: 'img', name: 'causeway-res-abc' },
        { id: 'other', name: 'debian' },
      ],
    };
    const listed = await listManaged({ ...storage.cloud, image } as unknown as OpenStackCloud, signal);
    const recorded = new Map(store.ledger.list().map((entry) => [entry.resourceId, entry.entryId]));
    expect(listed.map(({ kind, id, entryId }) => [kind, id, entryId])).toEqual([
      ...[...storage.snapshots.keys()]
        .filter((id) => id !== 'theirs')
        .map((id) => ['volume-snapshot', id, recorded.get(id)]),
      ...[...storage.backups.keys()]
        .filter((id) => id !== 'theirs')
        .map((id) => ['volume-backup', id, recorded.get(id)]),
      ['image', 'img', 'res-abc'],
    ]);
    expect(listed).toHaveLength(3);
  });
});
