import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { CloudVolume, WorkerCloud } from '../../cloud-resources/cloud-api.ts';
import { attachmentDeleter, detachCopy, ownVmAccess } from '../../cloud-resources/own-vm.ts';
import { retryContext } from '../../cloud-resources/retry-context.ts';
import type { DestinationRun, Volume } from '../../ports/destination-platform.ts';
import type { OwnVmOfSource } from '../../ports/own-vm.ts';
import type { WorkerSession } from '../../ports/write-target.ts';
import { ledgerScope } from '../../store/ledger.ts';
import { openStore, type Store } from '../../store/store.ts';
import { createHastyClock } from '../../time/testing/hasty-clock.ts';
import { ExportWorker, exportRole } from './export-worker.ts';

const signal = new AbortController().signal;
const sizeBytes = 2 ** 30;
let folder: string;
let store: Store;
/** Servers by volume. */
let attached: Map<string, string>;
let started: string[];
let notes: string[];
let givenBack: number;
/** How many volumes the cloud lets a VM have. */
let mostAttached: number | undefined;
/** Called when the cloud has done it, and before it answers. */
let afterAttachment: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-export-vm-'));
  store = openStore(folder, undefined, createHastyClock());
  [attached, started, notes, afterAttachment, givenBack, mostAttached] = [
    new Map(),
    [],
    [],
    () => undefined,
    0,
    undefined,
  ];
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const volumeAt = (id: string): CloudVolume => {
  const serverId = attached.get(id);
  return {
    id,
    name: id,
    state: serverId === undefined ? 'available' : 'attached',
    status: '',
    sizeGib: 1,
    type: undefined,
    zone: undefined,
    serverId,
    labels: {},
  };
};
const cloud: WorkerCloud = {
  ...retryContext({ timing: { pollFirstMs: 1, pollCapMs: 2 } }),
  entryDetails: {},
  volumes: { get: async (id) => volumeAt(id), list: async () => [] },
  servers: {
    get: async (id) => ({
      id,
      name: id,
      state: id === 'vm-off' ? 'off' : 'running',
      status: id === 'vm-off' ? 'stopped' : 'running',
      problem: undefined,
      labels: {},
    }),
    async attach(id, volumeId) {
      attached.set(volumeId, id);
      afterAttachment();
    },
    detach: async (_id, volumeId) => void attached.delete(volumeId),
  },
  deleterFor: (entry) => attachmentDeleter(cloud, entry),
};
const session = (vmId: string): WorkerSession => ({
  mechanism: 'local',
  lost: new AbortController().signal,
  close: async () => undefined,
  // Its own disks are among them.
  devices: async () => [
    { path: '/dev/root', serial: '', byPath: [], sizeBytes, inUse: true },
    ...[...attached].flatMap(([id, at]) =>
      at === vmId ? [{ path: `/dev/${id}`, serial: id, byPath: [], sizeBytes, inUse: false }] : [],
    ),
  ],
  open: async ({ path }) =>
    ({ path, digests: async () => new Uint8Array() }) as unknown as Awaited<ReturnType<WorkerSession['open']>>,
});
const here = (vmId: string, most = 9): OwnVmOfSource => ({
  vmId,
  vmName: vmId,
  lease: (copies) => copies <= most,
  giveBack: () => void (givenBack += 1),
  connect: async () => session(vmId),
});
const worker = (vm?: OwnVmOfSource): ExportWorker =>
  new ExportWorker(
    {
      cloud,
      async start() {
        started.push('worker');
        throw new CausewayError('cloud.quota-exceeded', 'no worker in this test');
      },
      attach: async () => ({ kind: 'order', order: 1, sizeBytes }),
      ownVm: ownVmAccess(() => cloud, {
        areCopies: true,
        room: async () => (mostAttached === undefined ? undefined : mostAttached - attached.size),
      }),
    },
    vm,
  );
const run = (executionId = 'execution-1'): DestinationRun => ({
  replicaId: 'replica',
  executionId,
  vm: { id: '', name: '', os_type: 'linux', disks: [], nics: [] },
  environment: {},
  note: (message) => void notes.push(message),
  ledger: ledgerScope(store.ledger, { endpointId: 'cloud', replicaId: 'replica', executionId, side: 'source' }),
});
const copy = (id: string): Volume => ({ id, diskId: id, sizeBytes, createdByThisCall: false });
const copies = [copy('volume-0000-0000-0000-1'), copy('volume-0000-0000-0000-2')];
const left = () => store.ledger.list().map(({ key, state }) => `${key} ${state}`);

async function openAll(exporting: ExportWorker, within = run()): Promise<readonly string[]> {
  await exporting.place(within, copies.length, signal);
  const opened: string[] = [];
  for (const one of copies)
    opened.push(((await exporting.open(within, one, signal)) as unknown as { path: string }).path);
  return opened;
}

