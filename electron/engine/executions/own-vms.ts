import type { WorkerSession } from '../ports/write-target.ts';
import type { OwnVm } from '../store/own-vms.ts';
import type { Store } from '../store/store.ts';

/** Starts the agent on this computer. */
export type ConnectAgentHere = (use: { readonly purpose: string; readonly epoch: number }, signal: AbortSignal) => Promise<WorkerSession>;

export interface OwnVmUse {
  readonly executionId: string;
  readonly endpointId: string;
  /** How many it wants attached. */
  readonly volumes: number;
}

/**
 * The VMs of destinations that this engine runs on, so that volumes are attached to this computer instead of to a worker that is started for them.
 * Executions share such a VM: each has an agent of its own, and opens nothing but the devices that carry the serials of its own volumes.
 */
export class OwnVms {
  readonly #store: Pick<Store, 'ownVms'>;
  readonly #uses = new Map<string, { readonly vmId: string; readonly volumes: number }>();
  readonly connect: ConnectAgentHere;

  constructor(store: Pick<Store, 'ownVms'>, connect: ConnectAgentHere) {
    this.#store = store;
    this.connect = connect;
  }

  of(endpointId: string): OwnVm | undefined {
    return this.#store.ownVms.list().find((vm) => vm.endpointId === endpointId);
  }

  /** Volumes that executions have attached to a VM, or are about to. */
  inUse(vmId: string): number {
    return [...this.#uses.values()].reduce((sum, use) => sum + (use.vmId === vmId ? use.volumes : 0), 0);
  }

  /** `full`: as many volumes as it may have are attached. The same execution gets the same answer, as long as it was not given back. */
  lease({ executionId, endpointId, volumes }: OwnVmUse): OwnVm | 'full' | undefined {
    const vm = this.of(endpointId);
    if (vm === undefined) return undefined;
    if (this.#uses.get(executionId)?.vmId === vm.vmId) return vm;
    if (this.inUse(vm.vmId) + volumes > vm.volumes) return 'full';
    this.#uses.set(executionId, { vmId: vm.vmId, volumes });
    return vm;
  }

  giveBack(executionId: string): void {
    this.#uses.delete(executionId);
  }
}
