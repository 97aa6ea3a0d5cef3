import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SshConnection } from '../../../electron/engine/transport/ssh-connection.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { ensureDebianGuest } from '../images/ensure.ts';
import { RigClient } from '../european-cloud/rig-client.ts';
import { startRigWorker, type RigWorker } from '../european-cloud/rig-worker.ts';
import { volumeSerial } from '../cloud-kit/server-machines.ts';
import { startEuropeanCloud, type EuropeanCloud } from '../european-cloud/start.ts';
import { run } from '../machines/child-process.ts';
import { labMachines, type WorkerKind } from '../machines/kinds.ts';
import { resolveAddress } from '../machines/reachable-port.ts';
import { RigSsh } from '../rig-ssh.ts';

/** A worker with volumes to prepare guests on, and the product's own connection to it. */
export interface MorphLab {
  readonly worker: RigWorker;
  readonly ssh: SshConnection;
  /** Another connection to it. */
  connect(): Promise<SshConnection>;
  readonly folder: string;
  /** A new volume, attached; `fill` writes its file before. */
  volume(
    sizeGb: number,
    fill?: (path: string) => Promise<unknown>,
  ): Promise<{ readonly id: string; readonly device: string; readonly path: string }>;
  detach(volumeId: string): Promise<void>;
  /** A NIC of the migrated VM, made before its guest is prepared. */
  nic(): Promise<{ readonly id: string; readonly macAddress: string }>;
  /** Boots a server from a detached volume on virtio; resolves when it is powered on. */
  boot(volumeId: string, nicId: string, wishes?: BootWishes): Promise<BootedGuest>;
  /** What the worker has mounted or made for a preparation and not removed: nothing, as it should be. */
  traces(): Promise<string>;
  close(): Promise<void>;
}

export interface BootWishes {
  /** Volumes beside the one that it boots from, in order. */
  readonly dataVolumes?: readonly string[];
  /** Firmware is UEFI, with no entry for this guest. Default: BIOS. */
  readonly uefi?: boolean;
  /** A drive with the server's metadata. */
  readonly configDrive?: boolean;
}

export interface BootedGuest {
  /** Power cut; its volumes are free again. */
  stop(): Promise<void>;
  /** Root's shell, with the key that the Debian guest was built with. */
  readonly ssh: RigSsh;
  console(): Promise<string>;
}

export interface MorphLabOptions {
  /** Whether a native worker reaches package mirrors; an emulated one always does. */
  readonly outbound?: boolean;
  /** File of the private key that opens root's account of booted guests, if not that of the Debian guest. */
  readonly guestKey?: string;
}

const progress = (line: string): boolean => process.stderr.write(`${line}\n`);

