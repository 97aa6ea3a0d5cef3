import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type DeploymentDetail, type DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { MorphRequest } from '../osmorphing/index.ts';
import { createCore, type Core } from './core.ts';
import { memoryVault, MemoryLab } from './testing/memory-lab.ts';
import { recordingMorph } from './testing/recording-morph.ts';

const MiB = 1024 * 1024;
let folder: string;
let lab: MemoryLab;
let core: Core;
let inGuest: (request: MorphRequest) => Promise<void> | void;
let morph: ReturnType<typeof recordingMorph>;
let answersSsh: boolean;

const destinationEnvironment = {
  network_map: { default: 'net' }, availability_zone: 'eu01-1', migr_network: 'net', migr_machine_type: 'g1.1', machine_type: 'g1.1',
  migr_image_map: { linux: 'debian' }, set_dhcp: false, retain_user_credentials: true,
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-deploy-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]));
  lab.disks.set('disk-1', randomBytes(MiB));
  answersSsh = true;
  inGuest = ({ devices }) => void lab.things.get(devices[0] ?? '')?.bytes?.fill(0xaa, 0, 4096);
  morph = recordingMorph((request) => inGuest(request));
  core = open();
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', {
    name: 'to', plugin: 'european-cloud',
    connection: { project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11', region_name: 'eu01', service_account_key: { $secret: 'key' } },
  });
  await core.call('replica.create', { name: 'web', source: 'from', destination: 'to', vm: 'web', destinationEnvironment });
});
afterEach(async () => {
  await core.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Core {
  return createCore({
    projectFolder: folder, vault: memoryVault({ key: '{}', luks: 'open sesame' }), platforms: lab.platforms, connectWorker: lab.connectWorker,
    guests: morph.guests,
    bootProbe: async () => {
      if (!answersSsh) throw new Error('nobody there');
    },
  });
}

async function execute(): Promise<void> {
  await core.call('replica.execute', { replica: 'web' });
  await core.drain();
}

async function deploy(options: DeploymentOptions = {}, on: Core = core): Promise<DeploymentDetail> {
  const { id } = await on.call('deployment.create', { replica: 'web', options });
  return settled(id, on);
}

async function settled(id: string, on: Core = core): Promise<DeploymentDetail> {
  await on.drain();
  const deployment = await on.call('deployment.show', { deployment: id });
  expect(isTerminalDeployment(deployment.state)).toBe(true);
  return deployment;
}

const digest = (bytes: Buffer | undefined): string => createHash('sha256').update(bytes ?? '').digest('hex');
const replicaDigests = (): string[] => [...lab.disks.keys()].map((id) => digest(lab.volumeOf(id)));
const taskStates = (deployment: DeploymentDetail): Record<string, string> => Object.fromEntries(deployment.tasks.map((task) => [task.id, task.state]));
const orphans = () => core.call('ledger.list', { orphansOnly: true });

/** Resolves in the middle of a preparation, from where on it never goes on. */
function stopInGuest(): Promise<void> {
  const reached = Promise.withResolvers<void>();
  inGuest = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      reached.resolve();
    });
  return reached.promise;
}

