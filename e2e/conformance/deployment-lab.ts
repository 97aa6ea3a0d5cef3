import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type {
  DeployedNic,
  DeployedServer,
  DeploymentPlan,
  DeploymentPlatform,
  DeploymentRun,
  VolumeSnapshot,
} from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform, Volume } from '../../electron/engine/ports/destination-platform.ts';
import type { LedgerEntry } from '../../electron/engine/ports/ledger.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import type { LedgerEntryStore } from '../../electron/engine/store/ledger-entries.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';
import type { ErrorCode } from '../../shared/model/errors/catalogue.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { closing } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import type { MortalProcess, PlatformCalls } from './platform-calls.ts';

/** A server as its platform shows it. */
export interface ServerSeen {
  readonly isRunning: boolean;
  /** All its disks in the order in which the guest finds them, that which it boots from first. */
  readonly volumeIds: readonly string[];
  /** In the order in which the guest finds them. */
  readonly nics: readonly { readonly id: string; readonly macAddress: string }[];
  /** Undefined where the platform does not say. */
  readonly firmware: 'bios' | 'uefi' | undefined;
}

/** A platform in a lab that can make replicas into running VMs, where everything can be seen. */
export interface DeploymentLab extends PlatformCalls {
  /** A platform as a new process would make it: nothing of an earlier one's memory. */
  open(): DestinationPlatform;
  readonly environment: JsonObject;
  /** A Linux VM with BIOS, two small disks of which the second is `bootable`, and two NICs on networks of the environment. */
  readonly vm: Vm;
  /** What the platform has a firmware for. Default: both. */
  readonly firmwares?: readonly ('bios' | 'uefi')[];
  /** False where the platform has no deployments in place. Default: it has. */
  readonly inPlace?: boolean;
  /** What a plan refuses before anything is created: changes to the environment or the VM, and the error's code. */
  readonly refused: readonly {
    readonly about: string;
    readonly environment?: JsonObject;
    readonly vm?: Partial<Vm>;
    readonly code: ErrorCode;
  }[];
  /** Everything that is there and was made by the platform's user, as `<kind> <name>`. */
  inventory(): readonly string[] | Promise<readonly string[]>;
  /** Writes a short text into a free volume, as a guest or a worker would. */
  writeMark(volumeId: string, mark: string): Promise<void>;
  /** The text that was last written into the volume, or into what it was made from. */
  readMark(volumeId: string): Promise<string>;
  server(id: string): Promise<ServerSeen | undefined>;
  /** What did not conform to the platform's own description of its API. */
  violations(): readonly string[];
  close(): Promise<void>;
}

/** What a deployment has made by the time that its server runs. */
export interface Deployed {
  readonly plan: DeploymentPlan;
  readonly snapshots: readonly VolumeSnapshot[];
  readonly volumes: readonly Volume[];
  readonly nics: readonly DeployedNic[];
  readonly server: DeployedServer;
}

export type Steps = 'snapshots' | 'volumes' | 'nics' | 'worker' | 'server';

const never = new AbortController().signal;

/** What the engine has recorded of a deployment when a process takes it up: a step that is over is not repeated. */
interface Progress {
  isPrepared: boolean;
}

/** A platform of one process, and one deployment as that process sees it. */
export interface Hand {
  readonly progress: Progress;
  readonly platform: DestinationPlatform;
  readonly deployment: DeploymentPlatform;
  readonly run: DeploymentRun;
  readonly signal: AbortSignal;
}

/** A replica with marked volumes, and its deployments. */
export interface Replica {
  readonly volumes: readonly Volume[];
  readonly marks: readonly string[];
  /** The same deployment again, as another process takes it up, or as one that will be killed has it. */
  hand(
    deploymentId: string,
    process?: MortalProcess,
    more?: { readonly environment?: JsonObject; readonly vm?: Partial<Vm> },
  ): Hand;
  /** What the ledger has of this replica. */
  entries(): readonly LedgerEntry[];
  /** Fails unless the replica's volumes, and nothing else, are there with their content, in the lab and in the ledger. */
  expectAlone(at?: string, volumeIds?: readonly string[]): Promise<void>;
  delete(): Promise<void>;
}

/** The engine's part in a deployment as far as a platform needs it: a ledger, and the order of the steps. */
export class DeploymentBench {
  readonly lab: DeploymentLab;
  readonly #opened = new AsyncDisposableStack();
  readonly #store: Store;
  #count = 0;

