import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { usualBootPatience } from '../deployments/boot-verdict.ts';
import { createCore, type Core } from './core.ts';
import { destinationEnvironment } from './testing/deployment-project.ts';
import { MemoryLab } from './testing/memory-lab.ts';
import { recordingMorph } from './testing/recording-morph.ts';

const names = ['web', 'app', 'db'] as const;
let folder: string;
let lab: MemoryLab;
let core: Core;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-waves-core-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', randomBytes(1024 * 1024));
  core = open();
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', {
    name: 'to',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  for (const name of names)
    await core.call('replica.create', { name, source: 'from', destination: 'to', vm: 'web', destinationEnvironment });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Core {
  return createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    guests: recordingMorph(
      () => undefined,
      () => ({}),
    ).guests,
    bootPatience: { ...usualBootPatience, stopSeconds: 0, loginSeconds: 0, firstPauseMs: 1 },
    bootProbe: async () => undefined,
  });
}

/** Resolves with the wave when that holds; looked at after every event. */
async function until(holds: (wave: WaveDetail) => boolean, on: Core = core): Promise<WaveDetail> {
  const found = Promise.withResolvers<WaveDetail>();
  const look = (): void =>
    void on
      .call('wave.show', { wave: 'first' })
      .then((wave) => (holds(wave) ? found.resolve(wave) : undefined), found.reject);
  const stop = on.subscribe('execution.event', look);
  look();
  return found.promise.finally(stop);
}

const states = (wave: WaveDetail) => Object.fromEntries(wave.memberList.map(({ name, state }) => [name, state]));
const over = (wave: WaveDetail): boolean =>
  wave.run?.state === 'completed' || wave.run?.state === 'failed' || wave.run?.state === 'cancelled';
const order = {
  groups: [
    { name: 'Databases', members: ['db'] },
    { name: 'Applications', members: ['app'] },
  ],
};

test('a wave synchronises its members group after group, and says how far they are', async () => {
  await core.call('wave.create', { wave: 'first', replicas: [...names], plan: order });
  expect((await core.call('wave.list', {}))[0]).toMatchObject({
    name: 'first',
    members: 3,
    synchronised: 0,
    failed: 0,
  });
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  const wave = await until(over);
  expect(wave.run).toMatchObject({ action: 'synchronise', state: 'completed', counts: { completed: 3 } });
  expect(wave).toMatchObject({
    synchronised: 3,
    ready: 3,
    progress: { bytesTotal: 3 * 1024 * 1024, bytesDone: 3 * 1024 * 1024, unknown: 0 },
  });
  const begun = (await core.call('execution.list', {})).toSorted((one, other) =>
    one.createdAt.localeCompare(other.createdAt),
  );
  const replicas = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
  expect(begun.map(({ replicaId }) => replicas.get(replicaId))).toEqual(['db', 'app', 'web']);
  for (const [index, execution] of begun.entries()) {
    const next = begun[index + 1];
    if (next !== undefined)
      expect(Date.parse(next.createdAt)).toBeGreaterThanOrEqual(Date.parse(execution.finishedAt ?? ''));
  }
});

test('a failure holds later groups back until a person decides; a retry starts that member alone', async () => {
  await core.call('wave.create', { wave: 'first', replicas: [...names], plan: order });
  lab.fail('volumes', new CausewayError('source.disk-not-found', 'no route'));
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  const stopped = await until((wave) => wave.run?.waitsFor !== undefined);
  expect(stopped.run?.waitsFor).toEqual({ group: 1, name: 'Applications', reason: 'failures' });
  expect(states(stopped)).toEqual({ db: 'failed', app: 'waiting', web: 'waiting' });
  expect(stopped.causes[0]).toMatchObject({
    kind: 'failed',
    severity: 'error',
    code: 'source.disk-not-found',
    replicas: [stopped.memberList[0]?.replicaId],
  });
  await core.call('wave.retry', { wave: 'first' });
  const wave = await until(over);
  expect(states(wave)).toEqual({ db: 'completed', app: 'completed', web: 'completed' });
  expect(wave.memberList.map(({ attempts }) => attempts)).toEqual([2, 1, 1]);
});

