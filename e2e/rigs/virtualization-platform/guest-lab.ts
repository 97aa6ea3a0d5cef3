import { copyFile, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createQemuHypervisorSource } from '../../../electron/engine/platforms/qemu-hypervisor/index.ts';
import type { VsphereConnection } from '../../../electron/engine/platforms/virtualization-platform/source/index.ts';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import type { ExecutionDetail } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { resolveAddress } from '../machines/reachable-port.ts';
import { startProjectLab, type ProjectLab, type ProjectLabOptions } from '../project/lab-project.ts';
import { openSsh } from '../project/open-ssh.ts';
import { RigSsh } from '../rig-ssh.ts';
import { startSourceVm, type SourceVm } from '../source-vm.ts';
import { startNfcServer, type NfcServer } from './nfc-server/nfc-server.ts';
import { qemuBackings } from './qemu-backing.ts';
import { startVsphere, type VsphereRig } from './start.ts';
import type { RigVm } from './world.ts';

const MIB = 2 ** 20;
const dataDiskBytes = 64 * MIB;
const minute = 60_000;

/** A Debian guest that runs on QEMU as a VM of the platform's rig, with a project that has both as endpoints. */
export interface GuestLab {
  readonly folder: string;
  readonly lab: ProjectLab;
  readonly guest: SourceVm;
  readonly rig: VsphereRig;
  readonly vm: RigVm;
  /** The data ports of the hosts, in the order of `rig.hosts`. */
  readonly ports: readonly NfcServer[];
  /** The second disk's device in the guest, and the file behind it. Nothing but tests writes to it. */
  readonly device: string;
  readonly dataDisk: string;
  /** Names the platform as an endpoint. */
  addEndpoint(name: string, more?: Partial<VsphereConnection>): Promise<void>;
  createReplica(name: string, source: string): Promise<void>;
  /** Bytes that crossed the link, by disk. */
  sent(execution: ExecutionDetail): Promise<Record<string, number>>;
  /** What people were told of an execution. */
  told(execution: ExecutionDetail): Promise<string>;
  /** Deploys the replica and waits until its server answers on the network. */
  deploy(replica: string): Promise<{ readonly deployment: DeploymentDetail; readonly ssh: RigSsh }>;
  close(): Promise<void>;
}

export async function startGuestLab(options: ProjectLabOptions = {}): Promise<GuestLab> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-vsg-');
  const dataDisk = join(folder, 'data.raw');
  await (await open(dataDisk, 'w')).close();
  await truncate(dataDisk, dataDiskBytes);
  // Emulated systems on busy processors take their time.
  const lab = stack.adopt(
    await startProjectLab({ patience: { workerMs: 2 * minute, linkMs: 2 * minute }, ...options }),
    closing,
  );
  await openSsh(lab);
  const guest = stack.adopt(await startSourceVm({ folder, dataDisks: [{ path: dataDisk, format: 'raw' }] }), closing);
  const rig = stack.adopt(await startVsphere(), closing);
  const [vm] = rig.vms;
  if (vm === undefined) throw new Error('the simulator has no VM');
  const behind = createQemuHypervisorSource(
    { qmp_socket: guest.qmpSocket, os_type: 'linux' },
    { scratchFolder: join(folder, 'behind') },
  );
  for (const backing of await qemuBackings(behind, guest.name)) rig.world.addDisk(vm, backing);
  const ports: NfcServer[] = [];
  for (const [index, hostId] of [...rig.hosts.keys()].entries()) {
    const port = stack.adopt(await startNfcServer({ host: `127.0.0.${index + 2}`, disks: rig.world }), closing);
    ports.push(port);
    rig.world.dataPorts.set(hostId, { host: port.host, port: port.port, sslThumbprint: port.thumbprint });
  }
  await guest.ssh.waitUntilUp(10 * minute);
  const device = (await guest.ssh.text(`lsblk -bdnpo NAME,SIZE | awk '$2 == ${dataDiskBytes} { print $1 }'`)).trim();
  await guest.ssh.text(`dd if=/dev/urandom of=${device} bs=1M count=8 seek=2 oflag=direct status=none`);
  const eventsOf = (execution: ExecutionDetail) =>
    lab.use((core) => core.call('execution.events', { execution: execution.id }));
  const opened = stack.move();
  return {
    folder,
    lab,
    guest,
    rig,
    vm,
    ports,
    device,
    dataDisk,
    addEndpoint: async (name, more = {}) => {
      const connection = JSON.parse(JSON.stringify({ ...rig.connection, ...more })) as JsonObject;
      await lab.use((core) => core.call('endpoint.add', { name, plugin: 'virtualization-platform', connection }));
    },
    createReplica: async (name, source) => {
      const destinationEnvironment = {
        network_map: { DC0_DVPG0: 'production' },
        availability_zone: 'eu01-1',
        machine_type: 'g1.1',
        migr_network: 'migration',
        migr_machine_type: 'g1.1',
        migr_image_map: { linux: 'Debian 12' },
        // For the deployment: the lab has no metadata service, so that the guest's agent finds its instance on the drive.
        security_groups: ['ssh-from-here'],
        use_public_ip: true,
        use_config_drive: true,
        retain_user_credentials: true,
      };
      await lab.use((core) =>
        core.call('replica.create', {
          name,
          source,
          destination: 'cloud',
          vm: vm.id,
          sourceEnvironment: { automatically_enable_cbt: true },
          destinationEnvironment,
        }),
      );
    },
    sent: async (execution) =>
      Object.fromEntries(
        (await eventsOf(execution))
          .filter((event) => event.type === 'disk.done')
          .map(({ details }) => [String(details['diskId']), Number(details['bytesSent'])]),
      ),
    told: async (execution) => JSON.stringify(await eventsOf(execution)),
    deploy: async (replica) => {
      const { id } = await lab.use((core) =>
        core.call('deployment.create', { replica, options: { bootCheck: { mode: 'network', deadlineSeconds: 1800 } } }),
      );
      const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
      const keyPath = join(folder, `deployed-key-${id}`);
      await copyFile(guest.ssh.access.keyPath, keyPath);
      if (deployment.state !== 'completed')
        throw new Error(
          `the deployment ended as ${deployment.state}: ${deployment.error?.code ?? ''}: ${deployment.error?.message ?? ''}\n${deployment.boot?.console.slice(-2000) ?? ''}`,
        );
      const ssh = new RigSsh({ ...resolveAddress(deployment.server?.addresses[0] ?? '', 22), user: 'root', keyPath });
      await ssh.waitUntilUp(10 * minute);
      return { deployment, ssh };
    },
    close: () => opened.disposeAsync(),
  };
}