describe('deploying a replica', () => {
  beforeEach(execute);

  test('makes a virtual machine from volumes of its own, keeps what was found out, and leaves the replica as it is', async () => {
    const before = replicaDigests();
    const volumes = lab.things.size;
    const deployment = await deploy();
    expect(deployment).toMatchObject({
      state: 'completed', number: 1, leftBehind: 0, kept: false, server: { name: 'web', addresses: ['10.0.0.5'] },
      guest: { dossier: { distribution: 'debian' }, diff: { packages: { added: { 'cloud-init': '22.4.2' } } } }, boot: { outcome: 'up', evidence: '10.0.0.5:22 answers' },
    });
    expect(deployment.resources.map((item) => [item.kind, item.lifetime]).sort()).toEqual([
      ['nic', 'deployment'], ['server', 'deployment'], ['volume', 'deployment'], ['volume', 'deployment'],
    ]);
    expect(replicaDigests()).toEqual(before);
    expect(lab.things.size).toBe(volumes + 4);
    expect(await orphans()).toEqual([]);
    expect(lab.log.slice(lab.log.indexOf('plan'))).toEqual([
      'plan', 'snapshot volumes', 'volumes from snapshots', 'create nics', 'start worker', 'connect', 'stop worker', 'create server', 'delete snapshots',
    ]);
  });

  test('tells the preparation the disks in order, the MAC addresses, and the environment\'s wishes', async () => {
    await deploy({ luksKeys: [{ secret: 'luks' }], root: 'sda2', scripts: { inGuest: [{ name: 'a', content: 'true' }] } });
    const [request] = morph.requests;
    expect(request?.options).toMatchObject({
      setDhcp: false, retainUserCredentials: true, root: 'sda2', luksKeys: [{ key: 'open sesame' }], nics: [{ macAddress: 'fa:16:3e:00:00:01' }],
      scripts: { inGuest: [{ name: 'a' }] },
    });
    expect(request?.devices.map((id) => lab.things.get(id)?.bytes?.length)).toEqual([2 * MiB, MiB]);
    expect(JSON.stringify(await core.call('deployment.show', { deployment: 'web' }))).not.toContain('open sesame');
  });

  test('can be done again, and each can be deleted by itself', async () => {
    const first = await deploy();
    const second = await deploy({ skipMorphing: true });
    expect([second.state, second.number, morph.requests.length]).toEqual(['completed', 2, 1]);
    const told = await core.call('deployment.delete', { deployment: first.id, dryRun: true });
    expect(told).toHaveLength(4);
    await core.call('deployment.delete', { deployment: first.id, dryRun: false });
    expect(await core.call('deployment.show', { deployment: first.id })).toMatchObject({ state: 'deleted', resources: [] });
    expect((await core.call('deployment.show', { deployment: second.id })).resources).toHaveLength(4);
    expect(lab.things.has(second.server?.id ?? '')).toBe(true);
  });

  test('outlives the replica', async () => {
    const { id, server } = await deploy();
    await core.call('replica.delete', { replica: 'web' });
    expect(lab.things.has(server?.id ?? '')).toBe(true);
    expect(await orphans()).toEqual([]);
    await core.call('deployment.delete', { deployment: id, dryRun: false });
    expect(lab.things.size).toBe(0);
  });

  test('stands on its own while the source is gone', async () => {
    lab.fail('describe', new CausewayError('source.unreachable', 'gone', { retryable: false }));
    await execute();
    expect(await deploy()).toMatchObject({ state: 'completed' });
  });

  test.each(['plan', 'snapshot volumes', 'volumes from snapshots', 'create nics', 'start worker', 'connect', 'create server'])(
    'that fails at "%s" leaves the replica alone, and the next one ends well', async (step) => {
      const before = replicaDigests();
      const things = new Set(lab.things.keys());
      lab.fail(step, new CausewayError('general.bug', `${step} broke`));
      expect(await deploy()).toMatchObject({ state: 'failed', leftBehind: 0, error: { message: `${step} broke` }, resources: [] });
      expect(new Set(lab.things.keys())).toEqual(things);
      expect(replicaDigests()).toEqual(before);
      expect(await deploy()).toMatchObject({ state: 'completed' });
      expect(replicaDigests()).toEqual(before);
    },
  );

  test('whose preparation fails leaves no worker', async () => {
    const things = new Set(lab.things.keys());
    inGuest = () => {
      throw new CausewayError('osmorphing.initramfs', 'no room');
    };
    expect(await deploy()).toMatchObject({ state: 'failed', error: { code: 'osmorphing.initramfs' }, leftBehind: 0 });
    expect(new Set(lab.things.keys())).toEqual(things);
  });

  test('tries a failure that may pass on a new worker', async () => {
    let failures = 1;
    inGuest = () => {
      failures -= 1;
      if (failures >= 0) throw new CausewayError('osmorphing.busy', 'not yet');
    };
    expect(await deploy()).toMatchObject({ state: 'completed' });
    expect(lab.log.filter((step) => step === 'start worker').length - 1).toBe(2);
  });

  test('whose worker can\'t be removed fails, and makes no server from volumes that it may still hold', async () => {
    lab.fail('stop worker', new CausewayError('cloud.permission-denied', 'no', { retryable: false }));
    const deployment = await deploy();
    expect(deployment).toMatchObject({ state: 'failed', error: { code: 'deployment.clean-up-failed' } });
    expect(taskStates(deployment)).toMatchObject({ 'create-server': 'skipped', 'settle-deployment': 'completed' });
    expect(await orphans()).toMatchObject([{ kind: 'server', lifetime: 'temporary' }]);
  });

  test('whose guest stops fails with the console\'s text and is undone', async () => {
    answersSsh = false;
    lab.consoleText = 'Loading\r\nGave up waiting for root file system device.  Common problems:\r\n(initramfs) ';
    const things = lab.things.size;
    const deployment = await deploy();
    expect(deployment).toMatchObject({ state: 'failed', error: { code: 'deployment.boot-failed' }, boot: { outcome: 'failed' }, resources: [] });
    expect(deployment.boot?.console).toContain('Gave up waiting for root file system device');
    expect(lab.things.size).toBe(things);
  });

  test('whose guest stops can be kept for a look, and deleted later', async () => {
    answersSsh = false;
    lab.consoleText = 'Kernel panic - not syncing: VFS: Unable to mount root fs';
    const things = lab.things.size;
    const deployment = await deploy({ onFailedBoot: 'keep' });
    expect(deployment).toMatchObject({ state: 'failed', kept: true, leftBehind: 0 });
    expect(deployment.resources.map((item) => item.kind)).toContain('server');
    expect(await orphans()).toEqual([]);
    await core.call('deployment.delete', { deployment: deployment.id, dryRun: false });
    expect(lab.things.size).toBe(things);
  });

  test('whose preparation fails can keep its worker', async () => {
    const things = lab.things.size;
    inGuest = () => {
      throw new CausewayError('osmorphing.command-failed', 'dpkg');
    };
    const deployment = await deploy({ keepWorkerOnFailure: true });
    expect(deployment).toMatchObject({ state: 'failed', kept: true });
    expect(morph.requests).toHaveLength(1);
    expect(morph.requests[0]?.options.keepMountedOnFailure).toBe(true);
    expect(deployment.resources).toContainEqual(expect.objectContaining({ kind: 'server', lifetime: 'temporary' }));
    await core.call('deployment.delete', { deployment: deployment.id, dryRun: false });
    expect(lab.things.size).toBe(things);
  });

  test('that is cancelled undoes what it made', async () => {
    const things = new Set(lab.things.keys());
    const stopped = stopInGuest();
    const { id } = await core.call('deployment.create', { replica: 'web' });
    await stopped;
    await core.call('deployment.cancel', { deployment: 'web' });
    expect(await settled(id)).toMatchObject({ state: 'cancelled', leftBehind: 0 });
    expect(new Set(lab.things.keys())).toEqual(things);
  });

  test('goes on after the engine was killed in its middle, with the same volumes', async () => {
    const stopped = stopInGuest();
    const { id } = await core.call('deployment.create', { replica: 'web' });
    await stopped;
    const volumes = [...lab.things].filter(([, thing]) => thing.bytes !== undefined).map(([thing]) => thing);
    core = open();
    inGuest = () => undefined;
    expect(await core.call('deployment.show', { deployment: id })).toMatchObject({ state: 'interrupted' });
    await expect(core.call('replica.delete', { replica: 'web' })).rejects.toMatchObject({ code: 'deployment.active' });
    await core.call('deployment.resume', {});
    expect(await settled(id)).toMatchObject({ state: 'completed', leftBehind: 0 });
    for (const { kind, resourceId } of (await core.call('deployment.show', { deployment: id })).resources) {
      if (kind === 'volume') expect(volumes).toContain(resourceId);
    }
  });
});

