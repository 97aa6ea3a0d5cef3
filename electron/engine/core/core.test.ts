import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalExecution, type Execution, type ExecutionOptions } from '../../../shared/model/execution.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

const MiB = 1024 * 1024;
let folder: string;
let lab: MemoryLab;
let core: Core;

const destinationEnvironment = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-core-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.concat([randomBytes(2 * MiB), Buffer.alloc(6 * MiB)]));
  lab.disks.set('disk-1', Buffer.concat([Buffer.alloc(MiB), randomBytes(MiB)]));
  core = open();
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
    slowWorkerMs: 20,
  });
}

async function makeReplica(): Promise<void> {
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
  await core.call('replica.create', {
    name: 'web',
    source: 'from',
    destination: 'to',
    vm: 'web',
    destinationEnvironment,
  });
}

/** Executes and waits for the end. */
async function execute(options: ExecutionOptions = {}, on: Core = core): Promise<Execution> {
  const { id } = await on.call('replica.execute', { replica: 'web', options });
  return settled(id, on);
}

async function settled(id: string, on: Core = core): Promise<Execution> {
  const ended = Promise.withResolvers<void>();
  const look = async (): Promise<void> => {
    const { state } = await on.call('execution.show', { execution: id });
    if (isTerminalExecution(state) || state === 'interrupted') ended.resolve();
  };
  const stop = on.subscribe('execution.event', (event) => void (event.type === 'execution.state' && look()));
  await look();
  await ended.promise;
  stop();
  await on.drain();
  return on.call('execution.show', { execution: id });
}

/** Every disk of the source is at the beginning of its volume, and the rest of the volume is zero. */
function expectEqual(disks: ReadonlyMap<string, Buffer> = lab.disks): void {
  for (const [id, bytes] of disks) expect(lab.volumeOf(id)?.equals(bytes), id).toBe(true);
}

/** Resolves in the middle of a run, from where on nothing that the engine of then does has an effect: it is as if killed. */
async function killed(): Promise<void> {
  const reached = Promise.withResolvers<void>();
  lab.beforeWrite = async () => {
    lab.generation += 1;
    lab.beforeWrite = async () => undefined;
    reached.resolve();
  };
  await reached.promise;
}

