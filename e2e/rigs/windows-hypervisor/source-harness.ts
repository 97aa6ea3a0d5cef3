import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createHypervSource,
  type HypervConnection,
} from '../../../electron/engine/platforms/windows-hypervisor/index.ts';
import { ledgerScope } from '../../../electron/engine/store/ledger.ts';
import { openStore } from '../../../electron/engine/store/store.ts';
import {
  callFaults,
  type CallFault,
  type MortalProcess,
  type PlatformCalls,
} from '../../conformance/platform-calls.ts';
import type { LedgerEntry } from '../../../electron/engine/ports/ledger.ts';
import type { SourcePlatform } from '../../../electron/engine/ports/source-platform.ts';
import type { SourceHarness } from '../../conformance/source-harness.ts';
import { closing, temporaryFolder } from '../closing.ts';
import { hurriedClock } from '../hurried-clock.ts';
import type { RequestEffect } from '../windows/winrm-stand-in/start.ts';
import { startHyperv, type HypervRig, type HypervRigOptions } from './start.ts';
import type { RigVm } from './world.ts';

const MIB = 2 ** 20;
const effects: Readonly<Record<CallFault, RequestEffect | 'fails-later'>> = {
  'refused-for-now': 'refuse-503',
  throttled: 'refuse-429',
  'cut-before': 'cut-before',
  'gateway-error-after': 'gateway-error-after',
  'cut-after': 'cut-after',
  'never-answered': 'never-answer',
  'fails-later': 'fails-later',
};

export interface HypervHarness extends SourceHarness {
  readonly rig: HypervRig;
  readonly vm: RigVm;
  /** What people were told. */
  readonly notes: string[];
  /** The source with another connection to the same rig. The test closes it. */
  open(more: Partial<HypervConnection>): SourcePlatform;
  /** The source as the next execution of the same replica opens it. The test closes it. */
  nextExecution(more?: Partial<HypervConnection>): SourcePlatform;
  /** What the ledger has on record. */
  entries(): readonly LedgerEntry[];
  /** Removes it as the clean-up of the ledger does. */
  removeRecorded(entry: LedgerEntry): Promise<void>;
}

export interface HypervHarnessOptions extends HypervRigOptions {
  readonly connection?: Partial<HypervConnection>;
  /** How disks are read. Default: by the RCT service. */
  readonly reader?: boolean;
  readonly nodePatienceMs?: number;
  /** Default: long enough for a busy machine. */
  readonly readerStartMs?: number;
}

