import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openClassic,
  type Classic,
} from '../../electron/engine/platforms/classic-infrastructure-cloud/client/open-classic.ts';
import { closeAll } from '../rigs/closing.ts';
import { startClassicCloud, type ClassicCloud } from '../rigs/classic-infrastructure-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

/** The simulated classic cloud, asked by the product's client: sessions, names, what is refused, and what volumes and snapshots do to each other. */

const signal = new AbortController().signal;
let cloud: ClassicCloud;
let classic: Classic;
const pool = '/oracle/public/storage/default';

beforeAll(async () => {
  cloud = await startClassicCloud({ transitionMs: 2 });
  classic = openClassic(cloud.connection(), { clock: hurriedClock(4), timing: { requestMs: 5_000 } });
});
afterAll(() =>
  closeAll(
    () => classic.close(),
    () => expect([...new Set(cloud.violations)]).toEqual([]),
    () => cloud.close(),
  ),
);

async function until<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (let look = 0; ; look += 1) {
    const value = await read();
    if (isThere(value)) return value;
    if (look > 2_000) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
const online = (name: string) =>
  until(
    () => classic.storage.volume(name, signal),
    (now) => now?.status === 'Online',
  );

describe('sessions', () => {
  it('are made once, and anew when the platform no longer takes them, also before a change', async () => {
    await classic.storage.volumes(signal);
    await classic.compute.instances(signal);
    expect(cloud.calls.filter(({ operation }) => operation === 'authenticate')).toHaveLength(1);
    cloud.world.expireSessions();
    const made = await classic.storage.createVolume({ name: 'renewed', size: { gib: 1 }, pool, labels: {} }, signal);
    expect(cloud.calls.filter(({ operation }) => operation === 'authenticate')).toHaveLength(2);
    expect([...cloud.world.volumes.keys()].filter((name) => name.endsWith('/renewed'))).toEqual([made.name]);
    await online(made.name);
    await classic.storage.deleteVolume(made.name, signal);
  });

  it('are shared by requests that wait for one', async () => {
    const other = openClassic(cloud.connection(), { clock: hurriedClock(4) });
    const before = cloud.calls.filter(({ operation }) => operation === 'authenticate').length;
    await Promise.all([
      other.storage.volumes(signal),
      other.storage.snapshots(signal),
      other.compute.instances(signal),
    ]);
    expect(cloud.calls.filter(({ operation }) => operation === 'authenticate')).toHaveLength(before + 1);
    other.close();
  });

  it('are refused with another password', async () => {
    const other = openClassic(cloud.connection({ password: 'wrong' }), { clock: hurriedClock(4) });
    await expect(other.storage.volumes(signal)).rejects.toMatchObject({ code: 'cloud.authentication-failed' });
    other.close();
  });
});

describe('volumes and snapshots', () => {
  it('have sizes in bytes, tags as labels, and names of three parts', async () => {
    const made = await classic.storage.createVolume(
      { name: 'named', size: { gib: 2 }, pool, labels: { a: 'b' } },
      signal,
    );
    expect(made).toMatchObject({ name: '/Compute-lab/me@example.com/named', size: 2 * 2 ** 30, tags: ['a=b'] });
    await online(made.name);
    const refused = classic.storage.createVolume({ name: 'named', size: { gib: 1 }, pool, labels: {} }, signal);
    await expect(refused).rejects.toMatchObject({ code: 'cloud.conflict' });
    const now = await classic.storage.volume(made.name, signal);
    await classic.storage.updateVolume(now!, { sizeGib: 3, labels: { c: 'd' } }, signal);
    expect(
      await until(
        () => classic.storage.volume(made.name, signal),
        (one) => one?.size === 3 * 2 ** 30,
      ),
    ).toMatchObject({ tags: ['c=d'], properties: [pool] });
    await classic.storage.deleteVolume(made.name, signal);
    await until(
      () => classic.storage.volume(made.name, signal),
      (one) => one === undefined,
    );
  });

  it('collocated ones hold their volume, and go after the volumes that were made of them', async () => {
    const source = await classic.storage.createVolume({ name: 'source', size: { gib: 1 }, pool, labels: {} }, signal);
    await online(source.name);
    const snapshot = await classic.storage.createSnapshot(
      { volume: source.name, name: 'near', labels: {}, isCollocated: true },
      signal,
    );
    const done = await until(
      () => classic.storage.snapshot(snapshot.name, signal),
      (now) => now?.status === 'completed',
    );
    const copy = await classic.storage.createVolume(
      { name: 'copy', size: { bytes: source.size }, pool, labels: {}, snapshotId: done?.snapshot_id ?? '' },
      signal,
    );
    await online(copy.name);
    await expect(classic.storage.deleteVolume(source.name, signal)).rejects.toMatchObject({ code: 'cloud.conflict' });
    await expect(classic.storage.deleteSnapshot(snapshot.name, signal)).rejects.toMatchObject({
      code: 'cloud.conflict',
    });
    await classic.storage.deleteVolume(copy.name, signal);
    await until(
      () => classic.storage.volume(copy.name, signal),
      (now) => now === undefined,
    );
    await classic.storage.deleteSnapshot(snapshot.name, signal);
    await until(
      () => classic.storage.snapshot(snapshot.name, signal),
      (now) => now === undefined,
    );
    await classic.storage.deleteVolume(source.name, signal);
  });

  it('an empty volume is not made bootable', async () => {
    await expect(
      classic.storage.createVolume({ name: 'empty', size: { gib: 1 }, pool, labels: {}, bootable: true }, signal),
    ).rejects.toMatchObject({ code: 'cloud.request-refused' });
  });

  it('what the user has no right to is told as that', async () => {
    cloud.world.forbidden.add('snapshot.list');
    await expect(classic.storage.snapshots(signal)).rejects.toMatchObject({ code: 'cloud.permission-denied' });
    cloud.world.forbidden.clear();
  });
});
