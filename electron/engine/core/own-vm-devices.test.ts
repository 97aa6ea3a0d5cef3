// VMs that engines run on, at clouds whose devices have no serials: which device is a volume's, and which a disk of the user's.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import type { TakeTurnHere } from '../executions/own-vms.ts';
import type { ThisComputer } from '../ports/own-vm.ts';
import type { WorkerDevice } from '../ports/write-target.ts';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
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
const silent: ThisComputer = {
  metadata: async () => undefined,
  cloudInitId: async () => undefined,
  productUuid: async () => undefined,
  bootId: () => 'boot-1',
};
let folders: string[];
let cores: Core[];
let lab: MemoryLab;
/** Which VM the computer is. */
let vmHere: string;
/** Disks of the user's on it. */
let ofUser: WorkerDevice[];
let opened: string[];
/** Who has the turn, and who had one when another one had it. */
let inTurn: number;
let mostInTurn: number;
let turns: Promise<unknown>;

/** What every engine on the computer goes through. */
const takeTurn: TakeTurnHere = async () => {
  const before = turns;
  const { promise, resolve } = Promise.withResolvers<void>();
  turns = promise;
  await before;
  mostInTurn = Math.max(mostInTurn, (inTurn += 1));
  return {
    lost: new AbortController().signal,
    async release() {
      inTurn -= 1;
      resolve();
    },
  };
};
const named = (volumeId: string): string => `/dev/${volumeId}`;
const diskLike = (volumeId: string): WorkerDevice => ({
  path: named(volumeId),
  serial: '',
  byPath: [],
  sizeBytes: 2 * MiB,
  inUse: false,
});

function open(folder: string, more: Partial<CoreOptions> = {}): Core {
  const core = createCore({
    projectFolder: folder,
    vault: lab.vault(undefined, folder),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    slowWorkerMs: 20,
    workerPatienceMs: 150,
    clock: createHastyClock(),
    thisComputer: silent,
    takeTurnHere: takeTurn,
    connectAgentHere: async (_use, signal) => {
      const session = await lab.connectWorker(
        { workerId: '', host: '', sshPort: 0, httpsPort: 0, username: '', privateKeyPem: '' },
        'SSH',
        signal,
      );
      const here = async (within: AbortSignal) => [
        ...(await session.devices(within))
          .filter(({ path }) => lab.attachedTo.get(path) === vmHere)
          .map((device) => ({ ...device, path: named(device.path), serial: '' })),
        ...ofUser,
      ];
      return {
        ...session,
        devices: here,
        open: async (device, within) => {
          opened.push(device.path);
          if (ofUser.some(({ path }) => path === device.path))
            throw new Error(`${device.path} is a disk of the user's`);
          return session.open({ ...device, path: device.path.replace('/dev/', '') }, within);
        },
      };
    },
    ...more,
  });
  cores.push(core);
  return core;
}

async function project(more: Partial<CoreOptions> = {}): Promise<Core> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-own-vm-devices-'));
  folders.push(folder);
  const core = open(folder, more);
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
  return core;
}

beforeEach(() => {
  lab = new MemoryLab();
  [folders, cores, vmHere, ofUser, opened, inTurn, mostInTurn, turns] = [
    [],
    [],
    'vm-here',
    [],
    [],
    0,
    0,
    Promise.resolve(),
  ];
  lab.disks.set('disk-0', Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]));
  lab.ownVms.set('vm-here', 'mover-1').set('vm-there', 'mover-2');
  // As Oracle classic names devices: by the place of the attachment.
  lab.identity = ({ id, sizeBytes }) => ({ kind: 'by-path', path: id, sizeBytes });
});
afterEach(async () => {
  for (const core of cores) await core.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function ended(core: Core, id: string): Promise<Execution> {
  await vi.waitFor(
    async () => expect(isTerminalExecution((await core.call('execution.show', { execution: id })).state)).toBe(true),
    patience,
  );
  await core.drain();
  return core.call('execution.show', { execution: id });
}
const execute = async (core: Core): Promise<Execution> =>
  ended(core, (await core.call('replica.execute', { replica: 'web' })).id);
const count = (step: string): number => lab.log.filter((line) => line === step).length;
const messages = async (core: Core, { id }: Execution): Promise<readonly string[]> =>
  (await core.call('execution.events', { execution: id, limit: 1000 })).map(({ message }) => message);

test("a disk of the user's that appears with the name and the size of a volume which went to another VM is neither read nor written", async () => {
  const core = await project();
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-there' });
  lab.onAttach = (id) => {
    ofUser = [diskLike(id)];
  };
  const execution = await execute(core);
  expect(opened).toEqual([]);
  expect([execution, lab.bytesWritten, lab.attachedTo.size]).toMatchObject([
    { state: 'failed', leftBehind: 0, error: { code: 'engine.own-vm-mismatch' } },
    0,
    0,
  ]);
});

test("a disk of the user's that appears beside the volume is refused before anything is opened, and left alone afterwards", async () => {
  const core = await project();
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  lab.onAttach = () => {
    if (ofUser.length === 0) ofUser = [{ ...diskLike('sdx'), sizeBytes: 5 * MiB }];
  };
  const execution = await execute(core);
  expect(await messages(core, execution)).toContainEqual(
    expect.stringMatching(/1 volume was attached, and 2 devices appeared/),
  );
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(new Set(opened)).toEqual(new Set([...lab.things.keys()].map(named)));
});

test('engines of several projects on one computer attach one after the other, and each gets its own devices', async () => {
  const both = [await project(), await project()];
  for (const core of both) await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  const executions = await Promise.all(both.map(execute));
  expect(executions).toMatchObject([
    { state: 'completed', leftBehind: 0 },
    { state: 'completed', leftBehind: 0 },
  ]);
  expect([mostInTurn, inTurn, count('start worker')]).toEqual([1, 0, 0]);
  expect(lab.volumes.map((volume) => volume.equals(lab.disks.get('disk-0')!))).toEqual([true, true]);
});

test('the device of a volume is seen to go and to come back once for each VM and start of the computer, where nothing names the VM', async () => {
  let boot = 'boot-1';
  const core = await project({ thisComputer: { ...silent, bootId: () => boot } });
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  const attachments: number[] = [];
  const run = async (): Promise<void> => {
    const before = count('attach to own VM');
    expect(await execute(core)).toMatchObject({ state: 'completed', leftBehind: 0 });
    attachments.push(count('attach to own VM') - before);
  };
  await run();
  await run();
  // Another number of volumes does not matter, and another start of the computer does: it may be a copy.
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here', volumes: 3 });
  await run();
  boot = 'boot-2';
  await run();
  // What names the VM is as good.
  lab.hints = [{ vmId: 'VM-here', by: 'metadata-service' }];
  lab.ownVms.set('VM-here', 'mover-1');
  boot = 'boot-3';
  await run();
  expect(attachments).toEqual([2, 1, 1, 2, 1]);
});

test('nothing is attached to a VM when the computer names another one by now', async () => {
  const core = await project();
  await core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
  lab.hints = [{ vmId: 'vm-there', by: 'metadata-service' }];
  const execution = await execute(core);
  expect(execution).toMatchObject({
    state: 'failed',
    leftBehind: 0,
    error: {
      code: 'engine.own-vm-mismatch',
      message: 'this computer is VM mover-2 (vm-there, by the metadata service), and not vm-here',
    },
  });
  expect(count('attach to own VM')).toBe(0);
});
