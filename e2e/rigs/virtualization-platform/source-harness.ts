import type { DiskAccess } from '../../../electron/engine/platforms/virtualization-platform/disk-access/disk-access.ts';
import {
  createVsphereSource,
  type VsphereConnection,
  type VsphereOptions,
} from '../../../electron/engine/platforms/virtualization-platform/source/index.ts';
import type { LedgerScope } from '../../../electron/engine/ports/ledger.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { extentsFrom } from '../../../shared/model/extent.ts';
import type { MortalProcess } from '../../conformance/platform-calls.ts';
import { simulatedCalls } from '../../conformance/simulated-calls.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock } from '../hurried-clock.ts';
import { MemoryDisk } from './backing.ts';
import { startNfcServer, type NfcServer } from './nfc-server/nfc-server.ts';
import { startVsphere, type VsphereRig, type VsphereRigOptions } from './start.ts';
import type { RigVm, VsphereWorld } from './world.ts';

const MIB = 2 ** 20;
/** What snapshots of the harness say that they belong to. */
export const projectMark = 'computer.4711';

export interface VsphereHarness extends SourceHarness {
  readonly rig: VsphereRig;
  readonly vm: RigVm;
  /** The data ports of the hosts, in the order of `rig.hosts`. */
  readonly ports: NfcServer[];
  /** What people were told. */
  readonly notes: string[];
}

export interface VsphereHarnessOptions extends VsphereRigOptions {
  /** How the endpoint says that disks are read. */
  readonly diskAccess?: VsphereConnection['disk_access'];
  /** How disks are read. Default: as the product reads them, through the data ports of the hosts. */
  readonly access?: (world: VsphereWorld) => NonNullable<VsphereOptions['access']>;
}

/** A running VM with two disks in memory, its changes tracked, on the rig. */
export async function vsphereHarness(options: VsphereHarnessOptions = {}): Promise<VsphereHarness> {
  await using stack = new AsyncDisposableStack();
  const cuts = simulatedCalls({ changes: ({ operation }) => /_Task$/.test(operation), refusal: '503' });
  const rig = stack.adopt(
    await startVsphere({
      ...options,
      onCall: (call) => {
        options.onCall?.(call);
        cuts.onCall(call);
      },
    }),
    closing,
  );
  const { world } = rig;
  const [vm] = rig.vms;
  if (vm === undefined) throw new Error('the simulator has no VM');
  world.addDisk(vm, new MemoryDisk(16 * MIB));
  world.addDisk(vm, new MemoryDisk(8 * MIB));
  vm.isTracked = true;
  world.applyTracking(vm);
  const scratchFolder = await temporaryFolder(stack, 'causeway-vsphere-source-');
  const notes: string[] = [];
  const ports: NfcServer[] = [];
  for (const [index, hostId] of [...rig.hosts.keys()].entries()) {
    // A single host does not name itself in tickets: its data port is where its API is.
    const port = await startNfcServer({
      host: `127.0.0.${options.singleHost === true ? 1 : index + 2}`,
      disks: world,
      service: options.singleHost === true ? 'nfc' : 'vpxa-nfc',
    });
    ports.push(stack.adopt(port, closing));
    world.dataPorts.set(hostId, { host: port.host, port: port.port, sslThumbprint: port.thumbprint });
  }
  const access = options.access?.(world);
  // Of the ledger, the source needs to know only who it belongs to.
  const ledger = { owner: { mark: projectMark, former: [] } } as unknown as LedgerScope;
  let executions = 0;
  const open = (executionId: string) =>
    createVsphereSource(
      { ...rig.connection, ...(options.diskAccess === undefined ? {} : { disk_access: options.diskAccess }) },
      { scratchFolder, ledger, use: { replicaId: 'rep-1', executionId, note: (message) => void notes.push(message) } },
      {
        ...(access === undefined ? {} : { access }),
        clock: hurriedClock(5),
        random: () => 0,
        backOff: { attempts: 4, firstMs: 1, capMs: 5 },
        timeoutMs: 5000,
      },
    );
  const platform = stack.adopt(open('exe-1'), closing);
  const opened = stack.move();
  return {
    rig,
    vm,
    notes,
    platform,
    ports,
    calls: cuts.of(rig),
    reopen: (_process?: MortalProcess) => open(`exe-${(executions += 1) + 1}`),
    leftovers: async () => {
      // A call whose client has gone away is carried out all the same.
      await world.tasksEnded();
      return [...world.vms.values()].flatMap(({ name, snapshots }) =>
        [...snapshots.keys()].map((id) => `snapshot ${id} of ${name}`),
      );
    },
    vmId: vm.id,
    environment: {},
    diskIds: vm.disks.map(({ key }) => String(key)),
    tracksChanges: true,
    changesAreRough: true,
    isLive: true,
    write: async (index, offset, length, byte) => world.memory(vm, index).write(offset, Buffer.alloc(length, byte)),
    zero: async (index, offset, length) => world.memory(vm, index).write(offset, Buffer.alloc(length)),
    content: async (index) => world.memory(vm, index).content,
    async addDisk(sizeBytes, byte) {
      const disk = new MemoryDisk(sizeBytes);
      disk.write(0, Buffer.alloc(sizeBytes, byte));
      return String(world.addDisk(vm, disk).key);
    },
    growDisk: async (index, sizeBytes) => world.memory(vm, index).grow(sizeBytes),
    spoil: (snapshot) => rig.removeSnapshot(vm, snapshot.id),
    loseBase: async () => world.resetTracking(vm),
    async close() {
      await opened.disposeAsync();
      const violations = ports.flatMap(({ state }) => state.violations);
      if (violations.length > 0) throw new Error(`data ports were asked what hosts refuse: ${violations.join('; ')}`);
      if (world.problems.length > 0)
        throw new Error(`requests that the API does not take: ${[...new Set(world.problems)].join('; ')}`);
    },
  };
}

/** Reads the rig's disks with no data port between, as a host would serve them. */
export function straightAccess(world: VsphereWorld): DiskAccess {
  return {
    async open(disk, signal) {
      const path = await disk.path(signal);
      const served = world.find(path);
      if (served === undefined || served.isLive || served.vmId !== disk.vm.id)
        throw new CausewayError('source.snapshot-lost', `${path} cannot be opened`);
      const refuse = (within: AbortSignal): void => {
        if (within.aborted) throw new CausewayError('general.cancelled', 'reading was cancelled');
      };
      return {
        sizeBytes: served.sizeBytes,
        async *allocated(within, fromBytes) {
          refuse(within);
          yield* extentsFrom(await served.allocated(), fromBytes);
        },
        async read(offset, into, within) {
          refuse(within);
          // A cancellation meets reads that are under way.
          await new Promise((resolve) => setImmediate(resolve));
          refuse(within);
          if (world.find(path) === undefined) throw new CausewayError('source.snapshot-lost', `${path} is gone`);
          into.set(await served.read(offset, into.length));
        },
        close: async () => undefined,
      };
    },
    close: async () => undefined,
  };
}
