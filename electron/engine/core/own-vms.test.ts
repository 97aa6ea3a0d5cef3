import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import type { WorkerDevice } from '../ports/write-target.ts';
import { createCore, type Core, type CoreOptions } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

const MiB = 1024 * 1024;
const destinationEnvironment = {
  network_map: { default: 'net' },
  availability_zone: 'eu01-1',
  migr_network: 'net',
  migr_machine_type: 'g1.1',
  machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' },
};
const patience = { timeout: 20_000, interval: 10 };
let folder: string;
let lab: MemoryLab;
let core: Core;
let purposes: string[];
let refusesAgent: CausewayError | undefined;
let foreign: WorkerDevice[];

const open = (more: Partial<CoreOptions> = {}): Core =>
  createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    slowWorkerMs: 20,
    takeTurnHere: async () => ({ lost: new AbortController().signal, release: async () => undefined }),
    connectAgentHere: async ({ purpose }, signal) => {
      if (refusesAgent !== undefined) throw refusesAgent;
      purposes.push(purpose);
      const session = await lab.connectWorker(
        { workerId: '', host: '', sshPort: 0, httpsPort: 0, username: '', privateKeyPem: '' },
        'SSH',
        signal,
      );
      // Beside the disk of another one, which was there before.
      const here = async (within: AbortSignal) => [
        ...(await session.devices(within)).filter(({ path }) => lab.attachedTo.has(path)),
        ...foreign,
      ];
      return { ...session, devices: here };
    },
    ...more,
  });
const count = (step: string): number => lab.log.filter((line) => line === step).length;
const attachments = async () => (await core.call('ledger.list', {})).filter(({ kind }) => kind === 'attachment');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-own-vm-'));
  lab = new MemoryLab();
  [purposes, refusesAgent, foreign] = [[], undefined, []];
  lab.disks.set('disk-0', Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]));
  lab.ownVms.set('vm-here', 'mover-1').set('vm-there', 'mover-2');
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
  for (const name of ['web', 'app'])
    await core.call('replica.create', { name, source: 'from', destination: 'to', vm: 'web', destinationEnvironment });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ended(id: string): Promise<Execution> {
  await vi.waitFor(
    async () => expect(isTerminalExecution((await core.call('execution.show', { execution: id })).state)).toBe(true),
    patience,
  );
  await core.drain();
  return core.call('execution.show', { execution: id });
}
const execute = async (replica: string): Promise<Execution> =>
  ended((await core.call('replica.execute', { replica })).id);

/** The engine is gone in the middle of the verification, and what it does has no effect any more. */
async function killedDuring(replica: string): Promise<string> {
  const reached = lab.stopAt('verify');
  const { id } = await core.call('replica.execute', { replica });
  await reached;
  return id;
}

test('volumes are attached to the VM of the engine, which starts no worker and stays', async () => {
  expect(await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' })).toMatchObject({
    endpointName: 'to',
    vmId: 'vm-here',
    vmName: 'mover-1',
    volumes: 12,
    inUse: 0,
  });
  expect(purposes).toEqual(['check']);
  const during: unknown[] = [];
  lab.beforeWrite = async () =>
    void during.push(
      [...lab.attachedTo.values()],
      (await core.call('workers.ownVms', {})).map(({ inUse }) => inUse),
    );
  const execution = await execute('web');
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(during.slice(0, 2)).toEqual([['vm-here'], [1]]);
  expect([count('start worker'), lab.attachedTo.size, await attachments()]).toEqual([0, 0, []]);
  expect(lab.volumes.map((volume) => volume.equals(lab.disks.get('disk-0')!))).toEqual([true]);
  expect(
    (await core.call('execution.events', { execution: execution.id, limit: 1000 })).map(({ message }) => message),
  ).toContainEqual(expect.stringContaining('attached to VM mover-1, on which Causeway runs'));
  expect(await core.call('workers.ownVms', {})).toMatchObject([{ inUse: 0 }]);
  // The next one as well, and none after it was taken back.
  expect(await execute('web')).toMatchObject({ state: 'completed' });
  expect(await core.call('workers.removeOwnVm', { endpoint: 'to' })).toEqual([]);
  expect([await execute('web'), count('start worker')]).toMatchObject([{ state: 'completed' }, 1]);
});

test('the evidence says that the way ends there', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  await execute('web');
  const entries = await core.call('evidence.list', { replica: 'web' });
  expect(entries.find(({ kind }) => kind === 'execution')?.data).toMatchObject({
    ownVm: { id: 'vm-here', name: 'mover-1' },
  });
});

test('an execution that finds no room for its volumes starts a worker', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here', volumes: 1 });
  const gate = Promise.withResolvers<void>();
  lab.beforeWrite = () => gate.promise;
  const ids = await Promise.all(
    ['web', 'app'].map(async (replica) => (await core.call('replica.execute', { replica })).id),
  );
  await vi.waitFor(
    () => expect([lab.attachedTo.size, count('start worker'), count('connect')]).toEqual([1, 1, 3]),
    patience,
  );
  gate.resolve();
  for (const id of ids) expect(await ended(id)).toMatchObject({ state: 'completed', leftBehind: 0 });
});

