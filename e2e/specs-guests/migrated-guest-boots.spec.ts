// needs: installed guests, slirp4netns
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { closeAll } from '../rigs/closing.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { guestLayouts, layoutPassphrase, loadCiphers } from '../rigs/guests/layouts.ts';
import { layoutSource, rpmSource } from '../rigs/guests/source-guests.ts';
import { run } from '../rigs/machines/child-process.ts';
import type { WorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { openSsh } from '../rigs/project/open-ssh.ts';
import { makeKeyPair, RigSsh } from '../rigs/rig-ssh.ts';
import { startSourceVm, type SourceGuest, type SourceVm } from '../rigs/source-vm.ts';

// Each case has emulated systems, one after the other: minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;
const kept = '10.20.0.77';

interface GuestCase {
  readonly about: string;
  /** Default: the Debian guest. */
  readonly source?: (folder: string) => Promise<SourceGuest>;
  /** What prepares the guest. Native workers are faster; their kernel, this machine's, need not have what a layout stands on. */
  readonly preparedBy: WorkerKind;
  /** Whether the last pass, after the source was shut down, and the deployment are one run; else the guest runs on. */
  readonly migrates?: true;
  /** Deployed, deleted, and deployed again, with a key pair of the platform instead of its own credentials alone. */
  readonly twice?: true;
  readonly keepsAddress?: true;
  readonly encrypted?: true;
  readonly dossier: object;
  /** Its network card, and what its root is on, once it was moved. */
  readonly card: string;
  readonly root: string;
  readonly firmware: 'bios' | 'uefi';
}

const debian = { distribution: 'debian', cloudInit: null };

const cases: Readonly<Record<string, GuestCase>> = {
  plain: {
    about: 'one disk, migrated in one go',
    preparedBy: 'native',
    migrates: true,
    dossier: { ...debian, bootloader: 'grub-bios' },
    card: 'ens3',
    root: '/dev/vda1 ext4',
    firmware: 'bios',
  },
  lvm: {
    about: `${guestLayouts.lvm.about}; keeps its static address`,
    source: async () => ({ ...(await layoutSource('lvm')), nic: { address: kept } }),
    preparedBy: 'qemu',
    keepsAddress: true,
    dossier: { ...debian, root: { kind: 'logical', path: '/dev/mapper/vg0-root' } },
    card: 'ens3',
    root: '/dev/mapper/vg0-root ext4',
    firmware: 'bios',
  },
  btrfs: {
    about: `${guestLayouts.btrfs.about}; deployed twice, with its own credentials and with a key of the platform`,
    source: () => layoutSource('btrfs'),
    preparedBy: 'native',
    twice: true,
    dossier: { ...debian, root: { content: 'btrfs', subvolume: '@rootfs' } },
    card: 'ens3',
    root: '/dev/vda1[/@rootfs] btrfs',
    firmware: 'bios',
  },
  uefi: {
    about: `${guestLayouts.uefi.about}; migrated in one go`,
    source: () => layoutSource('uefi'),
    preparedBy: 'qemu',
    migrates: true,
    dossier: { ...debian, bootloader: 'grub-efi', firmware: 'uefi' },
    card: 'ens3',
    root: '/dev/vda2 ext4',
    firmware: 'uefi',
  },
  encrypted: {
    about: `${guestLayouts.encrypted.about}; migrated in one go`,
    source: () => layoutSource('encrypted'),
    preparedBy: 'qemu',
    migrates: true,
    encrypted: true,
    dossier: { ...debian, root: { kind: 'logical', path: '/dev/mapper/vg0-root' } },
    card: 'ens3',
    root: '/dev/mapper/vg0-root ext4',
    firmware: 'bios',
  },
  rpm: {
    about: 'run by rpm, dnf, dracut and NetworkManager, from a static address to DHCP',
    source: rpmSource,
    preparedBy: 'native',
    dossier: { family: 'redhat', network: ['network-manager'], cloudInit: null },
    card: 'ens192',
    root: '/dev/vda1 ext4',
    firmware: 'bios',
  },
};

/** What others know it by, and where its packages come from: host keys, accounts, settings of its SSH server, package sources. */
const identity = [
  'cd /etc && sha256sum ssh/ssh_host_* passwd ssh/sshd_config',
  'cat ssh/sshd_config.d/* 2>/dev/null',
  'sha256sum $(find apt/sources.list* -type f | sort) 2>/dev/null',
  'cut -d: -f1,2 shadow | sha256sum',
  'sha256sum < /root/.ssh/authorized_keys',
].join('; ');

const bootFinished =
  'for i in $(seq 900); do [ -e /var/lib/cloud/instance/boot-finished ] && break; sleep 0.5; done; grep -o "DataSource[A-Za-z]*" /run/cloud-init/result.json';

/**
 * That such guests stop at their boot on virtio before they are prepared is shown by `lab-guests.spec.ts`,
 * `guest-layout-*.spec.ts` and `rpm-guest.spec.ts`.
 */
describe.runIf(isAskedFor).each(Object.entries(cases))('a guest that knows no virtio: %s', (name, guestCase) => {
  let folder: string;
  let vm: SourceVm;
  let lab: ProjectLab;
  let key: string;
  let worker: WorkerKind;

  /** One line on the error stream for each stage, because it takes so long. */
  function stage(text: string): void {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${name}: ${text}\n`);
  }

  beforeAll(async () => {
    stage(guestCase.about);
    worker = 'native';
    folder = await mkdtemp(join(tmpdir(), 'cwy-chain-'));
    const guest = await guestCase.source?.(folder);
    // Emulated systems on busy processors take their time.
    lab = await startProjectLab({
      outbound: true,
      workers: () => worker,
      patience: { workerMs: 2 * minute, linkMs: 2 * minute },
    });
    vm = await startSourceVm({ folder: join(folder, 'vm'), ...(guest === undefined ? {} : { guest }) });
    key = join(folder, 'guest-key');
    await copyFile(vm.ssh.access.keyPath, key);
    await vm.ssh.waitUntilUp(15 * minute);
    // The emulator stays when its guest is off, as hypervisors do, so that its disks can be read then.
    await vm.monitor.execute('set-action', { shutdown: 'pause' });
    stage('the source answers SSH');
  }, 40 * minute);
  afterAll(() =>
    closeAll(
      () => vm?.close(),
      () => lab?.close(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  it(
    'is copied while it runs, changed, copied again, deployed, and answers SSH on virtio as what it was',
    async () => {
      await openSsh(lab);
      await createReplica();
      await lab.use((core) => core.call('replica.execute', { replica: 'moved' }));
      const [first = 0] = await bytesOfPasses();
      stage(`copied while it ran, ${mib(first)}`);

      if (guestCase.keepsAddress === true) await giveStaticAddress(vm);
      const late = await vm.ssh.text(
        'head -c 3000000 /dev/urandom > /srv/data/late && sync && sha256sum < /srv/data/late',
      );
      const knownBy = await vm.ssh.text(identity);
      if (guestCase.migrates !== true) {
        await lab.use((core) => core.call('replica.execute', { replica: 'moved' }));
        expect(((await vm.monitor.execute('query-status')) as { status: string }).status).toBe('running');
      }
      const before = guestCase.migrates === true ? undefined : await digests();

      for (const number of guestCase.twice === true ? [1, 2] : [1]) {
        if (number === 2) await takePlatformsKey();
        worker = guestCase.preparedBy;
        const deployment = await deploy();
        if (number === 1) {
          const [, last = 0] = await bytesOfPasses();
          stage(`then only what had changed, ${mib(last)}`);
          expect(last).toBeGreaterThan(3_000_000);
          expect(last).toBeLessThan(first / 4);
        }
        await expectMoved(deployment, late, number === 1 ? knownBy : undefined);
        if (number === 2) await expectPlatformsKey(deployment, knownBy);
        // Nothing of the preparation is in the replica: it is what it was, which is what the source was at its end.
        if (before === undefined) expect(await lab.difference('moved', await sourceFiles())).toBeUndefined();
        else expect(await digests()).toEqual(before);
        await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
        const left = lab.cloud.world
          .leftovers()
          .map((line) => line.split(' ')[0])
          .filter((kind) => kind !== 'key-pair');
        expect(left.sort()).toEqual(['security-group', ...vm.disks.map(() => 'volume')]);
        stage(`deployment ${number}: the guest is what the source was`);
      }
    },
    90 * minute,
  );

  const operator = (): string => join(folder, 'operator');

  /** The next deployment lets its platform's key in. */
  async function takePlatformsKey(): Promise<void> {
    const { publicKey } = await makeKeyPair(folder, 'operator');
    const client = new RigClient(lab.cloud);
    await client.signIn();
    await client.call('POST', '/v2/keypairs', { name: 'operator', publicKey });
    const { destinationEnvironment } = await lab.use((core) => core.call('replica.show', { replica: 'moved' }));
    await lab.use((core) =>
      core.call('replica.update', {
        replica: 'moved',
        destinationEnvironment: { ...destinationEnvironment, retain_user_credentials: false, keypair_name: 'operator' },
      }),
    );
  }

  /** A user of the distribution's opens to the platform's key; what others know the machine by, and how SSH lets in, stays. */
  async function expectPlatformsKey(deployment: DeploymentDetail, knownBy: string): Promise<void> {
    const access = resolveAddress(deployment.server?.addresses[0] ?? '', 22);
    expect(await new RigSsh({ ...access, user: 'debian', keyPath: operator() }).text('id -un')).toBe('debian');
    // All but accounts and root's keys.
    const isKept = (line: string): boolean => !/ (passwd|-)$/.test(line);
    const now = await new RigSsh({ ...access, user: 'root', keyPath: key }).text(identity);
    expect(now.split('\n').filter(isKept)).toEqual(knownBy.split('\n').filter(isKept));
    expect(knownBy.split('\n').filter(isKept).length).toBeGreaterThan(3);
  }

  async function createReplica(): Promise<void> {
    const destinationEnvironment: JsonObject = {
      network_map: { net0: 'production' },
      availability_zone: 'eu01-1',
      migr_network: 'migration',
      migr_machine_type: 'g1.1',
      migr_image_map: { linux: 'Debian 12' },
      security_groups: ['ssh-from-here'],
      use_public_ip: true,
      data_transfer_mechanism: 'HTTPS',
      // The lab has no metadata service; the drive is where the guest's agent finds its instance.
      use_config_drive: true,
      retain_user_credentials: true,
      ...(guestCase.keepsAddress === true ? { set_dhcp: false, preserve_fixed_ips: true } : {}),
    };
    await lab.use(async (core) => {
      await core.call('endpoint.add', {
        name: 'hypervisor',
        plugin: 'qemu-hypervisor',
        connection: { qmp_socket: vm.qmpSocket, os_type: 'linux' },
      });
      const [found] = await core.call('vm.list', { endpoint: 'hypervisor' });
      await core.call('replica.create', {
        name: 'moved',
        source: 'hypervisor',
        destination: 'cloud',
        vm: found?.id ?? '',
        destinationEnvironment,
        // Only the guest knows its addresses.
        ...(guestCase.keepsAddress === true ? { sourceEnvironment: { guest_agent_socket: vm.agentSocket } } : {}),
      });
      if (guestCase.encrypted === true) await core.call('vault.set', { name: 'luks', value: layoutPassphrase });
    });
  }

  /** What crossed the link in each execution, the first one first. */
  async function bytesOfPasses(): Promise<number[]> {
    return lab.use(async (core) => {
      const sent = [];
      const executions = (await core.call('execution.list', { replica: 'moved' })).toSorted(
        (a, b) => a.number - b.number,
      );
      for (const execution of executions) {
        expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
        const done = (await core.call('execution.events', { execution: execution.id })).filter(
          ({ type }) => type === 'disk.done',
        );
        expect(done).toHaveLength(vm.disks.length);
        sent.push(done.reduce((sum, { details }) => sum + Number(details['bytesSent']), 0));
      }
      return sent;
    });
  }

  async function replicaDisks(): Promise<{ readonly diskId: string; readonly volumeId?: string | undefined }[]> {
    return (await lab.use((core) => core.call('replica.show', { replica: 'moved' }))).disks;
  }

  /** The source's files by the ids of their disks, which are in the source's order. */
  async function sourceFiles(): Promise<Record<string, string>> {
    return Object.fromEntries((await replicaDisks()).map(({ diskId }, index) => [diskId, vm.disks[index]?.path ?? '']));
  }

  async function digests(): Promise<string[]> {
    const found = [];
    for (const { volumeId } of await replicaDisks())
      found.push((await run('sha256sum', [lab.cloud.volumePath(volumeId ?? '')])).split(' ')[0] ?? '');
    return found;
  }

  async function deploy(): Promise<DeploymentDetail> {
    const options: DeploymentOptions = {
      bootCheck: { mode: 'network', deadlineSeconds: 1_800 },
      ...(guestCase.migrates === true ? { execute: { lastPass: true } } : {}),
      ...(guestCase.encrypted === true
        ? { luksKeys: [{ secret: 'luks' }], scripts: { beforeMount: [loadCiphers] } }
        : {}),
    };
    const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'moved', options }));
    const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
    tellTimes(deployment, stage);
    expect(
      deployment,
      `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-2000)}`,
    ).toMatchObject({
      state: 'completed',
      leftBehind: 0,
      kept: false,
      boot: { outcome: 'up' },
      guest: { dossier: guestCase.dossier },
    });
    if (guestCase.migrates === true) expect(deployment.executionIds).toHaveLength(2);
    expect(Object.keys(deployment.guest?.diff.packages.added ?? {})).toContain('cloud-init');
    return deployment;
  }

  /** @param knownBy what others know it by, when all of it has to have stayed */
  async function expectMoved(deployment: DeploymentDetail, late: string, knownBy?: string): Promise<void> {
    const { card, root, firmware, keepsAddress = false } = guestCase;
    const ssh = new RigSsh({
      ...resolveAddress(deployment.server?.addresses[0] ?? '', 22),
      user: 'root',
      keyPath: key,
    });
    await ssh.waitUntilUp(10 * minute);
    const shown = await ssh.text(
      [
        `basename $(readlink /sys/class/net/${card}/device/driver)`,
        'ls -d /sys/bus/virtio/drivers/virtio_blk/virtio* | wc -l',
        'hostname',
        'findmnt -no SOURCE,FSTYPE / | tr -s " "',
        '[ -d /sys/firmware/efi ] && echo uefi || echo bios',
        '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
        'sha256sum < /srv/data/late',
        bootFinished,
        `ip -4 -o addr show ${card} | grep -o "inet [0-9.]*"`,
      ].join('; '),
      { timeoutMs: 10 * minute },
    );
    const nic = [...lab.cloud.world.nics.values()].find(({ device }) => device === deployment.server?.id);
    expect(shown.split('\n')).toEqual([
      // Its own disks, and the drive with its metadata.
      'virtio_net',
      String(vm.disks.length + 1),
      'source-vm',
      root,
      firmware,
      'data',
      late,
      'DataSourceConfigDrive',
      `inet ${nic?.ipv4 ?? ''}`,
    ]);
    if (keepsAddress) expect([nic?.ipv4, await ssh.text('pgrep -c dhclient; true')]).toEqual([kept, '0']);
    if (knownBy !== undefined) expect(await ssh.text(identity)).toBe(knownBy);
  }
});

/** The address that the running guest has by DHCP so far becomes its own, tied to the card that it has there. */
async function giveStaticAddress(vm: SourceVm): Promise<void> {
  const interfaces = `auto lo\niface lo inet loopback\n\nauto ens3\niface ens3 inet static\n  hwaddress ether $(cat /sys/class/net/ens3/address)\n  address ${kept}/24\n  gateway 10.20.0.1\n`;
  await vm.ssh.text(
    `printf "${interfaces.replaceAll('\n', '\\n')}" > /root/interfaces; ifdown ens3; cp /root/interfaces /etc/network/interfaces; ifup ens3; rm /root/interfaces; sync`,
  );
  expect(await vm.ssh.text('ip -4 -o addr show ens3 | grep -o "inet [0-9./]*"; pgrep -c dhclient; true')).toBe(
    `inet ${kept}/24\n0`,
  );
}

/** A security group that lets SSH in from this machine. */
function tellTimes({ tasks, guest, boot }: DeploymentDetail, stage: (text: string) => void): void {
  for (const task of tasks) {
    const seconds =
      task.startedAt === undefined || task.finishedAt === undefined
        ? '-'
        : ((Date.parse(task.finishedAt) - Date.parse(task.startedAt)) / 1000).toFixed(1);
    stage(
      `${task.title}: ${task.state}, ${seconds} s${task.error === undefined ? '' : ` (${task.error.code}: ${task.error.message})`}`,
    );
  }
  for (const step of guest?.steps ?? []) stage(`  in the guest: ${step.title}, ${step.seconds.toFixed(1)} s`);
  for (const warning of guest?.warnings ?? []) stage(`  warning: ${warning}`);
  if (boot !== undefined) stage(`boot: ${boot.outcome}, ${boot.evidence}, ${boot.seconds.toFixed(1)} s`);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
