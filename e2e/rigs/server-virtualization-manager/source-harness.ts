import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createOvmSource } from '../../../electron/engine/platforms/server-virtualization-manager/source/index.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import { simulatedCalls } from '../../conformance/simulated-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import type { SimulationOptions } from '../cloud-kit/start.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock, patientRequestMs } from '../hurried-clock.ts';
import { resolveAddress } from '../machines/reachable-port.ts';
import { startManager, stockVm, type SimulatedManager } from './start.ts';
import { templateUser, type DiskRecord, type VmRecord } from './world.ts';

const MIB = 2 ** 20;

export interface OvmHarness extends SourceHarness {
  readonly manager: SimulatedManager;
  readonly vm: VmRecord;
  /** What people were told. */
  readonly notes: string[];
}

/** What a worker from the stocked template needs. */
export const workerEnvironment = {
  repository_name: 'repo-1',
  export_template_name: 'linux-worker',
  export_template_username: templateUser.username,
  export_template_password: templateUser.password,
} as const;

export interface OvmHarnessOptions {
  /** What stands behind VMs. Default: nothing. */
  readonly machines?: SimulationOptions['machines'];
  /** Whether the servers have the exporter; without it, the environment is that of a worker. Default: true. */
  readonly hasExporter?: boolean;
}

/** A running VM with two disks on a simulated manager, and a source with a ledger. */
export async function ovmHarness({ machines, hasExporter = true }: OvmHarnessOptions = {}): Promise<OvmHarness> {
  await using stack = new AsyncDisposableStack();
  const { onCall, of, clock } = simulatedCalls({ changes: ({ method }) => method !== 'GET' });
  const manager = stack.adopt(
    await startManager({ transitionMs: 3, onCall, ...(machines === undefined ? {} : { machines }) }),
    closing,
  );
  const { world } = manager;
  world.hasExporter = hasExporter;
  const environment: JsonObject = hasExporter ? {} : workerEnvironment;
  const { files } = world.ground;
  const { vm, disks } = await stockVm(world, 'web', [16 * MIB, 8 * MIB]);
  const folder = await temporaryFolder(stack, 'causeway-ovm-source-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const notes: string[] = [];
  const use = { replicaId: 'rep-1', executionId: 'exe-1', note: (message: string) => void notes.push(message) };
  const timing = {
    backOff: { attempts: 4, firstMs: 1, capMs: 5 },
    requestMs: patientRequestMs,
    pollFirstMs: 3,
    pollCapMs: 5,
    looksBeforeCreatingAgain: 2,
  };
  const reopen = (process?: MortalProcess) =>
    createOvmSource(
      manager.connection,
      {
        scratchFolder: folder,
        use,
        ledger: ledgerScope(process === undefined ? store.ledger : process.ledger(store.ledger), {
          endpointId: 'end-1',
          replicaId: use.replicaId,
          executionId: use.executionId,
          side: 'source',
        }),
      },
      {
        clock,
        random: () => 0,
        timing,
        exporterUrl: () => manager.exporterUrl,
        reached: resolveAddress,
        environments: new Map([[vm.id.value, environment]]),
      },
    );
  const platform = stack.adopt(reopen(), closing);
  const disk = (index: number): DiskRecord => {
    const found = disks[index];
    if (found === undefined) throw new Error(`there is no disk ${index}`);
    return found;
  };
  const opened = stack.move();
  return {
    manager,
    vm,
    notes,
    platform,
    reopen,
    calls: of(manager),
    vmId: vm.id.value,
    environment,
    diskIds: disks.map(({ id }) => id.value),
    tracksChanges: true,
    isLive: true,
    leftovers: async () => world.leftovers(),
    write: (index, offset, length, byte) => files.write(disk(index).id.value, offset, Buffer.alloc(length, byte)),
    zero: (index, offset, length) => files.write(disk(index).id.value, offset, Buffer.alloc(length)),
    content: (index) => files.read(disk(index).id.value, 0, disk(index).size),
    async addDisk(sizeBytes, byte) {
      const added = await world.addDisk('web-added', sizeBytes, vm.repositoryId);
      await files.write(added.id.value, 0, Buffer.alloc(sizeBytes, byte));
      world.map(vm, added, 7);
      world.stocked();
      return added.id.value;
    },
    async growDisk(index, sizeBytes) {
      disk(index).size = sizeBytes;
      await files.grow(disk(index).id.value, sizeBytes);
    },
    async spoil(snapshot) {
      const marks = snapshot.state['disks'] as Readonly<
        Record<string, { readonly snapshotId?: string; readonly cloneId?: string }>
      >;
      const mark = marks[disk(0).id.value];
      world.snapshots.delete(mark?.snapshotId ?? '');
      world.disks.delete(mark?.cloneId ?? '');
    },
    async loseBase() {
      world.snapshots.clear();
      await rm(join(folder, 'server-virtualization-manager-digests'), { recursive: true, force: true });
    },
    close: () => opened.disposeAsync(),
  };
}