test.each([
  ['an engine on another VM', 'vm-there'],
  ['an engine that starts workers', undefined],
])('what an engine that was killed has left attached is taken by %s', async (_who, vm) => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  const id = await killedDuring('web');
  expect([...lab.attachedTo.values()]).toEqual(['vm-here']);
  const killed = core;
  core = open();
  if (vm === undefined) await core.call('workers.removeOwnVm', { endpoint: 'to' });
  else await core.call('workers.setOwnVm', { endpoint: 'to', vm });
  const resumed = await core.call('replica.execute', { replica: 'web' });
  expect(resumed.id).toBe(id);
  expect(await ended(id)).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect([lab.attachedTo.size, count('detach from own VM'), count('start worker')]).toEqual([
    0,
    vm === undefined ? 1 : 2,
    vm === undefined ? 1 : 0,
  ]);
  expect(lab.volumes.map((volume) => volume.equals(lab.disks.get('disk-0')!))).toEqual([true]);
  void killed;
});

test('the same engine goes on with what is attached', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  const id = await killedDuring('web');
  core = open();
  await core.call('replica.execute', { replica: 'web' });
  expect(await ended(id)).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect([count('attach to own VM'), count('detach from own VM'), lab.attachedTo.size]).toEqual([1, 1, 0]);
});

test('what is left attached is an orphan of the ledger, and goes with a deleted replica', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  lab.fail(
    'detach from own VM',
    ...Array.from({ length: 4 }, () => new CausewayError('cloud.operation-failed', 'it stays', { retryable: false })),
  );
  expect(await execute('web')).toMatchObject({ leftBehind: 1 });
  lab.faults.clear();
  expect(await core.call('ledger.list', { orphansOnly: true })).toMatchObject([
    { kind: 'attachment', orphan: 'execution-over' },
  ]);
  await core.call('replica.delete', { replica: 'web' });
  expect([lab.attachedTo.size, await attachments()]).toEqual([0, []]);
});

test('a VM that is not there, or a computer on which nothing can be opened, is refused before it is stored', async () => {
  await expect(core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-nowhere' })).rejects.toMatchObject({
    code: 'engine.own-vm-unusable',
  });
  await expect(core.call('workers.setOwnVm', { endpoint: 'from', vm: 'vm-here' })).rejects.toThrow();
  refusesAgent = new CausewayError('transport.here-not-privileged', 'sudo: a password is required');
  await expect(core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' })).rejects.toMatchObject({
    code: 'transport.here-not-privileged',
  });
  expect(await core.call('workers.ownVms', {})).toEqual([]);
});

test('an agent that is refused later fails the execution, and leaves nothing attached', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  refusesAgent = new CausewayError('transport.here-not-privileged', 'sudo: a password is required');
  expect(await execute('web')).toMatchObject({
    state: 'failed',
    leftBehind: 0,
    error: { code: 'transport.here-not-privileged' },
  });
  expect([lab.attachedTo.size, count('start worker')]).toEqual([0, 0]);
});

test('a device that was there before the volume was attached is never taken for it', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  await core.close();
  core = open({ workerPatienceMs: 200 });
  foreign = [{ path: '/dev/sdx', serial: '', byPath: [], sizeBytes: 2 * MiB, inUse: false }];
  lab.identity = (volume) => ({ kind: 'by-path', path: 'sdx', sizeBytes: volume.sizeBytes });
  let written = 0;
  lab.beforeWrite = async () => void (written += 1);
  const { id } = await core.call('replica.execute', { replica: 'web' });
  // In the attempts after the first one as well, which find the volume attached.
  const attempts = async () =>
    (await core.call('execution.events', { execution: id, limit: 1000 })).filter(({ message }) =>
      message.includes('no device has this by-path'),
    );
  await vi.waitFor(async () => expect((await attempts()).length).toBeGreaterThan(1), patience);
  await core.call('execution.cancel', { execution: id });
  await ended(id);
  expect([written, count('attach to own VM') > 1, lab.attachedTo.size]).toEqual([0, true, 0]);
});

test('where the platform takes the bytes itself nothing is attached, and where the VM takes no more a worker is started', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  lab.whyNone = 'the disks are uploaded';
  expect(await execute('web')).toMatchObject({ state: 'completed' });
  expect([count('attach to own VM'), count('start worker')]).toEqual([0, 1]);
  lab.whyNone = undefined;
  lab.room = 0;
  expect(await execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect([count('attach to own VM'), count('start worker'), await core.call('workers.ownVms', {})]).toMatchObject([
    0,
    2,
    [{ inUse: 0 }],
  ]);
});

test('no more volumes are promised than the VM takes, and one that takes none is refused', async () => {
  lab.room = 3;
  expect(await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here', volumes: 8 })).toMatchObject({
    volumes: 3,
  });
  lab.room = 0;
  await expect(core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-there' })).rejects.toMatchObject({
    code: 'engine.own-vm-unusable',
  });
});

