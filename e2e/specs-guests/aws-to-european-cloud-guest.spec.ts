// needs: native workers, emulated machines, slirp4netns
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { startLargePublicCloud, type LargePublicCloud } from '../rigs/large-public-cloud/start.ts';
import { run } from '../rigs/machines/child-process.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import { startSourceVm, type SourceVm } from '../rigs/source-vm.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

// An emulated system that boots twice, and is prepared in between: minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;
const MiB = 2 ** 20;

interface Way {
  readonly name: string;
  readonly connection: object;
  readonly environment: JsonObject;
}

const ways: readonly Way[] = [
  { name: 'direct', connection: { disk_access: 'ebs_direct' }, environment: {} },
  {
    name: 'worker',
    connection: { disk_access: 'worker', caller_address: '127.0.0.0/8' },
    environment: { migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718' }, worker_instance_type: 't3.medium' },
  },
];

describe.runIf(isAskedFor)('a guest that runs on QEMU, presented as an instance of the large public cloud', () => {
  let folder: string;
  let aws: LargePublicCloud;
  let lab: ProjectLab;
  let guest: SourceVm;
  let volumes: readonly string[];
  const closing: (() => Promise<unknown>)[] = [];

  function stage(text: string): void {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-awsg-'));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const image = await ensureDebianGuest((line) => void process.stderr.write(`${line}\n`));
    aws = await startLargePublicCloud({ transitionMs: 3, machines: labMachines({ worker: usualWorkerKind }) });
    closing.push(() => aws.close());
    // Emulated systems on busy processors take their time.
    lab = await startProjectLab({ outbound: true, patience: { workerMs: 2 * minute, linkMs: 2 * minute } });
    closing.push(() => lab.close());
    await openSsh();
    const { world } = aws;
    const { files } = world.ground;
    const instance = world.addInstance('source-vm', { bootMode: 'legacy-bios' });
    const [root, data] = [await world.addVolume(2), await world.addVolume(1)];
    world.attach(root, instance.id, instance.rootDevice);
    world.attach(data, instance.id, '/dev/sdf');
    volumes = [root.id, data.id];
    await run('dd', [
      `if=${join(image, 'disk.raw')}`,
      `of=${files.path(root.id)}`,
      'bs=1M',
      'conv=notrunc,sparse',
      'status=none',
    ]);
    guest = await startSourceVm({
      folder: join(folder, 'vm'),
      guest: { disks: [], key: join(image, 'id_ed25519') },
      dataDisks: volumes.map((id) => ({ path: files.path(id), format: 'raw' })),
    });
    closing.push(() => guest.close());
    // The cloud's snapshots are of one moment: the guest stands still while a file is copied.
    const copy = files.copy.bind(files);
    files.copy = async (from, to) => {
      if (!volumes.includes(from)) return copy(from, to);
      await guest.monitor.execute('stop');
      try {
        await copy(from, to);
      } finally {
        await guest.monitor.execute('cont');
      }
    };
    await guest.ssh.waitUntilUp(15 * minute);
    stage('the source answers SSH');
    for (const { name, connection, environment } of ways) {
      await lab.use(async (core) => {
        await core.call('endpoint.add', {
          name,
          plugin: 'large-public-cloud',
          connection: aws.connection(connection) as JsonObject,
        });
        await core.call('replica.create', {
          name,
          source: name,
          destination: 'cloud',
          vm: instance.id,
          sourceEnvironment: environment,
          destinationEnvironment,
        });
      });
    }
  }, 30 * minute);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const destinationEnvironment: JsonObject = {
    network_map: { production: 'production' },
    availability_zone: 'eu01-1',
    machine_type: 'g1.1',
    migr_network: 'migration',
    migr_machine_type: 'g1.1',
    migr_image_map: { linux: 'Debian 12' },
    // The lab has no metadata service: the guest's agent finds its instance on the drive.
    security_groups: ['ssh-from-here'],
    use_public_ip: true,
    use_config_drive: true,
    retain_user_credentials: true,
  };

  async function openSsh(): Promise<void> {
    const client = new RigClient(lab.cloud);
    await client.signIn();
    const { body: group } = await client.call('POST', 'security-groups', { name: 'ssh-from-here' });
    await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
      direction: 'ingress',
      protocol: 'tcp',
      portRange: { min: 22, max: 22 },
      ipRange: '127.0.0.0/8',
    });
  }

  /** One execution: what it read, and that each disk is, byte for byte, the snapshot that the cloud keeps of it. */
  async function execute(name: string, before: readonly string[]): Promise<number> {
    const execution = await lab.execute(name);
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: name }));
    const kept = [...aws.world.snapshots.values()].filter(({ id }) => !before.includes(id));
    expect(kept.map(({ volumeId }) => volumeId).toSorted()).toEqual(volumes.toSorted());
    for (const { id, volumeId } of kept) {
      const copied = disks.find(({ diskId }) => diskId === volumeId)?.volumeId ?? '';
      expect(
        await firstDifference(aws.world.ground.files.path(id), lab.cloud.volumePath(copied)),
        `${name}: ${volumeId}`,
      ).toBeUndefined();
    }
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    return events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesRead']), 0);
  }

  it(
    'is replicated while it runs by the EBS direct APIs and by a worker, in full and then by what it changed',
    async () => {
      const device = (await guest.ssh.text(`lsblk -bdnpo NAME,SIZE | awk '$2 == ${1024 * MiB} { print $1 }'`)).trim();
      await guest.ssh.text(`dd if=/dev/urandom of=${device} bs=1M count=8 seek=100 oflag=direct status=none; sync`);
      for (const { name } of ways) {
        const others = [...aws.world.snapshots.keys()];
        const full = await execute(name, others);
        stage(`${name}: copied in full, ${(full / MiB).toFixed(0)} MiB read`);
        await guest.ssh.text(
          `dd if=/dev/urandom of=${device} bs=1M count=2 seek=102 oflag=direct status=none; head -c 3000000 /dev/urandom > /srv/data/late; sync`,
        );
        const changed = await execute(name, others);
        stage(`${name}: brought up to date, ${(changed / MiB).toFixed(0)} MiB read`);
        expect(changed).toBeGreaterThan(5_000_000 - MiB);
        expect(changed).toBeLessThan(full / 4);
      }
      expect(((await guest.monitor.execute('query-status')) as { status: string }).status).toBe('running');
      expect(aws.violations).toEqual([]);
    },
    40 * minute,
  );

  it(
    'is deployed, prepared, boots and answers as what it was',
    async () => {
      const late = await guest.ssh.text('sha256sum < /srv/data/late');
      const { id } = await lab.use((core) =>
        core.call('deployment.create', {
          replica: 'worker',
          options: { bootCheck: { mode: 'network', deadlineSeconds: 1800 } },
        }),
      );
      const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-2000)}`,
      ).toMatchObject({ state: 'completed', leftBehind: 0, boot: { outcome: 'up' } });
      stage('deployed, and the network answers');
      const keyPath = join(folder, 'deployed-key');
      await copyFile(guest.ssh.access.keyPath, keyPath);
      const ssh = new RigSsh({ ...resolveAddress(deployment.server?.addresses[0] ?? '', 22), user: 'root', keyPath });
      await ssh.waitUntilUp(10 * minute);
      const shown = await ssh.text(
        'hostname; sha256sum < /srv/data/late; findmnt -no SOURCE /; (cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
        { timeoutMs: 5 * minute },
      );
      expect(shown.split('\n')).toEqual(['source-vm', late, '/dev/vda1', 'data']);
      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
      for (const { name } of ways) await lab.use((core) => core.call('replica.delete', { replica: name }));
      expect([aws.world.snapshots.size, aws.world.groups.size, [...aws.world.volumes.keys()].toSorted()]).toEqual([
        0,
        0,
        volumes.toSorted(),
      ]);
      expect(aws.violations).toEqual([]);
    },
    60 * minute,
  );
});