test('what an engine that was killed left open is taken up where it was, without a second start', async () => {
  await core.call('wave.create', { wave: 'first', replicas: [...names], plan: order });
  const reached = lab.stopAt('verify');
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  await reached;
  const again = open();
  const left = await again.call('wave.show', { wave: 'first' });
  expect([left.run?.state, states(left)]).toEqual(['interrupted', { db: 'running', app: 'waiting', web: 'waiting' }]);
  expect(await again.call('wave.resume', {})).toHaveLength(1);
  const wave = await until(over, again);
  expect(wave.run).toMatchObject({ state: 'completed', counts: { completed: 3 } });
  expect((await again.call('execution.list', {})).map(({ number }) => number)).toEqual([1, 1, 1]);
  core = again;
});

test('a rehearsal deploys beside the source, a cut-over stops it; both count', async () => {
  await core.call('wave.create', { wave: 'first', replicas: ['web'] });
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  expect((await until(over)).causes).toContainEqual(expect.objectContaining({ kind: 'not-rehearsed' }));
  const options = { deployment: { skipMorphing: true } };
  await expect(core.call('wave.start', { wave: 'first', action: 'rehearse', options })).rejects.toMatchObject({
    code: 'wave.no-isolated-network',
  });
  await core.call('wave.start', {
    wave: 'first',
    action: 'rehearse',
    options: { deployment: { ...options.deployment, rehearsal: { network: 'isolated' } } },
  });
  expect(await until(over)).toMatchObject({ rehearsed: 1, moved: 0 });
  expect(lab.log).not.toContain('shut down');
  await core.call('wave.start', { wave: 'first', action: 'cut-over', options });
  expect(await until((wave) => over(wave) && wave.run?.action === 'cut-over')).toMatchObject({
    moved: 1,
    run: { state: 'completed' },
  });
  expect(lab.log).toContain('shut down');
});

test('a cut-over whose source was stopped by hand counts as one, a migration that leaves the source running does not', async () => {
  await core.call('wave.create', { wave: 'first', replicas: ['web', 'app'] });
  await core.call('deployment.create', {
    replica: 'app',
    options: { skipMorphing: true, execute: { lastPass: false } },
  });
  await until(({ rehearsed }) => rehearsed === 1);
  await core.call('wave.assign', { wave: null, replicas: ['app'] });
  await core.call('wave.start', {
    wave: 'first',
    action: 'cut-over',
    options: { deployment: { skipMorphing: true, sourceIsStopped: true } },
  });
  expect(await until(over)).toMatchObject({ rehearsed: 0, moved: 1, run: { state: 'completed' } });
  const days = (await core.call('dashboard.show', {})).days;
  expect(days.reduce((sum, { moved }) => sum + moved, 0)).toBe(1);
  expect(lab.log).not.toContain('shut down');
});

test('executions of a wave have the bandwidth of its plan, unless they are started with another', async () => {
  await core.call('wave.create', { wave: 'first', replicas: ['web'], plan: { bandwidth: '*=unlimited' } });
  const limits = async () =>
    (await core.call('execution.list', {})).map(({ options }) => options.bandwidthProfile ?? options.bandwidthLimit);
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  await until(over);
  await core.call('wave.start', {
    wave: 'first',
    action: 'synchronise',
    options: { execution: { bandwidthLimit: 1e9 } },
  });
  await until((wave) => over(wave) && wave.runs.length === 2);
  await core.call('wave.start', { wave: 'first', action: 'cut-over', options: { deployment: { skipMorphing: true } } });
  await until((wave) => over(wave) && wave.runs.length === 3);
  expect((await limits()).toSorted()).toEqual(['*=unlimited', '*=unlimited', '*=unlimited', 1e9].toSorted());
});