/** A running VM with two disks on the rig. */
export async function hypervHarness(options: HypervHarnessOptions = {}): Promise<HypervHarness> {
  await using stack = new AsyncDisposableStack();
  const rig = stack.adopt(await startHyperv(options), closing);
  const { world } = rig;
  const vm = world.addVm('web-01');
  world.addDisk(vm, 16 * MIB);
  world.addDisk(vm, 8 * MIB);
  const folder = await temporaryFolder(stack, 'causeway-hyperv-');
  const store = stack.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
  const notes: string[] = [];
  const connection: HypervConnection = {
    host: world.nodes[0] ?? '',
    port: rig.hosts[0]?.port ?? 0,
    username: rig.username,
    password: rig.password,
    certificate_sha256: rig.hosts.map(({ certificateSha256 }) => certificateSha256),
    ...(options.reader === true
      ? { disk_access: 'reader' as const, reader_port: 0 }
      : { rct_port: rig.rct.port, rct_password: rig.rct.key }),
    ca_certificate: rig.rct.certificatePem,
    ...options.connection,
  };
  /** How long an answer is waited for: as long as a busy machine needs, except where none comes. Who is too late then is asked once more, or that process fails. */
  let answerMs = 6000;
  const open = (executionId: string, process?: MortalProcess, more: Partial<HypervConnection> = {}) => {
    const use = { replicaId: 'rep-1', executionId };
    return createHypervSource(
      { ...connection, ...more },
      {
        scratchFolder: folder,
        use: { ...use, note: (message) => void notes.push(message) },
        ledger: ledgerScope(process === undefined ? store.ledger : process.ledger(store.ledger), {
          endpointId: 'end-1',
          ...use,
          side: 'source',
        }),
      },
      {
        clock: hurriedClock(5),
        random: () => 0,
        backOff: { attempts: 4, firstMs: 1, capMs: 5 },
        timeoutMs: answerMs,
        readerStartMs: options.readerStartMs ?? 30_000,
        ...(options.nodePatienceMs === undefined ? {} : { nodePatienceMs: options.nodePatienceMs }),
      },
    );
  };
  const platform = stack.adopt(open('exe-1'), closing);
  const calls: PlatformCalls = {
    faults: callFaults,
    callCount: () => rig.calls.length,
    callName: (number) => rig.calls[number - 1]?.name ?? 'none',
    callChanges: (number) => rig.calls[number - 1]?.changes ?? false,
    failCall(n, fault) {
      const at = rig.calls.length + n;
      if (fault === 'never-answered') answerMs = 1000;
      rig.effects = (_call, number) => (number === at ? effects[fault] : 'serve');
    },
    cutOff(n, when, tell) {
      const at = rig.calls.length + n;
      rig.effects = (_call, number) => {
        if (number < at) return 'serve';
        tell();
        return number === at && when === 'after' ? 'cut-after' : 'cut-before';
      };
    },
    clearFaults() {
      answerMs = 6000;
      rig.effects = () => 'serve';
    },
  };
  const disk = (index: number) => {
    const found = vm.disks[index];
    if (found === undefined) throw new Error(`no disk ${index}`);
    return found;
  };
  const removeRecorded = async (entry: LedgerEntry): Promise<void> => {
    const scope = ledgerScope(store.ledger, {
      endpointId: 'end-1',
      replicaId: 'rep-1',
      executionId: entry.executionId ?? 'exe-1',
      side: 'source',
    });
    const [shown] = scope.list().filter(({ entryId }) => entryId === entry.entryId);
    if (shown !== undefined) await platform.removeResource?.(shown, scope, AbortSignal.timeout(60_000));
  };
  const opened = stack.move();
  return {
    rig,
    vm,
    notes,
    platform,
    calls,
    open: (more) => open('exe-1', undefined, more),
    nextExecution: (more) => open('exe-2', undefined, more),
    entries: () => store.ledger.list(),
    removeRecorded,
    // The engine goes on with an execution that was interrupted, under its name.
    reopen: (process) => open('exe-1', process),
    leftovers: async () => [
      ...world.vms.flatMap(({ facts, checkpoints, referencePoints }) => [
        ...checkpoints.map(({ name }) => `checkpoint ${name} of ${facts.name}`),
        ...referencePoints.map(({ id }) => `reference point ${id} of ${facts.name}`),
      ]),
      ...world.nodes.flatMap((node) => [...world.rulesOf(node)].map((rule) => `firewall rule ${rule} on ${node}`)),
      ...(await rig.runningReaders()).map(({ name }) => `reader ${name}`),
      ...store.ledger
        .list({})
        .filter(({ state }) => state !== 'removed')
        .map(({ kind, key }) => `${kind} ${key} in the ledger`),
    ],
    vmId: vm.id,
    environment: { verify_rct_server: 'no' },
    diskIds: vm.disks.map(({ identifier }) => identifier),
    tracksChanges: true,
    changesAreRough: true,
    isLive: true,
    write: async (index, offset, length, byte) => disk(index).write(offset, Buffer.alloc(length, byte)),
    zero: async (index, offset, length) => disk(index).write(offset, Buffer.alloc(length)),
    content: async (index) => disk(index).content,
    async addDisk(sizeBytes, byte) {
      const added = world.addDisk(vm, sizeBytes);
      added.write(0, Buffer.alloc(sizeBytes, byte));
      return added.identifier;
    },
    growDisk: async (index, sizeBytes) => disk(index).grow(sizeBytes),
    spoil: async (snapshot) => void vm.removeCheckpoint(snapshot.id),
    async loseBase() {
      disk(0).resetTracking();
      await rm(join(folder, 'windows-hypervisor-digests'), { recursive: true, force: true });
    },
    async close() {
      await using _rest = opened;
      await platform.close();
      const left = await rig.leftOfCauseway();
      if (left.length > 0) throw new Error(`a host is not idle: ${left.join('; ')}`);
    },
  };
}
