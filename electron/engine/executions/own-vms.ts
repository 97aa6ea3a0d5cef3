import type { OwnVmOfSource, ThisComputer, TurnHere } from '../ports/own-vm.ts';
import type { WorkerSession } from '../ports/write-target.ts';
import type { OwnVm } from '../store/own-vms.ts';
import type { Store } from '../store/store.ts';

/** Starts the agent on this computer. */
export type ConnectAgentHere = (
  use: { readonly purpose: string; readonly epoch: number },
  signal: AbortSignal,
) => Promise<WorkerSession>;

/** Waits for the turn to attach volumes to this computer. @param wait called when another process has it */
export type TakeTurnHere = (wait: () => void, signal: AbortSignal) => Promise<TurnHere>;

/** What is there of the computer that the engine runs on. */
export interface ComputerHere {
  readonly connect: ConnectAgentHere;
  readonly takeTurn: TakeTurnHere;
  readonly thisComputer: ThisComputer;
}

/** Volumes of the destination, or copies of disks at the source: the same VM may have both. */
type OwnVmRole = 'destination' | 'source';

export interface OwnVmUse {
  readonly executionId: string;
  /** Default: `destination`. */
  readonly role?: OwnVmRole;
  readonly endpointId: string;
  /** How many it wants attached. */
  readonly volumes: number;
}

/**
 * The VMs of clouds that this engine runs on, so that volumes of a destination, and copies of a source's disks, are attached to this computer instead of
 * to a worker that is started for them.
 * Executions share such a VM: each has an agent of its own, and opens nothing but the devices that carry the serials of its own volumes.
 */
export class OwnVms {
  readonly #store: Pick<Store, 'ownVms' | 'ledger'>;
  readonly #uses = new Map<string, { readonly vmId: string; readonly volumes: number }>();
  readonly #takeTurn: TakeTurnHere;
  readonly connect: ConnectAgentHere;
  readonly thisComputer: ThisComputer;

  constructor(store: Pick<Store, 'ownVms' | 'ledger'>, { connect, takeTurn, thisComputer }: ComputerHere) {
    this.#store = store;
    this.connect = connect;
    this.#takeTurn = takeTurn;
    this.thisComputer = thisComputer;
  }

  of(endpointId: string): OwnVm | undefined {
    return this.#store.ownVms.list().find((vm) => vm.endpointId === endpointId);
  }

  /** Volumes that executions have attached to a VM, or are about to. */
  inUse(vmId: string): number {
    return [...this.#uses.values()].reduce((sum, use) => sum + (use.vmId === vmId ? use.volumes : 0), 0);
  }

  /** `full`: as many volumes as it may have are attached. The same execution gets the same answer, as long as it was not given back. */
  lease({ executionId, role = 'destination', endpointId, volumes }: OwnVmUse): OwnVm | 'full' | undefined {
    const vm = this.of(endpointId);
    if (vm === undefined) return undefined;
    const use = useOf(executionId, role);
    if (this.#uses.get(use)?.vmId === vm.vmId) return vm;
    if (this.inUse(vm.vmId) + volumes > vm.volumes) return 'full';
    this.#uses.set(use, { vmId: vm.vmId, volumes });
    return vm;
  }

  /** @param role default: both */
  giveBack(executionId: string, role?: OwnVmRole): void {
    for (const each of role === undefined ? roles : [role]) this.#uses.delete(useOf(executionId, each));
  }

  /** Does what must not overlap with attachments to this computer by others: whose devices appear meanwhile could not be told. */
  async inTurn<T>(wait: () => void, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const turn = await this.#takeTurn(wait, signal);
    try {
      return await work(AbortSignal.any([signal, turn.lost]));
    } catch (error) {
      throw turn.lost.aborted && !signal.aborted ? turn.lost.reason : error;
    } finally {
      await turn.release();
    }
  }

  /** Whether a device of a volume was seen to go and to come back with it, since this computer was started. */
  isProven({ endpointId, vmId }: OwnVm): boolean {
    const bootId = this.thisComputer.bootId();
    return bootId !== undefined && this.#store.ownVms.isProven(endpointId, vmId, bootId);
  }

  prove({ endpointId, vmId }: OwnVm): void {
    const bootId = this.thisComputer.bootId();
    if (bootId !== undefined) this.#store.ownVms.prove(endpointId, vmId, bootId);
  }

  /** The VM of a source that this engine runs on, as an execution may use it. */
  ofSource(
    endpointId: string,
    { executionId, replicaId }: { readonly executionId: string; readonly replicaId: string },
  ): OwnVmOfSource | undefined {
    const vm = this.of(endpointId);
    if (vm === undefined) return undefined;
    const { vmId, vmName } = vm;
    return {
      vmId,
      vmName,
      lease: (copies) => {
        const leased = this.lease({ executionId, role: 'source', endpointId, volumes: copies });
        return leased !== undefined && leased !== 'full' && leased.vmId === vmId;
      },
      giveBack: () => this.giveBack(executionId, 'source'),
      connect: (signal) =>
        this.connect({ purpose: `${vmId} ${replicaId} source`, epoch: this.#store.ledger.epoch(replicaId) }, signal),
    };
  }
}

const roles: readonly OwnVmRole[] = ['destination', 'source'];
const useOf = (executionId: string, role: OwnVmRole): string => `${executionId} ${role}`;