test('a rehearsal into a network of its own is one in the life of its VM; into one that a VM is meant for, it is refused', async () => {
  await core.call('wave.create', { wave: 'first', replicas: ['web'] });
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  await until(over);
  const rehearse = (network: string): Promise<unknown> =>
    core.call('wave.start', {
      wave: 'first',
      action: 'rehearse',
      options: { deployment: { skipMorphing: true, rehearsal: { network } } },
    });
  await rehearse('isolated');
  const wave = await until((one) => over(one) && one.run?.action === 'rehearse');
  const [deployment] = await core.call('deployment.list', {});
  expect(wave.run).toMatchObject({ state: 'completed' });
  expect(deployment).toMatchObject({ options: { purpose: 'rehearsal', rehearsal: { network: 'isolated' } } });
  expect((await core.call('replica.life', { replica: 'web' }))[0]).toMatchObject({ state: 'rehearsed' });
  await core.call('wave.plan', { wave: 'first', plan: { rehearsalNetwork: 'apart' } });
  // As the calendar starts it: without options.
  await core.call('wave.start', { wave: 'first', action: 'rehearse' });
  await until((one) => over(one) && one.runs.length === 3);
  expect((await core.call('deployment.list', {}))[0]).toMatchObject({
    options: { purpose: 'rehearsal', rehearsal: { network: 'apart' } },
  });
  await rehearse('net');
  expect((await until((one) => one.run?.state === 'failed')).memberList[0]).toMatchObject({
    state: 'failed',
    error: { code: 'life.rehearsal-network' },
  });
});

test('members are moved all or none, and not while their wave is in progress', async () => {
  await core.call('wave.create', { wave: 'first', replicas: ['web'] });
  await core.call('wave.create', { wave: 'second' });
  await expect(core.call('wave.assign', { wave: 'second', replicas: ['app', 'nobody'] })).rejects.toMatchObject({
    code: 'engine.not-found',
  });
  expect((await core.call('replica.show', { replica: 'app' })).wave).toBeUndefined();
  const { moved } = await core.call('wave.assign', { wave: 'second', replicas: ['app', 'web'] });
  expect(moved.map(({ wave }) => wave)).toEqual([null, 'first']);
  expect((await core.call('wave.list', {})).map(({ members }) => members)).toEqual([0, 2]);
  await core.call('wave.pause', { wave: 'second' }).catch(() => undefined);
  await expect(core.call('wave.start', { wave: 'first', action: 'synchronise' })).rejects.toMatchObject({
    code: 'wave.empty',
  });
  await core.call('wave.assign', { wave: 'first', replicas: ['web'] });
  const writing = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  lab.beforeWrite = () => (writing.resolve(), released.promise);
  await core.call('wave.start', { wave: 'first', action: 'synchronise' });
  await writing.promise;
  await expect(core.call('wave.assign', { wave: 'first', replicas: ['db'] })).rejects.toMatchObject({
    code: 'wave.active',
  });
  await expect(core.call('wave.plan', { wave: 'first', plan: {} })).rejects.toMatchObject({ code: 'wave.active' });
  await expect(
    core.call('wave.start', {
      wave: 'first',
      action: 'rehearse',
      options: { deployment: { rehearsal: { network: 'isolated' } } },
    }),
  ).rejects.toMatchObject({ code: 'wave.active' });
  await core.call('wave.cancel', { wave: 'first' });
  released.resolve();
  expect((await until(over)).run).toMatchObject({ state: 'cancelled', counts: { cancelled: 1 } });
});