describe('an engine that is killed right after a step, before it hears of it', () => {
  beforeEach(execute);

  async function killedAfter(step: string, options: DeploymentOptions): Promise<string> {
    const reached = Promise.withResolvers<void>();
    lab.beforeAnswer = async (each) => {
      if (each !== step) return;
      lab.beforeAnswer = async () => undefined;
      reached.resolve();
      await new Promise(() => undefined);
    };
    const { id } = await core.call('deployment.create', { replica: 'web', options });
    await reached.promise;
    core = open();
    await core.call('deployment.resume', { deployment: id });
    return id;
  }

  test.each(['snapshot volumes', 'volumes from snapshots', 'create nics', 'start worker', 'stop worker', 'create server', 'delete snapshots'])(
    'goes on after "%s" to one virtual machine, nothing twice and nothing left', async (step) => {
      const [before, things] = [replicaDigests(), lab.things.size];
      expect(await settled(await killedAfter(step, {}))).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect([replicaDigests(), lab.things.size, await orphans()]).toEqual([before, things + 4, []]);
    },
  );

  test.each(['adopt volumes', 'delete snapshots'])('goes on after "%s" in place, with every volume in the ledger once', async (step) => {
    const things = lab.things.size;
    const { resources, state } = await settled(await killedAfter(step, { inPlace: true }));
    expect([state, resources.filter((item) => item.kind === 'volume').length, lab.things.size, await orphans()]).toEqual(['completed', 2, things + 2, []]);
  });

  test.each(['restore volumes', 'roll back'])('goes on after "%s" until the replica is alone and whole', async (step) => {
    const [before, things] = [replicaDigests(), lab.things.size];
    inGuest = ({ devices }) => {
      lab.things.get(devices[0] ?? '')?.bytes?.fill(0xee);
      throw new CausewayError('osmorphing.initramfs', 'no room');
    };
    expect(await settled(await killedAfter(step, { inPlace: true }))).toMatchObject({ state: 'failed', error: { code: 'osmorphing.initramfs' }, leftBehind: 0 });
    expect([replicaDigests(), lab.things.size]).toEqual([before, things]);
  });
});

