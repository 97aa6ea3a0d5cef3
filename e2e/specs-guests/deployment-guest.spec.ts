// needs: installed guests, slirp4netns
// lease: emulated guests
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphGuestOf, type MorphRequest } from '../../electron/engine/osmorphing/index.ts';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { changedProgram, debianGuest, failingAt } from '../rigs/guests/morph-lab.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { loopDevicesOf } from '../rigs/machines/loop-devices-of.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';

// A real guest through more than a dozen whole deployments: about ten minutes, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_EVERY_STEP'] === '1';
/** `npm run test:guests`: every step, and once more after all that. */
const everyGuest = process.env['CAUSEWAY_EVERY_GUEST'] === '1';
const minute = 60_000;
const kept = '10.20.0.77';

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

describe.runIf(isAskedFor)('a real guest with a static address, deployed by the engine', () => {
  let lab: ProjectLab;
  let volumeId: string;
  let steps: readonly string[] = [];
  /** The folder of the program that prepares, when it is another one. */
  let programFolder: string | undefined;
  /** What a worker still had mounted or made when a preparation had ended. */
  const traces: string[] = [];

  beforeAll(async () => {
    lab = await startProjectLab({
      outbound: true,
      core: {
        guests: {
          morphOf: (osType) => async (request) => {
            try {
              return await morphGuestOf(osType)({
                ...request,
                ...(programFolder === undefined ? {} : { programFolder }),
              });
            } finally {
              traces.push(await tracesOn(request));
            }
          },
        },
      },
    });
    const folder = join(lab.images, 'web');
    await mkdir(folder);
    const disk = join(folder, 'disk.raw');
    await debianGuest(disk);
    const interfaces = join(lab.project.folder, 'interfaces');
    await writeFile(
      interfaces,
      `auto lo\niface lo inet loopback\n\nauto ens3\niface ens3 inet static\n  address ${kept}/24\n  gateway 10.20.0.1\n`,
    );
    await new GuestFiles(disk).replace('/etc/network/interfaces', interfaces);
    await writeFile(join(folder, 'vm.yaml'), `name: web\nnics:\n  - network: default\n    ip_addresses: [${kept}]\n`);
    await openSsh();
    await lab.createReplica('web', 'web', 'SSH', {
      set_dhcp: false,
      preserve_fixed_ips: true,
      use_public_ip: true,
      use_config_drive: true,
      retain_user_credentials: true,
      security_groups: ['ssh-from-here'],
    });
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    volumeId = (await replicaVolumes())[0] ?? '';
    await run('cp', ['--sparse=always', lab.cloud.volumePath(volumeId), untouched()]);
    stage('replicated');
  }, 10 * minute);
  afterAll(async () => lab?.close());

  const untouched = (): string => join(lab.project.folder, 'untouched.raw');

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

  async function replicaVolumes(): Promise<string[]> {
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    return disks.map((disk) => disk.volumeId ?? '');
  }

  async function deploy(options: DeploymentOptions): Promise<DeploymentDetail> {
    const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'web', options }));
    return lab.use((core) => core.call('deployment.show', { deployment: id }));
  }

  /** The replica is byte for byte what it was, and there is nothing else. */
  async function expectReplicaAlone(about: string): Promise<void> {
    expect(
      lab.cloud.world
        .leftovers()
        .map((line) => line.split(' ')[0])
        .sort(),
      about,
    ).toEqual(['security-group', 'volume']);
    expect(await replicaVolumes(), about).toEqual([volumeId]);
    await run('cmp', [untouched(), lab.cloud.volumePath(volumeId)]);
    expect(
      (await lab.use((core) => core.call('ledger.list', {}))).filter((item) => item.lifetime !== 'replica'),
      about,
    ).toEqual([]);
    expect(await loopDevicesOf(lab.project.cloudFolder), about).toEqual([]);
    // What may be tried again was tried twice.
    expect(new Set(traces.splice(0)), about).toEqual(new Set(['']));
  }

  async function deployAndAsk(): Promise<void> {
    const deployment = await deploy({ bootCheck: { mode: 'network' } });
    expect(
      deployment,
      `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-2000)}`,
    ).toMatchObject({
      state: 'completed',
      leftBehind: 0,
      boot: { outcome: 'up' },
    });
    stage(
      `deployed in ${seconds(deployment)} s, of which ${deployment.guest?.seconds.toFixed(0)} s prepared, ${deployment.boot?.seconds.toFixed(0)} s booting`,
    );
    steps = deployment.guest?.steps.map(({ step }) => step) ?? [];
    expect([...lab.cloud.world.nics.values()].map((nic) => nic.ipv4)).toContain(kept);
    const keyPath = join(lab.project.folder, 'guest-key');
    await copyFile(join(await ensureDebianGuest(), 'id_ed25519'), keyPath);
    const ssh = new RigSsh({ ...resolveAddress(deployment.server?.addresses[0] ?? '', 22), user: 'root', keyPath });
    await ssh.waitUntilUp();
    const shown = await ssh.text(
      [
        `ip -4 -o addr show ens3 | grep -o "inet ${kept}/24"`,
        'ip route show default | cut -d" " -f1-5',
        'pgrep -c dhclient',
        'basename $(readlink /sys/class/net/ens3/device/driver)',
        'ls /sys/class/net/ | paste -sd,',
        'for i in $(seq 240); do [ -e /var/lib/cloud/instance/boot-finished ] && break; sleep 0.5; done; grep -o "DataSource[A-Za-z]*" /run/cloud-init/result.json',
        `ip -4 -o addr show ens3 | grep -c inet`,
      ].join('; '),
      { timeoutMs: 3 * minute },
    );
    expect(shown.split('\n')).toEqual([
      `inet ${kept}/24`,
      'default via 10.20.0.1 dev ens3',
      '0',
      'virtio_net',
      'ens3,lo',
      'DataSourceConfigDrive',
      '1',
    ]);
    await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
    await expectReplicaAlone('deployed and deleted');
  }

  it('answers on the address that it had, and its replica is untouched', () => deployAndAsk(), 20 * minute);

  it(
    'leaves no worker, nothing mounted and an intact replica, whichever step of its preparation fails',
    async () => {
      expect(steps.length).toBeGreaterThan(10);
      // The first step, one with everything mounted, and the last.
      const tried = everyGuest
        ? steps
        : [steps[0] ?? '', steps[Math.floor(steps.length / 2)] ?? '', steps.at(-1) ?? ''];
      for (const step of tried) {
        programFolder = await changedProgram(lab.project.folder, `fails-at-${step}`, failingAt(step));
        const failed = await deploy({ bootCheck: { mode: 'none' } });
        expect(failed, step).toMatchObject({
          state: 'failed',
          error: { code: 'osmorphing.command-failed', message: `made to fail at ${step}` },
          leftBehind: 0,
          resources: [],
        });
        await expectReplicaAlone(step);
        stage(`failed at ${step}: undone, ${seconds(failed)} s`);
      }
      programFolder = undefined;
    },
    40 * minute,
  );

  it.runIf(everyGuest)('works after all that', () => deployAndAsk(), 20 * minute);
});

function seconds({ createdAt, finishedAt }: DeploymentDetail): string {
  return ((Date.parse(finishedAt ?? '') - Date.parse(createdAt)) / 1000).toFixed(0);
}

async function tracesOn({ ssh }: MorphRequest): Promise<string> {
  const script =
    'grep -o "/run/causeway-osmorphing[^ ]*" /proc/self/mountinfo; find /run/causeway-osmorphing -mindepth 1; ls -d /dev/loop*p*; true';
  const { stdout } = await ssh.exec(`sudo -n sh -c '${script}' 2>/dev/null`, {
    signal: new AbortController().signal,
    timeoutMs: 30_000,
  });
  return stdout;
}