test('the plan is in the wave’s file: changed there, kept when settings are saved, and renamed with the wave', async () => {
  await core.call('wave.create', { wave: 'first', replicas: ['db'] });
  const path = join(folder, 'waves', 'first.json');
  const window = { date: '2026-11-28', time: '22:00', zone: 'Europe/Berlin', hours: 6 };
  await core.call('wave.plan', { wave: 'first', plan: { window, after: { db: ['web'] } } });
  writeFileSync(path, readFileSync(path, 'utf8').replace('22:00', '23:30'));
  await core.call('defaults.save', {
    wave: 'first',
    environments: { 'european-cloud/destination': { environment: { availability_zone: 'eu01-2' } } },
  });
  const renamed = await core.call('wave.rename', { wave: 'first', name: 'pilot' });
  expect(renamed).toMatchObject({ name: 'pilot', members: 1, plan: { window: { ...window, time: '23:30' } } });
  expect(renamed.causes).toContainEqual(
    expect.objectContaining({
      kind: 'plan',
      severity: 'error',
      names: ['web'],
      message: expect.stringContaining('web') as unknown,
    }),
  );
  expect(JSON.parse(readFileSync(join(folder, 'waves', 'pilot.json'), 'utf8'))).toMatchObject({
    environments: { 'european-cloud/destination': { environment: { availability_zone: 'eu01-2' } } },
  });
  await expect(core.call('wave.plan', { wave: 'pilot', plan: { after: { db: ['db'] } } })).rejects.toMatchObject({
    code: 'wave.order-circular',
  });
});

test('members with the same finding are one cause, and a replica of a wave may have errors', async () => {
  for (const replica of ['web', 'app'])
    await core.call('replica.update', { replica, destinationEnvironment: { ...destinationEnvironment } });
  await core.call('wave.create', { wave: 'first', replicas: ['web', 'app', 'db'] });
  await core
    .call('defaults.save', {
      wave: 'first',
      environments: { 'european-cloud/destination': { environment: { winguestinit_user: 'x' }, cleared: [] } },
    })
    .catch(() => undefined);
  for (const name of ['web', 'app']) {
    const file = join(folder, 'replicas', `${name}.json`);
    const { migr_network: _gone, ...rest } = destinationEnvironment;
    writeFileSync(
      file,
      JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), destinationEnvironment: rest }),
    );
  }
  await core.call('project.sync', {});
  const wave = await core.call('wave.show', { wave: 'first' });
  const causes = wave.causes.filter(({ kind, severity }) => kind === 'finding' && severity === 'error');
  expect(causes.map(({ path, replicas }) => [path, replicas.length])).toEqual([
    [expect.stringContaining('migr_network'), 2],
  ]);
  expect(wave.ready).toBe(1);
});

test('many replicas are created with one look at the source, in waves that are made for them; what is not there is said', async () => {
  const machines = [
    { vm: 'vm-1', name: 'web', wave: 'night' },
    { vm: 'uuid', name: 'nobody', wave: 'night' },
    { vm: 'uuid-2', name: 'web', wave: 'night' },
  ];
  await core.call('endpoint.add', {
    name: 'elsewhere',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  const { created, skipped } = await core.call('replica.createMany', {
    source: 'from',
    destination: 'elsewhere',
    machines,
  });
  expect([created.length, skipped.map(({ name, reason }) => [name, reason])]).toEqual([
    1,
    [
      ['nobody', 'not-found'],
      ['web', 'exists'],
    ],
  ]);
  const wave = await core.call('wave.show', { wave: 'night' });
  // Its settings are missing, which its readiness says.
  expect([wave.memberList.map(({ name }) => name), wave.ready]).toEqual([['web-2'], 0]);
  // And the list of all replicas, of those alone that have something.
  expect(await core.call('replica.readiness', {})).toEqual([
    {
      replicaId: created[0],
      errors: expect.any(Number) as number,
      warnings: expect.any(Number) as number,
      code: expect.stringMatching(/^[\w-]+\/[\w-]+$/) as string,
      message: expect.stringMatching(/\w/) as string,
    },
  ]);
});
