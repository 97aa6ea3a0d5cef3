import { beforeEach, describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import { deploymentProject, destinationEnvironment } from './testing/deployment-project.ts';

const MiB = 1024 * 1024;
const project = deploymentProject();
const taskStates = (deployment: DeploymentDetail): Record<string, string> =>
  Object.fromEntries(deployment.tasks.map((task) => [task.id, task.state]));

describe('deploying a replica', () => {
  beforeEach(() => project.execute());

  test('makes a virtual machine from volumes of its own, keeps what was found out, and leaves the replica as it is', async () => {
    const before = project.replicaDigests();
    const volumes = project.lab.things.size;
    const deployment = await project.deploy();
    expect(deployment).toMatchObject({
      state: 'completed',
      number: 1,
      leftBehind: 0,
      kept: false,
      server: { name: 'web', addresses: ['10.0.0.5'] },
      guest: { dossier: { distribution: 'debian' }, diff: { packages: { added: { 'cloud-init': '22.4.2' } } } },
      boot: { outcome: 'up', evidence: '10.0.0.5:22 answers' },
    });
    expect(deployment.resources.map((item) => [item.kind, item.lifetime]).sort()).toEqual([
      ['nic', 'deployment'],
      ['server', 'deployment'],
      ['volume', 'deployment'],
      ['volume', 'deployment'],
    ]);
    expect(project.replicaDigests()).toEqual(before);
    expect(project.lab.things.size).toBe(volumes + 4);
    expect(await project.orphans()).toEqual([]);
    expect(project.lab.log.slice(project.lab.log.indexOf('plan'))).toEqual([
      'plan',
      'snapshot volumes',
      'volumes from snapshots',
      'create nics',
      'start worker',
      'connect',
      'stop worker',
      'create server',
      'delete snapshots',
    ]);
  });

  test('prepares the guest on a worker of its own where volumes were attached to the VM of the engine, and frees what was left there', async () => {
    await project.core.close();
    const { lab } = project;
    project.reopen({
      connectAgentHere: (_use, signal) =>
        lab.connectWorker(
          { workerId: '', host: '', sshPort: 0, httpsPort: 0, username: '', privateKeyPem: '' },
          'SSH',
          signal,
        ),
    });
    lab.ownVms.set('vm-here', 'mover');
    await project.core.call('workers.setOwnVm', { endpoint: 'to', vm: 'vm-here' });
    lab.fail(
      'detach from own VM',
      ...Array.from({ length: 4 }, () => new CausewayError('cloud.operation-failed', 'it stays', { retryable: false })),
    );
    await project.execute();
    expect(lab.attachedTo.size).toBe(2);
    lab.faults.clear();
    lab.log.length = 0;
    expect(await project.deploy()).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect([
      lab.attachedTo.size,
      lab.log.filter((step) => step === 'start worker'),
      lab.log.filter((step) => step === 'attach to own VM'),
    ]).toEqual([0, ['start worker'], []]);
  });

  test("tells the preparation the disks in order, the MAC addresses, and the environment's wishes", async () => {
    await project.deploy({
      luksKeys: [{ secret: 'luks' }],
      root: 'sda2',
      scripts: { inGuest: [{ name: 'a', content: 'true' }] },
    });
    const [request] = project.morph.requests;
    expect(request?.options).toMatchObject({
      setDhcp: false,
      retainUserCredentials: true,
      root: 'sda2',
      luksKeys: [{ key: 'open sesame' }],
      nics: [{ macAddress: 'fa:16:3e:00:00:01' }],
      scripts: { inGuest: [{ name: 'a' }] },
    });
    expect(request?.devices.map((id) => project.lab.things.get(id)?.bytes?.length)).toEqual([2 * MiB, MiB]);
    expect(JSON.stringify(await project.core.call('deployment.show', { deployment: 'web' }))).not.toContain(
      'open sesame',
    );
  });

  test("has the platform's agent installed, and drivers for the disk buses of the environment", async () => {
    await project.deploy();
    expect(project.morph.requests.at(-1)?.options).toMatchObject({
      agent: { url: 'http://169.254.169.254/agent.deb', architecture: 'x86_64' },
      diskBuses: ['virtio'],
    });
    await project.core.call('replica.update', {
      replica: 'web',
      destinationEnvironment: {
        ...destinationEnvironment,
        disk_bus: 'usb',
        custom_boot_volume_image_metadata: { disk_bus: 'ide' },
      },
    });
    await project.deploy({ agentPackage: 'none' });
    expect(project.morph.requests.at(-1)?.options).toMatchObject({ agent: undefined, diskBuses: ['ide', 'usb'] });
  });

  test('stops before the server when the guest keeps an address that its NIC does not have', async () => {
    project.guestAddresses = [{ macAddress: 'FA:16:3E:00:00:01', addresses: ['10.0.0.5'] }];
    await project.core.call('replica.update', {
      replica: 'web',
      destinationEnvironment: { ...destinationEnvironment, preserve_fixed_ips: true },
    });
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
    project.guestAddresses = [{ macAddress: 'FA:16:3E:00:00:01', addresses: ['10.0.7.7'] }];
    const refused = await project.deploy();
    expect(refused).toMatchObject({ state: 'failed', error: { code: 'deployment.address-differs' }, resources: [] });
    expect(refused.error?.message).toContain('10.0.7.7');
    expect(project.lab.log.slice(project.lab.log.lastIndexOf('plan'))).not.toContain('create server');
  });

  test('can be done again, and each can be deleted by itself', async () => {
    const first = await project.deploy();
    const second = await project.deploy({ skipMorphing: true });
    expect([second.state, second.number, project.morph.requests.length]).toEqual(['completed', 2, 1]);
    const told = await project.core.call('deployment.delete', { deployment: first.id, dryRun: true });
    expect(told).toHaveLength(4);
    await project.core.call('deployment.delete', { deployment: first.id, dryRun: false });
    expect(await project.core.call('deployment.show', { deployment: first.id })).toMatchObject({
      state: 'deleted',
      resources: [],
    });
    expect((await project.core.call('deployment.show', { deployment: second.id })).resources).toHaveLength(4);
    expect(project.lab.things.has(second.server?.id ?? '')).toBe(true);
  });

  test('outlives the replica', async () => {
    const { id, server } = await project.deploy();
    await project.core.call('replica.delete', { replica: 'web' });
    expect(project.lab.things.has(server?.id ?? '')).toBe(true);
    expect(await project.orphans()).toEqual([]);
    await project.core.call('deployment.delete', { deployment: id, dryRun: false });
    expect(project.lab.things.size).toBe(0);
  });

  test('stands on its own while the source is gone', async () => {
    project.lab.fail('describe', new CausewayError('source.unreachable', 'gone', { retryable: false }));
    await project.execute();
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
  });

  test.each([
    'plan',
    'snapshot volumes',
    'volumes from snapshots',
    'create nics',
    'start worker',
    'connect',
    'create server',
  ])('that fails at "%s" leaves the replica alone, and the next one ends well', async (step) => {
    const before = project.replicaDigests();
    const things = new Set(project.lab.things.keys());
    project.lab.fail(step, new CausewayError('general.bug', `${step} broke`));
    expect(await project.deploy()).toMatchObject({
      state: 'failed',
      leftBehind: 0,
      error: { message: `${step} broke` },
      resources: [],
    });
    expect(new Set(project.lab.things.keys())).toEqual(things);
    expect(project.replicaDigests()).toEqual(before);
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
    expect(project.replicaDigests()).toEqual(before);
  });

  test('whose preparation fails leaves no worker', async () => {
    const things = new Set(project.lab.things.keys());
    project.inGuest = () => {
      throw new CausewayError('osmorphing.initramfs', 'no room');
    };
    expect(await project.deploy()).toMatchObject({
      state: 'failed',
      error: { code: 'osmorphing.initramfs' },
      leftBehind: 0,
    });
    expect(new Set(project.lab.things.keys())).toEqual(things);
  });

  test('tries a failure that may pass on a new worker', async () => {
    let failures = 1;
    project.inGuest = () => {
      failures -= 1;
      if (failures >= 0) throw new CausewayError('osmorphing.busy', 'not yet');
    };
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
    expect(project.lab.log.filter((step) => step === 'start worker').length - 1).toBe(2);
  });

  test('and starts that one beside a worker that is not deleted completely', async () => {
    let failures = 1;
    project.inGuest = () => {
      failures -= 1;
      if (failures >= 0) throw new CausewayError('osmorphing.busy', 'not yet');
    };
    project.lab.fail('stop worker', new CausewayError('cloud.clean-up-incomplete', 'server 1: the cloud answers 500'));
    expect(await project.deploy()).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(project.lab.log.filter((step) => step === 'stop worker').length - 1).toBe(2);
  });

  // A worker without volumes costs money, which the ledger says, and harms nothing: the migration goes on.
  test('whose worker is never deleted completes, says so, and leaves it in the ledger', async () => {
    const refused = () => new CausewayError('cloud.clean-up-incomplete', 'server 1: the cloud answers 500');
    project.lab.fail('stop worker', refused(), refused(), refused());
    const deployment = await project.deploy();
    expect(deployment).toMatchObject({ state: 'completed', leftBehind: 1, server: { name: 'web' } });
    expect(project.lab.log.filter((step) => step === 'stop worker').length - 1).toBe(3);
    expect(await project.orphans()).toMatchObject([{ kind: 'server', lifetime: 'temporary' }]);
    const told = await project.core.call('deployment.events', { deployment: deployment.id });
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'note',
        message: expect.stringContaining(
          'stays in the ledger. No volume is attached to it: server 1: the cloud answers 500',
        ) as unknown,
      }),
    );
    expect(told.map(({ type }) => type)).toContain('deployment.left-behind');
  });

  test("whose worker can't be deleted and may still hold a volume fails, and makes no server from that volume", async () => {
    project.lab.fail('stop worker', new CausewayError('cloud.permission-denied', 'no', { retryable: false }));
    project.lab.fail('detach volume', new CausewayError('cloud.volume-in-use', 'volume 1 is attached to server 1'));
    const deployment = await project.deploy();
    expect(deployment).toMatchObject({
      state: 'failed',
      error: { code: 'deployment.clean-up-failed', message: 'no; volume 1 is attached to server 1' },
    });
    expect(taskStates(deployment)).toMatchObject({ 'create-server': 'skipped', 'settle-deployment': 'completed' });
    expect(await project.orphans()).toMatchObject([{ kind: 'server', lifetime: 'temporary' }]);
  });

  test("whose guest stops fails with the console's text and is undone", async () => {
    project.answersSsh = false;
    project.lab.consoleText =
      'Loading\r\nGave up waiting for root file system device.  Common problems:\r\n(initramfs) ';
    const things = project.lab.things.size;
    const deployment = await project.deploy();
    expect(deployment).toMatchObject({
      state: 'failed',
      error: { code: 'deployment.boot-failed' },
      boot: { outcome: 'failed' },
      resources: [],
    });
    expect(deployment.boot?.console).toContain('Gave up waiting for root file system device');
    expect(project.lab.things.size).toBe(things);
  });

  test('whose guest stops can be kept for a look, and deleted later', async () => {
    project.answersSsh = false;
    project.lab.consoleText = 'Kernel panic - not syncing: VFS: Unable to mount root fs';
    const things = project.lab.things.size;
    const deployment = await project.deploy({ onFailedBoot: 'keep' });
    expect(deployment).toMatchObject({ state: 'failed', kept: true, leftBehind: 0 });
    expect(deployment.resources.map((item) => item.kind)).toContain('server');
    expect(await project.orphans()).toEqual([]);
    await project.core.call('deployment.delete', { deployment: deployment.id, dryRun: false });
    expect(project.lab.things.size).toBe(things);
  });

  test('whose preparation fails can keep its worker', async () => {
    const things = project.lab.things.size;
    project.inGuest = () => {
      throw new CausewayError('osmorphing.command-failed', 'dpkg');
    };
    const deployment = await project.deploy({ keepWorkerOnFailure: true });
    expect(deployment).toMatchObject({ state: 'failed', kept: true });
    expect(project.morph.requests).toHaveLength(1);
    expect(project.morph.requests[0]?.options.keepMountedOnFailure).toBe(true);
    expect(deployment.resources).toContainEqual(expect.objectContaining({ kind: 'server', lifetime: 'temporary' }));
    await project.core.call('deployment.delete', { deployment: deployment.id, dryRun: false });
    expect(project.lab.things.size).toBe(things);
  });

  test('that is cancelled undoes what it made', async () => {
    const things = new Set(project.lab.things.keys());
    const stopped = project.stopInGuest();
    const { id } = await project.core.call('deployment.create', { replica: 'web' });
    await stopped;
    await project.core.call('deployment.cancel', { deployment: 'web' });
    expect(await project.settled(id)).toMatchObject({ state: 'cancelled', leftBehind: 0 });
    expect(new Set(project.lab.things.keys())).toEqual(things);
  });

  test('goes on after the engine was killed in its middle, with the same volumes', async () => {
    const stopped = project.stopInGuest();
    const { id } = await project.core.call('deployment.create', { replica: 'web' });
    await stopped;
    const volumes = [...project.lab.things].filter(([, thing]) => thing.bytes !== undefined).map(([thing]) => thing);
    project.reopen();
    project.inGuest = () => undefined;
    expect(await project.core.call('deployment.show', { deployment: id })).toMatchObject({ state: 'interrupted' });
    await expect(project.core.call('replica.delete', { replica: 'web' })).rejects.toMatchObject({
      code: 'deployment.active',
    });
    await project.core.call('deployment.resume', {});
    expect(await project.settled(id)).toMatchObject({ state: 'completed', leftBehind: 0 });
    for (const { kind, resourceId } of (await project.core.call('deployment.show', { deployment: id })).resources) {
      if (kind === 'volume') expect(volumes).toContain(resourceId);
    }
  });
});