test('a replica whose volumes could not be put back is compared anew by its next execution', async () => {
  await execute();
  const before = replicaDigests();
  lab.fail('restore volumes', new CausewayError('cloud.operation-failed', 'no', { retryable: false }));
  inGuest = ({ devices }) => {
    lab.things.get(devices[0] ?? '')?.bytes?.fill(0xee);
    throw new CausewayError('osmorphing.initramfs', 'no room');
  };
  expect([(await deploy({ inPlace: true })).state, replicaDigests()]).not.toEqual(['failed', before]);
  await execute();
  expect(replicaDigests()).toEqual(before);
});

describe('what may not run together', () => {
  test('a replica that was never executed is not deployed', async () => {
    await expect(core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({ code: 'deployment.never-executed' });
  });

  test('a replica is not deployed while it is executed', async () => {
    await execute();
    lab.disks.get('disk-1')?.fill(1);
    const writing = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    lab.beforeWrite = async () => {
      writing.resolve();
      await goOn.promise;
    };
    await core.call('replica.execute', { replica: 'web' });
    await writing.promise;
    await expect(core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({ code: 'engine.execution-active' });
    goOn.resolve();
    await core.drain();
    expect(await deploy()).toMatchObject({ state: 'completed' });
  });

  test('an execution may run beside a deployment that has its own volumes, not beside one in place', async () => {
    await execute();
    const stopped = stopInGuest();
    await core.call('deployment.create', { replica: 'web' });
    await stopped;
    await expect(core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({ code: 'deployment.active' });
    const { id } = await core.call('replica.execute', { replica: 'web' });
    await core.call('deployment.cancel', { deployment: 'web' });
    await core.drain();
    expect(await core.call('execution.show', { execution: id })).toMatchObject({ state: 'completed' });

    const again = stopInGuest();
    await core.call('deployment.create', { replica: 'web', options: { inPlace: true } });
    await again;
    await expect(core.call('replica.execute', { replica: 'web' })).rejects.toMatchObject({ code: 'deployment.active' });
    await core.call('deployment.cancel', { deployment: 'web' });
    await core.drain();
  });

  test('half-written volumes are not deployed, unless that is asked for', async () => {
    await execute();
    lab.disks.get('disk-1')?.fill(1);
    lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
    await execute();
    expect(await deploy()).toMatchObject({ state: 'failed', error: { code: 'deployment.inconsistent' } });
    expect(await deploy({ acceptInconsistent: true })).toMatchObject({ state: 'completed' });
    await execute();
    expect(await deploy()).toMatchObject({ state: 'completed' });
  });
});

describe('in place', () => {
  beforeEach(execute);

  test('the replica\'s volumes become the virtual machine\'s, and its next execution begins anew', async () => {
    const volumes = [...lab.things.keys()];
    const { id, state, resources } = await deploy({ inPlace: true });
    expect(state).toBe('completed');
    expect(resources.filter((item) => item.kind === 'volume').map((item) => item.resourceId).sort()).toEqual(volumes.sort());
    expect((await core.call('replica.show', { replica: 'web' })).lastSuccess).toBeUndefined();
    await execute();
    expect(lab.log).not.toContain('restore volumes');
    expect((await core.call('replica.show', { replica: 'web' })).disks.every((disk) => !volumes.includes(disk.volumeId ?? ''))).toBe(true);
    await core.call('replica.delete', { replica: 'web' });
    expect(volumes.every((volume) => lab.things.has(volume))).toBe(true);
    await core.call('deployment.delete', { deployment: id, dryRun: false });
    expect(lab.things.size).toBe(0);
  });

  test('a failure gives the replica its content back, and it can be deployed again without a new copy', async () => {
    const before = replicaDigests();
    inGuest = ({ devices }) => {
      lab.things.get(devices[0] ?? '')?.bytes?.fill(0xee);
      throw new CausewayError('osmorphing.initramfs', 'no room');
    };
    expect(await deploy({ inPlace: true })).toMatchObject({ state: 'failed', leftBehind: 0 });
    expect(replicaDigests()).toEqual(before);
    inGuest = () => undefined;
    expect(await deploy({ inPlace: true })).toMatchObject({ state: 'completed' });
  });

  test('nothing of a failed one is kept, because the replica is in it', async () => {
    await expect(core.call('deployment.create', { replica: 'web', options: { inPlace: true, onFailedBoot: 'keep' } })).rejects.toMatchObject({
      code: 'general.invalid-input',
    });
  });
});

describe('a migration', () => {
  test('executes, shuts the source down, brings what changed, and deploys', async () => {
    const { id } = await core.call('deployment.create', { replica: 'web', options: { execute: { lastPass: true } } });
    const deployment = await settled(id);
    expect(deployment).toMatchObject({ state: 'completed', executionIds: [expect.any(String), expect.any(String)] });
    expect(lab.log.filter((step) => ['snapshot', 'shut down', 'create server'].includes(step))).toEqual(['snapshot', 'shut down', 'snapshot', 'create server']);
  });

  test('ends with its execution, whose error it tells', async () => {
    lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
    const { id } = await core.call('deployment.create', { replica: 'web', options: { execute: {} } });
    expect(await settled(id)).toMatchObject({ state: 'failed', error: { code: 'deployment.execution-failed', cause: { message: 'storage broke' } }, resources: [] });
  });

  test('goes on after the engine was killed in its copy, with the same execution', async () => {
    const reached = Promise.withResolvers<void>();
    lab.beforeWrite = async () => {
      lab.generation += 1;
      lab.beforeWrite = async () => undefined;
      reached.resolve();
    };
    const { id } = await core.call('deployment.create', { replica: 'web', options: { execute: {} } });
    await reached.promise;
    core = open();
    await core.call('deployment.resume', { deployment: id });
    const deployment = await settled(id);
    expect([deployment.state, deployment.executionIds.length]).toEqual(['completed', 1]);
    expect(await core.call('execution.list', {})).toHaveLength(1);
  });

  test('that is cancelled in its copy cancels that', async () => {
    const writing = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    lab.beforeWrite = async () => {
      writing.resolve();
      await goOn.promise;
    };
    const { id } = await core.call('deployment.create', { replica: 'web', options: { execute: {} } });
    await writing.promise;
    await core.call('deployment.cancel', { deployment: id });
    goOn.resolve();
    const deployment = await settled(id);
    expect(deployment).toMatchObject({ state: 'cancelled' });
    expect(await core.call('execution.show', { execution: deployment.executionIds[0] ?? '' })).toMatchObject({ state: 'cancelled' });
  });
});
