import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { GuestInspection } from '../../../shared/model/guest-inspection.ts';
import { deploymentProject } from './testing/deployment-project.ts';

const project = deploymentProject();
const noVirtio = { code: 'osmorphing.no-virtio', message: 'none of the kernels 1 has virtio_blk' };

async function inspect(): Promise<GuestInspection | null> {
  await project.core.call('guest.inspect', { replica: 'web' });
  await project.core.drain();
  return project.core.call('guest.inspection', { replica: 'web' });
}

/** Executions and deployments add to the log of the platforms, too. */
const logOf = (work: () => Promise<unknown>) => async (): Promise<string[]> => {
  const before = project.lab.log.length;
  await work();
  return project.lab.log.slice(before);
};

describe('inspecting the guest of a replica', () => {
  test('needs content', async () => {
    await expect(project.core.call('guest.inspect', { replica: 'web' })).rejects.toMatchObject({
      code: 'deployment.never-executed',
    });
    expect(await project.core.call('guest.inspection', { replica: 'web' })).toBeNull();
  });

  test("reads the replica's own volumes by a worker, makes nothing else, and keeps what was found", async () => {
    await project.execute();
    const before = project.replicaDigests();
    project.seen = () => ({ findings: [noVirtio], doubts: [{ code: 'osmorphing.doubtful-network', message: 'eth1' }] });
    const steps: (string | undefined)[] = [];
    const stop = project.core.subscribe(
      'guest.inspection',
      () => void project.core.call('guest.inspection', { replica: 'web' }).then((now) => steps.push(now?.step)),
    );
    expect(await logOf(inspect)()).toEqual(['volumes', 'start worker', 'connect', 'stop worker']);
    stop();
    expect(await project.core.call('guest.inspection', { replica: 'web' })).toMatchObject({
      state: 'completed',
      executionNumber: 1,
      found: { supported: true, findings: [noVirtio], dossier: { name: 'Debian GNU/Linux 12' } },
    });
    expect(project.morph.inspections[0]?.devices.map((id) => project.lab.things.get(id)?.bytes?.length)).toEqual([
      2 * 1024 * 1024,
      1024 * 1024,
    ]);
    expect(project.morph.inspections[0]?.options).toMatchObject({ diskBuses: ['virtio'] });
    expect(steps).toContain('Open disks and volumes');
    expect(project.replicaDigests()).toEqual(before);
    expect(await project.orphans()).toEqual([]);
    expect(await project.core.call('guest.inspections', {})).toMatchObject([
      { findings: 1, doubts: 1, wouldStop: true },
    ]);
    expect(await project.core.call('deployment.list', {})).toEqual([]);
  });

  test('keeps what was found before when a later one fails, and says why', async () => {
    await project.execute();
    await inspect();
    project.seen = () => {
      throw new CausewayError('osmorphing.locked', '/dev/vda2');
    };
    expect(await inspect()).toMatchObject({
      state: 'failed',
      error: { code: 'osmorphing.locked' },
      found: { findings: [] },
    });
    expect(await project.orphans()).toEqual([]);
  });

  test('can be cancelled, and then has no worker', async () => {
    await project.execute();
    const started = Promise.withResolvers<void>();
    project.morph.guests.inspect = async ({ signal }) => {
      started.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    };
    project.reopen();
    await project.core.call('guest.inspect', { replica: 'web' });
    await started.promise;
    await expect(project.core.call('replica.execute', { replica: 'web' })).rejects.toMatchObject({
      code: 'osmorphing.inspection-active',
    });
    await expect(project.core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({
      code: 'osmorphing.inspection-active',
    });
    await expect(project.core.call('guest.inspect', { replica: 'web' })).rejects.toMatchObject({
      code: 'osmorphing.inspection-active',
    });
    expect(await project.orphans()).toEqual([]);
    expect(await logOf(() => project.core.call('guest.cancelInspection', { replica: 'web' }))()).toEqual([
      'stop worker',
    ]);
    expect(await project.core.call('guest.inspection', { replica: 'web' })).toMatchObject({ state: 'cancelled' });
    expect((await project.execute()).state).toBe('completed');
  });

  test('of which the engine ended keeps the volumes until its worker is deleted', async () => {
    await project.execute();
    project.inDatabase(
      (db) =>
        void db.exec(
          `INSERT INTO guest_inspections (replica_id, state, started_at) SELECT id, 'running', '2026-01-01T00:00:00Z' FROM replicas`,
        ),
    );
    await project.core.close();
    project.reopen();
    expect(await project.core.call('guest.inspection', { replica: 'web' })).toMatchObject({ state: 'interrupted' });
    await expect(project.core.call('replica.execute', { replica: 'web' })).rejects.toMatchObject({
      code: 'osmorphing.inspection-active',
    });
    expect(await logOf(() => project.core.call('guest.cancelInspection', { replica: 'web' }))()).toEqual([
      'volumes',
      'stop worker',
    ]);
    expect((await project.execute()).state).toBe('completed');
    await expect(project.core.call('guest.cancelInspection', { replica: 'web' })).rejects.toMatchObject({
      code: 'engine.not-active',
    });
  });

  test('shows in the readiness of its wave', async () => {
    await project.execute();
    project.seen = () => ({ findings: [noVirtio] });
    await inspect();
    await project.core.call('wave.create', { wave: 'first', replicas: ['web'] });
    const wave = await project.core.call('wave.show', { wave: 'first' });
    expect(wave.ready).toBe(0);
    expect(wave.causes).toContainEqual(
      expect.objectContaining({ kind: 'guest', severity: 'error', code: 'osmorphing.no-virtio' }),
    );
  });
});