describe('in place', () => {
  beforeEach(() => project.execute());

  test("the replica's volumes become the virtual machine's, and its next execution begins anew", async () => {
    const volumes = [...project.lab.things.keys()];
    const { id, state, resources } = await project.deploy({ inPlace: true });
    expect(state).toBe('completed');
    expect(
      resources
        .filter((item) => item.kind === 'volume')
        .map((item) => item.resourceId)
        .sort(),
    ).toEqual(volumes.sort());
    expect((await project.core.call('replica.show', { replica: 'web' })).lastSuccess).toBeUndefined();
    await project.execute();
    expect(project.lab.log).not.toContain('restore volumes');
    expect(
      (await project.core.call('replica.show', { replica: 'web' })).disks.every(
        (disk) => !volumes.includes(disk.volumeId ?? ''),
      ),
    ).toBe(true);
    await project.core.call('replica.delete', { replica: 'web' });
    expect(volumes.every((volume) => project.lab.things.has(volume))).toBe(true);
    await project.core.call('deployment.delete', { deployment: id, dryRun: false });
    expect(project.lab.things.size).toBe(0);
  });

  test('a failure gives the replica its content back, and it can be deployed again without a new copy', async () => {
    const before = project.replicaDigests();
    project.inGuest = ({ devices }) => {
      project.lab.things.get(devices[0] ?? '')?.bytes?.fill(0xee);
      throw new CausewayError('osmorphing.initramfs', 'no room');
    };
    expect(await project.deploy({ inPlace: true })).toMatchObject({ state: 'failed', leftBehind: 0 });
    expect(project.replicaDigests()).toEqual(before);
    project.inGuest = () => undefined;
    expect(await project.deploy({ inPlace: true })).toMatchObject({ state: 'completed' });
  });

  test('nothing of a failed one is kept, because the replica is in it', async () => {
    await expect(
      project.core.call('deployment.create', { replica: 'web', options: { inPlace: true, onFailedBoot: 'keep' } }),
    ).rejects.toMatchObject({
      code: 'general.invalid-input',
    });
  });
});