export async function startMorphLab(kind: WorkerKind, options: MorphLabOptions = {}): Promise<MorphLab> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-morph-');
  const cloud: EuropeanCloud = stack.adopt(
    await startEuropeanCloud({
      machines: labMachines({ worker: kind, outbound: options.outbound ?? false, progress }),
    }),
    closing,
  );
  const client = new RigClient(cloud);
  await client.signIn();
  const worker = await startRigWorker(client, folder);
  const { host, port, user, keyPath } = worker.ssh.access;
  const target = {
    host,
    port,
    username: user,
    privateKeyPem: await readFile(keyPath, 'utf8'),
    hostKey: worker.hostKey,
  };
  const connect = async (): Promise<SshConnection> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await SshConnection.connect(target, { lostAfterMs: 60_000 }, AbortSignal.timeout(120_000));
      } catch (error) {
        // It answered before: an emulated one on busy processors is late with its greeting.
        if (attempt === 10) throw error;
      }
    }
  };
  const ssh = stack.adopt(await connect(), closing);
  const opened = stack.move();
  return {
    worker,
    ssh,
    connect,
    folder,
    volume: async (sizeGb, fill) => {
      const { body } = await client.call('POST', 'volumes', { availabilityZone: 'eu01-1', size: sizeGb });
      const id = String(body['id']);
      await client.waitFor(`volumes/${id}`, 'AVAILABLE');
      await fill?.(cloud.volumePath(id));
      await worker.attach(id);
      const device =
        kind === 'qemu' ? await deviceBySerial(worker, volumeSerial(id)) : `/dev/disk/by-id/virtio-${volumeSerial(id)}`;
      return { id, device, path: cloud.volumePath(id) };
    },
    detach: (volumeId) => worker.detach(volumeId),
    nic: async () => {
      const { body: group } = await client.call('POST', 'security-groups', { name: `guest-${Date.now()}` });
      await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
        direction: 'ingress',
        protocol: 'tcp',
        portRange: { min: 22, max: 22 },
        ipRange: '127.0.0.0/8',
      });
      const network = await client.idOf('networks', 'migration');
      const { body } = await client.call('POST', `networks/${network}/nics`, { securityGroups: [group['id']] });
      return { id: String(body['id']), macAddress: String(body['mac']) };
    },
    boot: async (volumeId, nicId, { dataVolumes = [], uefi = false, configDrive = false } = {}) => {
      await client.call('PATCH', `volumes/${volumeId}`, {
        bootable: true,
        imageConfig: { diskBus: 'virtio', operatingSystem: 'linux', uefi },
      });
      const { body: publicIp } = await client.call('POST', 'public-ips', { networkInterface: nicId });
      const { body: server } = await client.call('POST', 'servers', {
        name: 'migrated',
        machineType: 'g1.1',
        availabilityZone: 'eu01-1',
        networking: { nicIds: [nicId] },
        bootVolume: { source: { type: 'volume', id: volumeId } },
        volumes: dataVolumes,
        configDrive,
      });
      const path = `servers/${String(server['id'])}`;
      await client.waitFor(path, 'ACTIVE');
      const keyPath = join(folder, 'guest-key');
      await copyFile(options.guestKey ?? join(await ensureDebianGuest(progress), 'id_ed25519'), keyPath);
      return {
        ssh: new RigSsh({ ...resolveAddress(String(publicIp['ip']), 22), user: 'root', keyPath }),
        console: async () => String((await client.call('GET', `${path}/log`)).body['output']),
        stop: async () => {
          await client.call('DELETE', path);
          await client.waitFor(path, 'GONE');
          await client.call('DELETE', `public-ips/${String(publicIp['id'])}`);
        },
      };
    },
    traces: () =>
      worker.ssh.text(
        'sudo sh -c \'grep -o "/run/causeway-osmorphing[^ ]*" /proc/self/mountinfo; find /run/causeway-osmorphing -mindepth 1; ls -d /dev/loop*p* /dev/mapper/causeway*; true\' 2>/dev/null',
      ),
    close: () => opened.disposeAsync(),
  };
}

async function deviceBySerial(worker: RigWorker, serial: string): Promise<string> {
  const script = `for i in $(seq 100); do for d in /sys/block/*; do [ "$(cat $d/serial 2>/dev/null)" = "${serial}" ] && echo /dev/\${d##*/} && exit; done; sleep 0.1; done; exit 1`;
  return worker.ssh.text(script);
}

/** Fills a volume with the Debian guest that knows no virtio. */
export async function debianGuest(path: string): Promise<void> {
  const image = await ensureDebianGuest(progress);
  await run('cp', ['--sparse=always', join(image, 'disk.raw'), path]);
}

/** The program that prepares guests, changed by one more module that its entry point loads first. */
export async function changedProgram(folder: string, name: string, change: string): Promise<string> {
  const target = join(folder, name);
  await cp(join(import.meta.dirname, '../../../assets/worker/osmorphing'), target, { recursive: true });
  const main = join(target, '__main__.py');
  await writeFile(join(target, 'causeway_osmorphing', 'change.py'), change);
  await writeFile(main, `import causeway_osmorphing.change\n${await readFile(main, 'utf8')}`);
  return target;
}

/** A change of the program: a step does its work and then fails. */
export function failingAt(step: string): string {
  return [
    'from . import steps',
    'from .protocol import MorphError',
    '',
    'def failing(action):',
    '    def run(morph):',
    '        action(morph)',
    `        raise MorphError('osmorphing.command-failed', 'made to fail at ${step}')`,
    '    return run',
    '',
    `steps.STEPS = tuple((name, title, failing(action) if name == '${step}' else action) for name, title, action in steps.STEPS)`,
    '',
  ].join('\n');
}