it('attaches copies to the VM that the engine runs on, opens the devices with their serials, and detaches them', async () => {
  const exporting = worker(here('vm'));
  await exporting.check({}, signal);
  expect(await openAll(exporting)).toEqual(copies.map(({ id }) => `/dev/${id}`));
  expect([...attached.values()]).toEqual(['vm', 'vm']);
  expect(notes).toEqual([expect.stringContaining('attached to VM vm of the source')]);
  await exporting.stop(run(), signal);
  expect([attached.size, started, left()]).toEqual([0, [], []]);
});

it('a process that was killed between an attachment and its record is followed by one that has it', async () => {
  afterAttachment = () => {
    throw new Error('killed');
  };
  await expect(openAll(worker(here('vm')))).rejects.toThrow('killed');
  expect([attached.size, left()]).toEqual([1, [expect.stringContaining('intended')]]);
  afterAttachment = () => undefined;
  const successor = worker(here('vm'));
  expect(await openAll(successor)).toEqual(copies.map(({ id }) => `/dev/${id}`));
  expect(left()).toHaveLength(2);
  await successor.stop(run(), signal);
  expect([attached.size, left()]).toEqual([0, []]);
});

it.each([
  ['an engine on another VM', 'vm-2', 'execution-1'],
  ['an engine on another VM, in a later execution', 'vm-2', 'execution-2'],
  ['one that only cleans up', undefined, 'execution-2'],
])('what was left attached between the request and its record is taken by %s', async (_who, vm, execution) => {
  afterAttachment = () => {
    throw new Error('killed');
  };
  await expect(openAll(worker(here('vm')))).rejects.toThrow('killed');
  afterAttachment = () => undefined;
  if (vm !== undefined) {
    const successor = worker(here(vm));
    await openAll(successor, run(execution));
    expect([...attached.values()]).toEqual([vm, vm]);
  }
  await worker().stop(run(execution), signal);
  expect([attached.size, left()]).toEqual([0, []]);
});

it('a worker gets the copies after they were taken from a VM that has no room any more', async () => {
  await openAll(worker(here('vm')));
  await expect(openAll(worker(here('vm', 1)))).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
  expect([attached.size, started, notes.at(-1)]).toEqual([
    0,
    ['worker'],
    'This computer has as many volumes attached as it may have: starting an export worker',
  ]);
});

it('a worker is started where the VM takes fewer volumes than there are copies, and the places are free again', async () => {
  mostAttached = 1;
  await expect(openAll(worker(here('vm')))).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
  expect([attached.size, started, givenBack, notes.at(-1)]).toEqual([
    0,
    ['worker'],
    1,
    'VM vm, on which Causeway runs, takes 1 more volumes and 2 are needed: starting an export worker',
  ]);
  // What it has of them already needs no room.
  mostAttached = 2;
  await openAll(worker(here('vm')));
  expect(await openAll(worker(here('vm')))).toEqual(copies.map(({ id }) => `/dev/${id}`));
  expect([attached.size, started, givenBack]).toEqual([2, ['worker'], 1]);
  // What an attempt has left there is taken from it before the worker gets it.
  await worker().stop(run(), signal);
  notes = [];
  const first = worker(here('vm'));
  await first.place(run(), copies.length, signal);
  await first.open(run(), copies[0]!, signal);
  mostAttached = 1;
  await expect(openAll(worker(here('vm')))).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
  expect([attached.size, notes.filter((note) => note.startsWith('Detaching')).length]).toEqual([0, 1]);
});

it('a copy is detached before it is deleted, and no other one is', async () => {
  await openAll(worker(here('vm')));
  const { ledger } = run('execution-2');
  const [first, second] = copies;
  await ledger.ensure(
    { kind: 'volume', key: 'copy', lifetime: 'replica' },
    { find: async () => undefined, get: async () => undefined, create: async () => ({ id: first!.id }) },
    signal,
  );
  await detachCopy(cloud, ledger, ledger.find('volume', 'copy')!, signal);
  expect([...attached.keys()]).toEqual([second!.id]);
});

it('a VM that is switched off is refused before anything is made, and a volume of another server is not taken', async () => {
  await expect(worker(here('vm-off')).check({}, signal)).rejects.toMatchObject({ code: 'engine.own-vm-unusable' });
  await expect(openAll(worker(here('vm-off')))).rejects.toMatchObject({ code: 'engine.own-vm-unusable' });
  attached.set(copies[0]!.id, 'of-someone-else');
  await expect(openAll(worker(here('vm')))).rejects.toMatchObject({ code: 'cloud.volume-in-use' });
  await worker().stop(run(), signal);
  expect([...attached]).toEqual([[copies[0]!.id, 'of-someone-else']]);
});

it('is for sources that tell devices apart alone: elsewhere a worker is started', async () => {
  const without = new ExportWorker(
    {
      cloud,
      start: async () => {
        throw new CausewayError('cloud.quota-exceeded', exportRole);
      },
      attach: async () => ({ kind: 'order', order: 1, sizeBytes }),
    },
    here('vm'),
  );
  await without.check({}, signal);
  expect(await without.place(run(), 1, signal)).toBeUndefined();
  await expect(without.open(run(), copies[0]!, signal)).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
});
