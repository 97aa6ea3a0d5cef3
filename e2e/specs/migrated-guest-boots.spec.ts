import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail } from '../../shared/model/deployment.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';
import { startSourceVm, type SourceVm } from '../rigs/source-vm.ts';

// Three emulated systems, one after the other: minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1' && process.geteuid?.() === 0;
const minute = 60_000;

/** What others know it by, and where its packages come from: host keys, accounts, settings of its SSH server, package sources. */
const identity = [
  'cd /etc && sha256sum ssh/ssh_host_* passwd ssh/sshd_config', 'cat ssh/sshd_config.d/* 2>/dev/null', 'sha256sum $(find apt/sources.list* -type f | sort) 2>/dev/null',
  'cut -d: -f1,2 shadow | sha256sum', 'sha256sum < /root/.ssh/authorized_keys',
].join('; ');

/** One line on the error stream for each stage, because it takes so long. */
function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/**
 * That the same guest stops at "Gave up waiting for root file system device" on virtio before it is prepared is shown
 * by `lab-guests.spec.ts`.
 */
describe.runIf(isAskedFor)('a Debian on SATA that knows no virtio', () => {
  let folder: string;
  let vm: SourceVm;
  let lab: ProjectLab;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-chain-'));
    [vm, lab] = await Promise.all([startSourceVm({ folder: join(folder, 'vm') }), startProjectLab({ outbound: true })]);
    await vm.ssh.waitUntilUp(5 * minute);
    // The emulator stays when its guest is off, as hypervisors do, so that its disks can be read then.
    await vm.monitor.execute('set-action', { shutdown: 'pause' });
    stage('the source answers SSH');
  }, 10 * minute);
  afterAll(async () => {
    await vm?.close();
    await lab?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is copied while it runs, changed, migrated with a last pass after its shutdown, and answers SSH on virtio', async () => {
    await openSshFor(lab);
    await lab.use(async (core) => {
      await core.call('endpoint.add', { name: 'hypervisor', plugin: 'qemu-hypervisor', connection: { qmp_socket: vm.qmpSocket, os_type: 'linux' } });
      const [found] = await core.call('vm.list', { endpoint: 'hypervisor' });
      await core.call('replica.create', {
        name: 'debian', source: 'hypervisor', destination: 'cloud', vm: found?.id ?? '',
        destinationEnvironment: {
          network_map: { net0: 'production' }, availability_zone: 'eu01-1', migr_network: 'migration', migr_machine_type: 'g1.1',
          migr_image_map: { linux: 'Debian 12' }, security_groups: ['ssh-from-here'], use_public_ip: true, data_transfer_mechanism: 'HTTPS',
          // The lab has no metadata service; the drive is where the guest's agent finds its instance.
          use_config_drive: true, retain_user_credentials: true,
        },
      });
      await core.call('replica.execute', { replica: 'debian' });
    });
    const [first] = await lab.use((core) => core.call('execution.list', { replica: 'debian' }));
    expect(first, first?.error?.message).toMatchObject({ state: 'completed' });
    stage('copied while it ran');

    const late = await vm.ssh.text('head -c 3000000 /dev/urandom > /srv/data/late && sync && sha256sum < /srv/data/late');
    const knownBy = await vm.ssh.text(identity);
    const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'debian', options: { execute: { lastPass: true }, bootCheck: { mode: 'network' } } }));
    const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
    tellTimes(deployment);
    expect(deployment, `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-2000)}`).toMatchObject({
      state: 'completed', leftBehind: 0, kept: false, boot: { outcome: 'up' }, guest: { dossier: { distribution: 'debian', bootloader: 'grub-bios', cloudInit: null } },
    });
    expect(deployment.executionIds).toHaveLength(2);
    expect(Object.keys(deployment.guest?.diff.packages.added ?? {})).toContain('cloud-init');

    // The replica is what the source was at the end; nothing of the preparation is in it.
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'debian' }));
    expect(await lab.difference('debian', { [disks[0]?.diskId ?? '']: vm.disks[0]?.path ?? '' })).toBeUndefined();

    const ssh = await guestShell(deployment, folder);
    await ssh.waitUntilUp(3 * minute);
    const shown = await ssh.text([
      'basename $(readlink /sys/class/net/ens3/device/driver)', 'ls -d /sys/bus/virtio/drivers/virtio_blk/virtio*/block/vda >/dev/null && echo vda', 'hostname',
      '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data', 'sha256sum < /srv/data/late',
      'for i in $(seq 240); do [ -e /var/lib/cloud/instance/boot-finished ] && break; sleep 0.5; done; ls /var/lib/cloud/instance/boot-finished',
    ].join('; '), { timeoutMs: 3 * minute });
    expect(shown.split('\n')).toEqual(['virtio_net', 'vda', 'source-vm', 'data', late, '/var/lib/cloud/instance/boot-finished']);
    expect(await ssh.text(identity)).toBe(knownBy);
    expect(await ssh.text('ip -4 -o addr show ens3 | grep -o "inet 10.20.0.[0-9]*"')).toBe(`inet ${[...lab.cloud.world.nics.values()].find(({ device }) => device === deployment.server?.id)?.ipv4 ?? ''}`);
    stage('the migrated guest is what the source was');

    await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
    expect(lab.cloud.world.leftovers().map((line) => line.split(' ')[0]).sort()).toEqual(['security-group', 'volume']);
  }, 30 * minute);
});

/** A security group that lets SSH in from this machine. */
async function openSshFor(lab: ProjectLab): Promise<void> {
  const client = new RigClient(lab.cloud);
  await client.signIn();
  const { body: group } = await client.call('POST', 'security-groups', { name: 'ssh-from-here' });
  await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
    direction: 'ingress', protocol: 'tcp', portRange: { min: 22, max: 22 }, ipRange: '127.0.0.0/8',
  });
}

/** Root's shell on the migrated guest, by the key that the source had. */
async function guestShell(deployment: DeploymentDetail, folder: string): Promise<RigSsh> {
  const keyPath = join(folder, 'guest-key');
  await copyFile(join(await ensureDebianGuest(), 'id_ed25519'), keyPath);
  return new RigSsh({ ...resolveAddress(deployment.server?.addresses[0] ?? '', 22), user: 'root', keyPath });
}

function tellTimes({ tasks, guest, boot }: DeploymentDetail): void {
  for (const task of tasks) {
    const seconds = task.startedAt === undefined || task.finishedAt === undefined ? '-' : ((Date.parse(task.finishedAt) - Date.parse(task.startedAt)) / 1000).toFixed(1);
    stage(`${task.title}: ${task.state}, ${seconds} s${task.error === undefined ? '' : ` (${task.error.code}: ${task.error.message})`}`);
  }
  for (const step of guest?.steps ?? []) stage(`  in the guest: ${step.title}, ${step.seconds.toFixed(1)} s`);
  if (boot !== undefined) stage(`boot: ${boot.outcome}, ${boot.evidence}, ${boot.seconds.toFixed(1)} s`);
}