test('a VM that is found is checked with the destination, and set with what it was found by', async () => {
  lab.hints = [
    { vmId: 'vm-here', by: 'metadata-service' },
    { vmId: 'vm-here', by: 'product-uuid' },
  ];
  expect(await core.call('workers.findOwnVm', { endpoint: 'to' })).toEqual({
    found: [{ vmId: 'vm-here', vmName: 'mover-1', by: ['metadata-service', 'product-uuid'] }],
    refused: [],
  });
  expect(await core.call('workers.setOwnVm', { endpoint: 'to' })).toMatchObject({
    vmId: 'vm-here',
    vmName: 'mover-1',
    foundBy: ['metadata-service', 'product-uuid'],
  });
  expect((await core.call('workers.ownVms', {}))[0]).not.toHaveProperty('foundBy');
});

test.each([
  ['nothing says anything', [], 'engine.own-vm-not-found'],
  [
    'only the firmware says something, which the destination does not know',
    [{ vmId: 'vm-laptop', by: 'product-uuid' }],
    'engine.own-vm-not-found',
  ],
  ['the destination has no such VM', [{ vmId: 'vm-nowhere', by: 'metadata-service' }], 'engine.own-vm-not-found'],
  [
    'two VMs are named',
    [
      { vmId: 'vm-here', by: 'metadata-service' },
      { vmId: 'vm-there', by: 'cloud-init' },
    ],
    'engine.own-vm-unclear',
  ],
  [
    'the firmware names another one',
    [
      { vmId: 'vm-here', by: 'metadata-service' },
      { vmId: 'vm-nowhere', by: 'product-uuid' },
    ],
    'engine.own-vm-unclear',
  ],
] as const)('no VM is set where %s', async (_case, hints, code) => {
  lab.hints = hints;
  await expect(core.call('workers.setOwnVm', { endpoint: 'to' })).rejects.toMatchObject({ code });
  expect([await core.call('workers.ownVms', {}), purposes]).toEqual([[], []]);
});

test.each([
  ['the metadata service names it', [{ vmId: 'vm-here', by: 'metadata-service' }]],
  ['nothing names any', []],
  [
    'only the firmware says something, which the destination does not know',
    [{ vmId: 'vm-laptop', by: 'product-uuid' }],
  ],
  ['the destination does not have what is named', [{ vmId: 'vm-nowhere', by: 'metadata-service' }]],
  [
    'several are named, and it is one of them',
    [
      { vmId: 'vm-there', by: 'cloud-init' },
      { vmId: 'vm-here', by: 'metadata-service' },
    ],
  ],
  ['the account may not read what is named', [{ vmId: 'vm-secret', by: 'metadata-service' }]],
] as const)('a VM that is given is set where %s', async (_case, hints) => {
  lab.hints = hints;
  lab.ownVms.set('vm-secret', 'mover-3');
  lab.unreadableVms.add('vm-secret');
  expect(await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' })).toMatchObject({ vmId: 'vm-here' });
});

test.each([
  [
    'the metadata service',
    [{ vmId: 'vm-there', by: 'metadata-service' }],
    'this computer is VM mover-2 (vm-there, by the metadata service), and not vm-here',
  ],
  [
    'the firmware',
    [{ vmId: 'vm-there', by: 'product-uuid' }],
    'this computer is VM mover-2 (vm-there, by the product UUID), and not vm-here',
  ],
  [
    'several',
    [
      { vmId: 'vm-there', by: 'metadata-service' },
      { vmId: 'vm-else', by: 'cloud-init' },
    ],
    'this computer is VM mover-2 (vm-there, by the metadata service), or VM mover-3 (vm-else, by cloud-init), and not vm-here',
  ],
] as const)(
  'a VM that is given is refused where %s says that the computer is another one',
  async (_case, hints, message) => {
    lab.hints = hints;
    lab.ownVms.set('vm-else', 'mover-3');
    await expect(core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' })).rejects.toMatchObject({
      code: 'engine.own-vm-mismatch',
      message,
      details: { vmId: 'vm-here' },
    });
    expect([await core.call('workers.ownVms', {}), purposes]).toEqual([[], []]);
  },
);

test('a VM that the account may not read is no answer, and the search says so', async () => {
  lab.hints = [{ vmId: 'vm-secret', by: 'metadata-service' }];
  lab.unreadableVms.add('vm-secret');
  const why = 'the account may not read VM vm-secret (read VM vm-secret: forbidden)';
  expect(await core.call('workers.findOwnVm', { endpoint: 'to' })).toEqual({
    found: [],
    refused: [{ vmId: 'vm-secret', why, by: ['metadata-service'] }],
  });
  await expect(core.call('workers.setOwnVm', { endpoint: 'to' })).rejects.toMatchObject({
    code: 'engine.own-vm-not-found',
    message: `${why}, named by the metadata service`,
  });
});

test('what was said of one computer does not count on another one', async () => {
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  await core.close();
  core = open({ computer: { id: 'another', name: 'laptop-2' } });
  expect(await core.call('workers.ownVms', {})).toEqual([]);
});
