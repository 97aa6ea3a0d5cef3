import { z } from 'zod';
import { jsonObjectSchema } from '../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { DestinationRun, Volume, WorkerRole } from './destination-run.ts';

/** One deployment of a replica. What it makes is in the ledger under keys of its own, so that it can be rolled back. */
export interface DeploymentRun extends DestinationRun {
  readonly deploymentId: string;
  /** The worker that prepares the guest. */
  readonly preparationRole: WorkerRole;
  /** What the guest calls itself, once it was prepared. */
  readonly guestName?: string | undefined;
}

/** A snapshot of a replica's volume. Plain data. */
export interface VolumeSnapshot {
  readonly id: string;
  readonly diskId: string;
  readonly volumeId: string;
}

export const volumeSnapshotSchema: z.ZodType<VolumeSnapshot> = z.looseObject({
  id: z.string(),
  diskId: z.string(),
  volumeId: z.string(),
});

/** A network interface of the migrated VM. It is created before the guest is prepared. */
export interface DeployedNic {
  readonly id: string;
  /** The NIC of the source that it stands for. */
  readonly sourceNicId: string;
  readonly networkId: string;
  /** Absent where the platform assigns it at the first boot: the guest is then prepared without tying names to MAC addresses. */
  readonly macAddress?: string | undefined;
  readonly ipAddress?: string | undefined;
  readonly prefixLength?: number | undefined;
  readonly gateway?: string | undefined;
}

export const deployedNicSchema: z.ZodType<DeployedNic> = z.looseObject({
  id: z.string(),
  sourceNicId: z.string(),
  networkId: z.string(),
  macAddress: z.string().optional(),
  ipAddress: z.string().optional(),
  prefixLength: z.number().optional(),
  gateway: z.string().optional(),
});

/** What was settled before anything is created. Plain data; `state` belongs to the adapter. */
export interface DeploymentPlan {
  readonly machineType: string;
  readonly state: JsonObject;
}

export const deploymentPlanSchema: z.ZodType<DeploymentPlan> = z.looseObject({
  machineType: z.string(),
  state: jsonObjectSchema,
});

export interface DeployedServer {
  readonly id: string;
  readonly name: string;
  /** Addresses under which it may be reached, the public one first. */
  readonly addresses: readonly string[];
  /** The environment asks for a VM that is not powered on. */
  readonly isOff?: boolean;
}

/** Makes replicas into running VMs. Every step may be repeated after a crash: it adopts what is there. */
export interface DeploymentPlatform {
  /** The platform's own agent for guests: a Debian package that servers of the platform can download. */
  readonly agentPackage?: { readonly url: string; readonly architecture: 'x86_64' };
  /** NICs get their MAC addresses when the VM first boots: `createNics` gives none. */
  readonly macAddressesAtBoot?: true;
  /**
   * Settles names, addresses, sizes and quotas. Creates nothing.
   *
   * @throws `cloud.address-out-of-range` when a fixed address can't be kept, and what names and quotas throw
   */
  plan(run: DeploymentRun, volumes: readonly Volume[], signal: AbortSignal): Promise<DeploymentPlan>;
  snapshotVolumes(
    run: DeploymentRun,
    volumes: readonly Volume[],
    signal: AbortSignal,
  ): Promise<readonly VolumeSnapshot[]>;
  /** New volumes with the content of the snapshots; the replica's own stay as they are. */
  volumesFromSnapshots(
    run: DeploymentRun,
    snapshots: readonly VolumeSnapshot[],
    signal: AbortSignal,
  ): Promise<readonly Volume[]>;
  /** For a deployment in place that failed: the replica's volumes get the snapshots' content back, as the same or as new volumes. */
  restoreVolumes(
    run: DeploymentRun,
    snapshots: readonly VolumeSnapshot[],
    signal: AbortSignal,
  ): Promise<readonly Volume[]>;
  /**
   * After a deployment in place that succeeded: the replica's volumes become the deployment's in the ledger. Idempotent.
   * Without it the platform can't deploy in place.
   */
  transferVolumesToDeployment?(run: DeploymentRun, volumes: readonly Volume[], signal: AbortSignal): Promise<void>;
  /** One NIC for each of the source, in their order. */
  createNics(run: DeploymentRun, plan: DeploymentPlan, signal: AbortSignal): Promise<readonly DeployedNic[]>;
  /** Creates the VM from prepared, detached volumes, starts it, and waits until the platform says that it runs. */
  createServer(
    run: DeploymentRun,
    plan: DeploymentPlan,
    volumes: readonly Volume[],
    nics: readonly DeployedNic[],
    signal: AbortSignal,
  ): Promise<DeployedServer>;
  /** Addresses of a VM that had none when it was created: some platforms only learn them from the guest. */
  addresses?(serverId: string, signal: AbortSignal): Promise<readonly string[]>;
  /** The console's text so far, to check that the guest boots. Absent where servers have no console that can be read: the check then relies on the network. */
  consoleLog?(serverId: string, run: DeploymentRun, signal: AbortSignal): Promise<string>;
  /** After success. Idempotent. */
  deleteSnapshots(run: DeploymentRun, signal: AbortSignal): Promise<void>;
  /** After failure: removes all that the deployment made; the replica stays. Idempotent. */
  rollBack(run: DeploymentRun, signal: AbortSignal): Promise<void>;
}