  constructor(lab: DeploymentLab) {
    this.lab = lab;
    const folder = mkdtempSync(join(tmpdir(), 'causeway-deployments-'));
    this.#opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    this.#store = this.#opened.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  }

  async replica(): Promise<Replica> {
    this.#count += 1;
    const replicaId = `replica-${this.#count}`;
    const lab = this.lab;
    const progress = new Map<string, Progress>();
    const progressOf = (deploymentId: string): Progress =>
      progress.get(deploymentId) ?? progress.set(deploymentId, { isPrepared: false }).get(deploymentId)!;
    const hand: Replica['hand'] = (deploymentId, process, { environment = {}, vm = {} } = {}) => {
      const platform = lab.open();
      this.#opened.adopt(platform, closing);
      const { deployment } = platform;
      if (deployment === undefined) throw new Error('this platform has no deployments');
      const entries: LedgerEntryStore = process === undefined ? this.#store.ledger : process.ledger(this.#store.ledger);
      return {
        platform,
        deployment,
        progress: progressOf(deploymentId),
        signal: process?.signal ?? never,
        run: {
          replicaId,
          deploymentId,
          executionId: deploymentId,
          preparationRole: 'osmorphing-linux',
          vm: { ...lab.vm, id: `vm-${replicaId}`, ...vm },
          environment: { ...lab.environment, ...environment },
          ledger: ledgerScope(entries, { endpointId: 'endpoint', replicaId, executionId: deploymentId }),
          note: () => undefined,
        },
      };
    };
    const first = hand('execution');
    const volumes = await first.platform.ensureVolumes(first.run, first.run.vm.disks, never);
    const marks = volumes.map((_, index) => `${replicaId} disk ${index}`);
    for (const [index, volume] of volumes.entries()) await lab.writeMark(volume.id, marks[index] ?? '');
    const entries = (): readonly LedgerEntry[] =>
      this.#store.ledger.list().filter((entry) => entry.replicaId === replicaId);
    return {
      volumes,
      marks,
      hand,
      entries,
      async expectAlone(at = '', volumeIds = volumes.map(({ id }) => id)) {
        expect(
          (await lab.inventory()).map((line) => line.split(' ')[0]),
          at,
        ).toEqual(volumes.map(() => 'volume'));
        expect(
          entries()
            .map((entry) => [entry.lifetime, entry.resourceId])
            .sort(),
          `the ledger ${at}`,
        ).toEqual(volumeIds.map((id) => ['replica', id]).sort());
        expect(await Promise.all(volumeIds.map((id) => lab.readMark(id))), `the content ${at}`).toEqual(marks);
      },
      async delete() {
        const { platform, run } = hand('execution');
        await platform.deleteVolumes(run, never);
        expect(await lab.inventory()).toEqual([]);
        expect(entries()).toEqual([]);
      },
    };
  }

  close(): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

/** How many of each kind there are, so that a second one of anything stands out. */
export async function census(lab: Pick<DeploymentLab, 'inventory'>): Promise<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const line of await lab.inventory()) {
    const kind = line.split(' ')[0] ?? '';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** The volumes in the order of the disks in the server: that which it boots from first. */
export function bootFirst(run: Pick<DeploymentRun, 'vm'>, volumes: readonly Volume[]): readonly Volume[] {
  const boot = run.vm.disks.find((disk) => disk.bootable === true) ?? run.vm.disks[0];
  return [
    ...volumes.filter(({ diskId }) => diskId === boot?.id),
    ...volumes.filter(({ diskId }) => diskId !== boot?.id),
  ];
}

/**
 * The steps of a deployment in the engine's order, each of which takes up what an earlier process made.
 *
 * @param how `until`: the last step; `inPlace`: from the replica's own volumes
 */
export async function deploy(
  { platform, deployment, run, signal, progress }: Hand,
  how: { readonly until?: Steps; readonly inPlace?: boolean; readonly keepSnapshots?: boolean } = {},
): Promise<Deployed> {
  const replica = await platform.ensureVolumes(run, run.vm.disks, signal);
  const plan = await deployment.plan(run, replica, signal);
  const made = {
    plan,
    snapshots: await deployment.snapshotVolumes(run, replica, signal),
    volumes: replica,
    nics: [],
    server: { id: '', name: '', addresses: [] },
  };
  if (how.until === 'snapshots') return made;
  const volumes = how.inPlace === true ? replica : await deployment.volumesFromSnapshots(run, made.snapshots, signal);
  if (how.until === 'volumes') return { ...made, volumes };
  const nics = await deployment.createNics(run, plan, signal);
  if (how.until === 'nics') return { ...made, volumes, nics };
  if (!progress.isPrepared) {
    await startWorkerWith(platform, run, run.preparationRole, bootFirst(run, volumes), signal);
    if (how.until === 'worker') return { ...made, volumes, nics };
    await platform.stopWorker(run, run.preparationRole, signal);
    progress.isPrepared = true;
  }
  const server = await deployment.createServer(run, plan, volumes, nics, signal);
  if (how.keepSnapshots !== true) await deployment.deleteSnapshots(run, signal);
  return { ...made, volumes, nics, server };
}

/** Undoes a deployment as the engine does, however far it came. */
export async function undo({ platform, deployment, run, signal }: Hand): Promise<void> {
  await platform.stopWorker(run, run.preparationRole, signal);
  await deployment.rollBack(run, signal);
}