describe('executing a replica', () => {
  beforeEach(makeReplica);

  test('the first time fills new volumes, and leaves a base and no worker', async () => {
    expect(await execute()).toMatchObject({ state: 'completed', leftBehind: 0, number: 1 });
    expectEqual();
    expect(await core.call('ledger.list', {})).toMatchObject([
      { kind: 'volume' },
      { kind: 'volume' },
      { kind: 'source-snapshot', key: 'base' },
    ]);
    expect((await core.call('replica.show', { replica: 'web' })).lastSuccess).toBeDefined();
  });

  test('again moves only what changed, on the second disk too when the first did not change', async () => {
    await execute();
    randomBytes(65536).copy(lab.disks.get('disk-1') ?? Buffer.alloc(0), MiB);
    lab.bytesWritten = 0;
    expect(await execute()).toMatchObject({ state: 'completed', number: 2 });
    expectEqual();
    expect(lab.bytesWritten).toBe(65536);
    expect(lab.snapshots.size).toBe(1);
  });

  test('a block that became zero is zero on the volume', async () => {
    await execute();
    lab.disks.get('disk-0')?.fill(0, 0, 131072);
    await execute();
    expectEqual();
  });

  test('a disk that grew and a disk that appeared are carried along', async () => {
    await execute();
    lab.disks.set('disk-0', Buffer.concat([lab.disks.get('disk-0') ?? Buffer.alloc(0), randomBytes(MiB)]));
    lab.disks.set('disk-2', randomBytes(MiB));
    expect(await execute()).toMatchObject({ state: 'completed' });
    expectEqual();
  });

  test('a disk that shrank is refused before anything is written or snapshotted', async () => {
    await execute();
    lab.disks.set('disk-0', Buffer.alloc(MiB));
    lab.log.length = 0;
    expect(await execute()).toMatchObject({ state: 'failed', error: { code: 'replication.disk-shrank' } });
    expect(lab.log).toEqual(['describe']);
  });

  test('a failure in the middle keeps the former base, drops the snapshot and the worker, and the next run ends well', async () => {
    await execute();
    lab.disks.get('disk-0')?.set(randomBytes(MiB), 0);
    lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
    expect(await execute()).toMatchObject({ state: 'failed', leftBehind: 0, error: { message: 'storage broke' } });
    expect(lab.snapshots.size).toBe(1);
    lab.disks.get('disk-0')?.set(randomBytes(MiB), MiB);
    expect(await execute()).toMatchObject({ state: 'completed' });
    expectEqual();
  });

  test('a worker that is lost is started again within the same execution', async () => {
    lab.fail('flush', new CausewayError('general.deadline', 'worker gone', { retryable: true }));
    const execution = await execute();
    expect(execution).toMatchObject({ state: 'completed' });
    expect(lab.log.filter((step) => step === 'start worker')).toHaveLength(2);
    expectEqual();
  });

  test('what of the VM is on none of its disks is told before anything is written', async () => {
    lab.unsupportedDevices = ['web has a scratch disk that no replica carries'];
    const execution = await execute();
    const told = (await core.call('execution.events', { execution: execution.id })).map((event) => event.message);
    const at = (text: string): number => told.findIndex((message) => message.includes(text));
    expect(at('scratch disk')).toBeGreaterThan(-1);
    expect(at('scratch disk')).toBeLessThan(at('sent'));
  });

  test('a worker that died before it answered is replaced as soon as the cloud knows it, and it is told why', async () => {
    let looks = 0;
    lab.whyDown = (workerId) => ((looks += 1) < 3 ? undefined : `server ${workerId} is off, status INACTIVE`);
    lab.beforeConnection = (signal) => {
      lab.beforeConnection = async () => undefined;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const execution = await execute();
    expect(execution).toMatchObject({ state: 'completed' });
    expect(looks).toBe(3);
    const told = (await core.call('execution.events', { execution: execution.id })).map((event) => event.message);
    expect(told.filter((message) => message.startsWith('waiting for the worker'))).toHaveLength(1);
    expect(told.join('\n')).toContain('status INACTIVE');
    expectEqual();
  });

  test('a volume that was altered behind our back is found by verification and never called synchronised', async () => {
    let altered = 0;
    const stop = core.subscribe('execution.event', (event) => {
      if (event.taskId === 'replicate-disks' && event.details['state'] === 'completed') {
        altered += 1;
        lab.volumeOf('disk-0')?.fill(0x55, 65536, 65540);
      }
    });
    const execution = await execute();
    stop();
    expect(altered).toBe(1);
    expect(execution).toMatchObject({ state: 'failed', error: { code: 'replication.verification-failed' } });
    expect((await core.call('replica.show', { replica: 'web' })).lastSuccess).toBeUndefined();
    expect(await execute()).toMatchObject({ state: 'completed' });
    expectEqual();
  });

  test('two executions of one replica never overlap', async () => {
    const stopped = killed();
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await stopped;
    await expect(core.call('replica.execute', { replica: 'web' })).rejects.toMatchObject({
      code: 'engine.execution-active',
    });
    core = open();
    expect(await execute()).toMatchObject({ id });
  });
});

describe('cancelling', () => {
  beforeEach(makeReplica);

  test('runs the clean-up, and the next execution sends only what is missing', async () => {
    let writes = 0;
    const halfway = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    lab.beforeWrite = () => {
      writes += 1;
      if (writes === 2) halfway.resolve();
      return goOn.promise;
    };
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await halfway.promise;
    await core.call('execution.cancel', { execution: id });
    goOn.resolve();
    expect(await settled(id)).toMatchObject({ state: 'cancelled', leftBehind: 0 });
    expect(lab.log).toContain('stop worker');
    expect(lab.snapshots.size).toBe(0);
    expect(await execute()).toMatchObject({ state: 'completed' });
    expectEqual();
  });
});

describe('after the engine was killed in the middle', () => {
  beforeEach(makeReplica);

  test('the same execution goes on: same snapshot, same volumes, no second worker in the ledger', async () => {
    const stopped = killed();
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await stopped;
    const before = lab.things.size;
    core = open();
    expect(await core.call('execution.show', { execution: id })).toMatchObject({ state: 'interrupted' });
    const content = new Map([...lab.disks].map(([disk, bytes]) => [disk, Buffer.from(bytes)]));
    lab.disks.get('disk-0')?.fill(7);
    expect(await execute()).toMatchObject({ id, state: 'completed', leftBehind: 0 });
    expectEqual(content);
    expect(lab.log.filter((step) => step === 'snapshot')).toHaveLength(1);
    expect(lab.things.size).toBe(before - 1);
  });

  test('with the snapshot gone, a new one is taken and the result is that of the new one', async () => {
    const stopped = killed();
    await core.call('replica.execute', { replica: 'web' });
    await stopped;
    for (const snapshot of lab.snapshots.values()) snapshot.alive = false;
    lab.disks.get('disk-0')?.fill(0, 0, MiB);
    lab.disks.get('disk-1')?.fill(9, 0, 65536);
    core = open();
    expect(await execute()).toMatchObject({ state: 'completed' });
    expectEqual();
    expect(lab.snapshots.size).toBe(1);
  });

  test.each([
    ['verified', 'verify'],
    ['asked whether it changed', 'assert unchanged'],
    ['asked whether it changed, without verification', 'assert unchanged'],
  ])(
    'with the snapshot gone after everything was copied, while it was %s, the disks are copied again from a new one',
    async (when, step) => {
      const options: ExecutionOptions = when.endsWith('without verification') ? { verify: 'none' } : {};
      expect(await execute(options)).toMatchObject({ state: 'completed' });
      lab.disks.get('disk-0')?.fill(5, MiB, MiB + 65536);
      const stopped = lab.stopAt(step);
      const { id } = await core.call('replica.execute', { replica: 'web', options });
      await stopped;
      for (const snapshot of lab.snapshots.values()) snapshot.alive = false;
      lab.snapshots.delete(`causeway-${id}`);
      lab.disks.get('disk-0')?.fill(0, 0, MiB);
      lab.disks.get('disk-1')?.fill(9, 0, 65536);
      core = open();
      const resumed = await execute(options);
      expect(resumed).toMatchObject({ id, state: 'completed', leftBehind: 0 });
      expect(resumed.error).toBeUndefined();
      expectEqual();
      expect([...lab.snapshots.keys()].filter((tag) => tag.startsWith(`causeway-${id}`))).toHaveLength(1);
      const events = (await core.call('execution.events', { execution: id })).map((event) => event.message).join('\n');
      expect(events).toContain('comparing them with a new one');
      expect((await execute(options)).state).toBe('completed');
    },
  );

  test.each([
    [
      'before it released the snapshot',
      `UPDATE tasks SET state = 'pending', attempts = 0 WHERE id = 'settle-snapshot' AND execution_id = $open`,
    ],
    [
      'while it released the snapshot',
      `UPDATE tasks SET state = 'running', attempts = 1 WHERE id = 'settle-snapshot' AND execution_id = $open`,
    ],
    [
      'and by one that planned the new task beside',
      `INSERT INTO tasks (execution_id, id, position, title, clean_up, state)
      VALUES ($open, 'release-snapshot', 99, '', 1, 'pending')`,
    ],
  ])('by a version that called a task settle-snapshot, %s, it is resumed', async (_, sql) => {
    await execute();
    const stopped = killed();
    lab.disks.get('disk-0')?.fill(7);
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await stopped;
    const db = new DatabaseSync(join(folder, '.causeway', 'causeway.db'));
    db.exec(`UPDATE tasks SET id = 'settle-snapshot' WHERE id = 'release-snapshot'; DELETE FROM schema_migrations WHERE number >= 8; DROP TABLE endpoint_checks; DROP TABLE worker_pool; DROP TABLE own_vms; DROP TABLE bandwidth_limit;
      DROP TABLE notification_messages; DROP TABLE notification_deliveries; DROP TABLE notifications_told_once; DROP TABLE guest_inspections; DROP TABLE wave_looks; DROP TABLE wave_missed; DROP TABLE wave_carried; DROP TABLE wave_members; DROP TABLE wave_runs; DROP TABLE life_records; ALTER TABLE replicas DROP COLUMN checks; ALTER TABLE deployments DROP COLUMN checks`);
    db.prepare(sql).run({ $open: id });
    db.close();
    core = open();
    expect(await execute()).toMatchObject({ id, state: 'completed', leftBehind: 0 });
    for (const { id: execution } of await core.call('execution.list', {})) {
      const { tasks } = await core.call('execution.show', { execution });
      expect(tasks.filter((task) => task.id.endsWith('-snapshot')).map((task) => [task.id, task.state])).toEqual([
        ['take-snapshot', 'completed'],
        ['confirm-snapshot', 'completed'],
        ['release-snapshot', 'completed'],
      ]);
    }
    expect(lab.snapshots.size).toBe(1);
  });

  test('by a version that had another code for its error, it ends with the present code, and so do its causes', async () => {
    const stopped = killed();
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await stopped;
    const former = { code: 'cloud.disk-shrank', message: 'disk-0 shrank', details: {}, retryable: false };
    const present = { code: 'replication.disk-shrank', message: 'disk-0 shrank' };
    const db = new DatabaseSync(join(folder, '.causeway', 'causeway.db'));
    db.prepare(`UPDATE tasks SET state = 'failed', error = ? WHERE id = 'replicate-disks'`).run(
      JSON.stringify({ ...former, cause: former }),
    );
    core = open();
    expect(await execute()).toMatchObject({ id, state: 'failed', error: { ...present, cause: present } });
    // As the earlier version itself would have ended it.
    db.prepare('UPDATE executions SET error = ?').run(JSON.stringify({ ...former, cause: former }));
    db.close();
    const { error, tasks } = await core.call('execution.show', { execution: id });
    expect([error, tasks.find((task) => task.id === 'replicate-disks')?.error]).toMatchObject([
      { ...present, cause: present },
      { ...present, cause: present },
    ]);
  });

  test('it can be cancelled instead, which cleans up', async () => {
    const stopped = killed();
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await stopped;
    core = open();
    await core.call('execution.cancel', { execution: id });
    expect(await settled(id)).toMatchObject({ state: 'cancelled', leftBehind: 0 });
    expect(lab.snapshots.size).toBe(0);
  });
});

describe('the contract', () => {
  test('refuses inputs that are not in its table, without repeating their values', async () => {
    const answer = await core.dispatch('vault.set', { name: 'bad name', value: 'canary-secret' });
    expect(answer).toMatchObject({ ok: false, error: { code: 'general.invalid-input' } });
    expect(JSON.stringify(answer)).not.toContain('canary-secret');
    expect(await core.dispatch('no.such', {})).toMatchObject({ ok: false, error: { code: 'engine.unknown-call' } });
    expect(await core.dispatch('toString', {})).toMatchObject({ ok: false, error: { code: 'engine.unknown-call' } });
  });

  test('deleting a replica removes its volumes and its base', async () => {
    await makeReplica();
    await execute();
    await core.call('replica.delete', { replica: 'web' });
    expect([lab.things.size, lab.snapshots.size, await core.call('ledger.list', {})]).toEqual([0, 0, []]);
    // What the source tells meanwhile belongs to no run, but is told.
    expect((await core.call('execution.events', {})).slice(-2)).toMatchObject([
      { type: 'note', message: 'the base is gone' },
      { type: 'replica.deleted' },
    ]);
  });

  test('deleting a replica removes a snapshot as well of which nobody knows whether it was made', async () => {
    lab.findsIntents = true;
    await makeReplica();
    const lost = () => new CausewayError('source.unreachable', 'the answer was lost', { retryable: false });
    lab.fail('snapshot', lost());
    lab.fail('discard pending', lost(), lost(), lost(), lost(), lost(), lost());
    expect(await execute()).toMatchObject({ state: 'failed' });
    expect(await core.call('ledger.list', {})).toContainEqual(
      expect.objectContaining({ kind: 'source-snapshot', state: 'intended' }),
    );
    lab.faults.clear();
    lab.log.length = 0;
    await core.call('replica.delete', { replica: 'web' });
    expect(lab.log).toContain('discard pending');
  });

  test('deleting a replica whose source is out of reach deletes its volumes, says what can be done, and forgets by name what is asked to be forgotten', async () => {
    await makeReplica();
    await execute();
    const [base] = lab.snapshots.keys();
    lab.fail('delete base', new CausewayError('source.unreachable', 'nobody answers'));
    await expect(core.call('replica.delete', { replica: 'web' })).rejects.toMatchObject({
      code: 'engine.source-not-cleaned',
      message: expect.stringContaining('nobody answers') as unknown,
    });
    expect([lab.things.size, (await core.call('replica.list', {})).length]).toEqual([0, 1]);
    expect(await core.call('replica.delete', { replica: 'web', sourceIsGone: true })).toEqual({ forgotten: [base] });
    expect(await core.call('replica.list', {})).toEqual([]);
    expect((await core.call('execution.events', {})).at(-1)).toMatchObject({
      type: 'replica.deleted',
      details: { name: 'web', forgotten: [base] },
    });
    expect(lab.snapshots.size).toBe(1);
  });

  test('an endpoint in use is not removed', async () => {
    await makeReplica();
    await expect(core.call('endpoint.remove', { endpoint: 'from' })).rejects.toMatchObject({ code: 'engine.in-use' });
  });

  test('an environment with errors makes no replica', async () => {
    await makeReplica();
    await expect(
      core.call('replica.create', {
        name: 'two',
        source: 'from',
        destination: 'to',
        vm: 'web',
        destinationEnvironment: { ...destinationEnvironment, availability_zone: 7 },
      }),
    ).rejects.toMatchObject({ code: 'engine.environment-invalid' });
  });

  test('events are append-only and can be followed from an id', async () => {
    await makeReplica();
    await execute();
    const all = await core.call('execution.events', {});
    const half = all[Math.floor(all.length / 2)]?.id ?? 0;
    expect(await core.call('execution.events', { after: half })).toEqual(all.filter((event) => event.id > half));
    expect(await core.call('execution.events', { newest: true, limit: 2 })).toEqual(all.slice(-2));
    expect(all.at(-1)).toMatchObject({ type: 'execution.state', details: { state: 'completed' } });
  });
});
