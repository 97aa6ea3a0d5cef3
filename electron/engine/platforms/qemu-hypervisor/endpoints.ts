import { createHash } from 'node:crypto';
import { basename, dirname, extname } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { QemuHypervisorConnection } from '../../../../shared/plugins/qemu-hypervisor/connection.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { SocketCarrier } from '../../qmp/socket-carrier.ts';
import { listDomains, VirshCarrier } from '../../qmp/virsh-carrier.ts';
import { planNbdServer, type NbdServerPlan } from './nbd-exports.ts';
import { qemuName } from './vm-description.ts';

/** One VM's QEMU process and the ways to it. */
export interface VmEndpoint {
  readonly id: string;
  /** A short text that stands for the VM in file names. */
  readonly key: string;
  readonly qmp: QmpCarrier;
  /** As QEMU sees it. */
  readonly scratchFolder: string;
  readonly nbd: NbdServerPlan;
}

/** Finds the VMs of a connection and keeps one carrier for each. */
export class VmEndpoints {
  readonly #connection: QemuHypervisorConnection;
  readonly #carriers = new Map<string, QmpCarrier>();
  #singleId: string | undefined;

  constructor(connection: QemuHypervisorConnection) {
    this.#connection = connection;
  }

  async ids(signal: AbortSignal): Promise<readonly string[]> {
    const ids = Object.keys(this.#connection.qmp_sockets ?? {});
    if (this.#connection.qmp_socket !== undefined) ids.push(await this.#nameOfSingle(this.#connection.qmp_socket, signal));
    if (this.#connection.libvirt_uri !== undefined) ids.push(...(await listDomains(this.#connection.libvirt_uri, signal)));
    if (this.#connection.qmp_socket === undefined && this.#connection.qmp_sockets === undefined && this.#connection.libvirt_uri === undefined) {
      throw new CausewayError('general.invalid-input', 'one of qmp_socket, qmp_sockets and libvirt_uri is needed');
    }
    return [...new Set(ids)];
  }

  /** @throws CausewayError source.vm-not-found */
  async find(vmId: string, signal: AbortSignal): Promise<VmEndpoint> {
    const { qmp_sockets: sockets, qmp_socket: single } = this.#connection;
    if (sockets !== undefined && Object.hasOwn(sockets, vmId)) return this.#bySocket(vmId, sockets[vmId] ?? '');
    if (single !== undefined && (await this.#nameOfSingle(single, signal)) === vmId) return this.#bySocket(vmId, single);
    const uri = this.#connection.libvirt_uri;
    if (uri !== undefined && (await listDomains(uri, signal)).includes(vmId)) return this.#byLibvirt(vmId, uri);
    throw new CausewayError('source.vm-not-found', `the endpoint has no VM ${vmId}`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#carriers.values()].map((carrier) => carrier.close()));
    this.#carriers.clear();
  }

  #bySocket(id: string, path: string): VmEndpoint {
    return this.#endpoint(id, this.#connection.scratch_folder ?? dirname(path), () => new SocketCarrier(path));
  }

  #byLibvirt(id: string, uri: string): VmEndpoint {
    const folder = this.#connection.scratch_folder;
    if (folder === undefined) throw new CausewayError('general.invalid-input', 'libvirt VMs need scratch_folder, a folder that QEMU can write to');
    return this.#endpoint(id, folder, () => new VirshCarrier(uri, id));
  }

  #endpoint(id: string, scratchFolder: string, connect: () => QmpCarrier): VmEndpoint {
    const key = createHash('sha256').update(id).digest('hex').slice(0, 12);
    const qmp = this.#carriers.get(id) ?? connect();
    this.#carriers.set(id, qmp);
    return { id, key, qmp, scratchFolder, nbd: planNbdServer(this.#connection, scratchFolder, key) };
  }

  async #nameOfSingle(path: string, signal: AbortSignal): Promise<string> {
    if (this.#singleId === undefined) {
      const carrier = new SocketCarrier(path);
      try {
        this.#singleId = (await qemuName(carrier, signal)) ?? basename(path, extname(path));
      } finally {
        await carrier.close();
      }
    }
    return this.#singleId;
  }
}
