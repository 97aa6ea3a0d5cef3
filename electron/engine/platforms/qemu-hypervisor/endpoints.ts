import { createHash } from 'node:crypto';
import { basename, dirname, extname, posix } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { QemuHypervisorConnection } from '../../../../shared/plugins/qemu-hypervisor/connection.ts';
import { LibvirtCarrier, type LibvirtDaemon } from '../../qmp/libvirt-carrier.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { SocketCarrier } from '../../qmp/socket-carrier.ts';
import { thisMachine, type HypervisorHost } from './hypervisor-host.ts';
import { libvirtDaemon } from './libvirt-daemons.ts';
import { planNbdServer, type NbdServerPlan } from './nbd-exports.ts';
import { sshHostOf, type SshHost } from './ssh-host.ts';
import { qemuName } from './vm-description.ts';

/** One VM's QEMU process and the ways to it. */
export interface VmEndpoint {
  readonly id: string;
  /** A short text that stands for the VM in file names. */
  readonly key: string;
  readonly qmp: QmpCarrier;
  readonly host: HypervisorHost;
  /** As QEMU sees it. */
  readonly scratchFolder: string;
  readonly nbd: NbdServerPlan;
}

/** Finds the VMs of a connection and keeps one carrier for each. */
export class VmEndpoints {
  readonly #connection: QemuHypervisorConnection;
  readonly #carriers = new Map<string, QmpCarrier>();
  /** Undefined: QEMU runs on this machine. */
  readonly ssh: SshHost | undefined;
  readonly host: HypervisorHost;
  readonly #libvirt: LibvirtDaemon | undefined;
  #singleId: string | undefined;

  constructor(connection: QemuHypervisorConnection) {
    this.#connection = connection;
    this.ssh = sshHostOf(connection);
    this.host = this.ssh ?? thisMachine;
    const ssh = this.ssh === undefined ? undefined : { host: this.ssh, name: connection.ssh_host ?? '' };
    if (connection.libvirt_uri !== undefined)
      this.#libvirt = libvirtDaemon(connection.libvirt_uri, ssh, connection.libvirt_tls_credentials);
  }

  async ids(signal: AbortSignal): Promise<readonly string[]> {
    const ids = Object.keys(this.#connection.qmp_sockets ?? {});
    if (this.#connection.qmp_socket !== undefined)
      ids.push(await this.#nameOfSingle(this.#connection.qmp_socket, signal));
    ids.push(...(await this.#domains(signal)));
    if (
      this.#connection.qmp_socket === undefined &&
      this.#connection.qmp_sockets === undefined &&
      this.#connection.libvirt_uri === undefined
    ) {
      throw new CausewayError('general.invalid-input', 'one of qmp_socket, qmp_sockets and libvirt_uri is needed');
    }
    return [...new Set(ids)];
  }

  /** @throws CausewayError source.vm-not-found */
  async find(vmId: string, signal: AbortSignal): Promise<VmEndpoint> {
    const { qmp_sockets: sockets, qmp_socket: single } = this.#connection;
    if (sockets !== undefined && Object.hasOwn(sockets, vmId)) return this.#bySocket(vmId, sockets[vmId] ?? '');
    if (single !== undefined && (await this.#nameOfSingle(single, signal)) === vmId)
      return this.#bySocket(vmId, single);
    const libvirt = this.#libvirt;
    if (libvirt !== undefined && (await this.#domains(signal)).includes(vmId)) return this.#byLibvirt(vmId, libvirt);
    throw new CausewayError('source.vm-not-found', `the endpoint has no VM ${vmId}`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#carriers.values()].map((carrier) => carrier.close()));
    this.#carriers.clear();
    await this.#libvirt?.close();
    await this.host.close();
  }

  async #domains(signal: AbortSignal): Promise<readonly string[]> {
    return this.#libvirt === undefined ? [] : (await this.#libvirt.runningDomains(signal)).map(({ name }) => name);
  }

  #bySocket(id: string, path: string): VmEndpoint {
    const folder = this.ssh === undefined ? dirname(path) : posix.dirname(path);
    return this.#endpoint(
      id,
      this.#connection.scratch_folder ?? folder,
      () => new SocketCarrier(this.host.socket(path)),
    );
  }

  #byLibvirt(id: string, libvirt: LibvirtDaemon): VmEndpoint {
    const folder = this.#connection.scratch_folder;
    if (folder === undefined)
      throw new CausewayError(
        'general.invalid-input',
        'libvirt VMs need scratch_folder, a folder that QEMU can write to',
      );
    return this.#endpoint(id, folder, () => new LibvirtCarrier(libvirt, id));
  }

  #endpoint(id: string, scratchFolder: string, connect: () => QmpCarrier): VmEndpoint {
    const key = createHash('sha256').update(id).digest('hex').slice(0, 12);
    const qmp = this.#carriers.get(id) ?? connect();
    this.#carriers.set(id, qmp);
    return {
      id,
      key,
      qmp,
      host: this.host,
      scratchFolder,
      nbd: planNbdServer(this.#connection, this.host, scratchFolder, key),
    };
  }

  async #nameOfSingle(path: string, signal: AbortSignal): Promise<string> {
    if (this.#singleId === undefined) {
      const carrier = new SocketCarrier(this.host.socket(path));
      try {
        this.#singleId = (await qemuName(carrier, signal)) ?? basename(path, extname(path));
      } finally {
        await carrier.close();
      }
    }
    return this.#singleId;
  }
}
