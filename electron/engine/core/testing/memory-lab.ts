import { randomUUID } from 'node:crypto';
import { createHash } from 'node:crypto';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { CatalogQuota } from '../../../../shared/model/catalog.ts';
import { extentsFrom, type Extent } from '../../../../shared/model/extent.ts';
import type { ConnectWorker } from '../../executions/execution-context.ts';
import { runPolicy } from '../../platforms/european-cloud/run-policy.ts';
import type { PlatformRegistry } from '../../platforms/registry.ts';
import { ownVmKey, type OwnVmDevice, type VmHint } from '../../ports/own-vm.ts';
import type { DestinationPlatform, DestinationRun, Volume } from '../../ports/destination-platform.ts';
import type { DiskReader } from '../../ports/disk-reader.ts';
import type { WriteTarget, WorkerSession } from '../../ports/write-target.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { CheckReport } from '../../ports/platform-common.ts';
import type { PlatformUse } from '../../ports/platform-context.ts';
import type { EndpointRecord, SecretVault } from '../../ports/secret-vault.ts';
import type { Snapshot, SourcePlatform } from '../../ports/source-platform.ts';
import { memoryDeployments } from './memory-deployments.ts';

const block = 65536;
const zeros = Buffer.alloc(block);

/** A source and a cloud in memory, which record calls and fail on demand. */
export class MemoryLab {
  readonly #vaults = new Map<string, SecretVault>();

  /** The vault of a project, which outlives its engine as the file does. */
  vault(initial: Readonly<Record<string, string>> = { key: '{}' }, project = ''): SecretVault {
    const vault = this.#vaults.get(project) ?? memoryVault(initial);
    this.#vaults.set(project, vault);
    return vault;
  }

  /** What the destination allows; undefined: it tells nothing of it. */
  quotas: readonly CatalogQuota[] | undefined;
  /** Live disks of the one VM. */
  readonly disks = new Map<string, Buffer>();
  readonly snapshots = new Map<string, { readonly content: Map<string, Buffer>; alive: boolean }>();
  /** Cloud things by id: volumes have bytes, workers none. */
  readonly things = new Map<string, { readonly name: string; bytes?: Buffer; readonly serial: string }>();
  /** Volumes that were attached and are no longer. */
  readonly detached = new Set<string>();
  /** Names of VMs that engines run on, by id. */
  readonly ownVms = new Map<string, string>();
  /** Those of them that the account may not read. */
  readonly unreadableVms = new Set<string>();
  /** How many more volumes such a VM takes. */
  room: number | undefined;
  /** Why no such VM is needed. */
  whyNone: string | undefined;
  /** Which one the engine's computer says that it is. */
  hints: readonly VmHint[] = [];
  /** How a volume is found at such a VM. Default: by its serial. */
  identity: ((volume: Volume) => OwnVmDevice) | undefined;
  /** Told when the cloud has attached a volume to such a VM, and before it answers. */
  onAttach: (volumeId: string) => void = () => undefined;
  /** VMs that engines run on, by the volumes that are attached to them. */
  readonly attachedTo = new Map<string, string>();
  readonly log: string[] = [];
  /** Thrown, once each, when a step of that name begins. */
  readonly faults = new Map<string, CausewayError[]>();
  /** Awaited in every write, so that a test can stop the world. */
  beforeWrite: () => Promise<void> = async () => undefined;
  /** Told what a run is given. */
  onRun: (run: DestinationRun) => void = () => undefined;
  bytesWritten = 0;
  /** Sessions of an earlier generation belong to a process that was killed: their calls never come back, nor have effect. */
  generation = 0;
  /** Awaited when the cloud has done a step of a deployment and before it answers, so that a test can lose the answer. */
  beforeAnswer: (step: string) => Promise<void> = async () => undefined;
  /** Whether the source can remove a snapshot that may not exist. */
  findsIntents = false;
  /** Whether the source can start VMs. */
  canStart = true;
  /** What of the VM is on none of its disks. */
  unsupportedDevices: readonly string[] = [];
  /** What the cloud says of a worker that does not answer. */
  whyDown: (workerId: string) => string | undefined = () => undefined;
  /** Awaited in every connection to a worker. */
  beforeConnection: (signal: AbortSignal) => Promise<void> = async () => undefined;
  /** What the console of a deployed server shows. */
  consoleText = 'web login: ';
  /** What a check may repeat into its evidence, as a careless platform would. */
  evidence = 'all is well';
  /** What the source answers to a check. */
  check = async (): Promise<CheckReport> => ({
    passed: true,
    steps: [{ name: 'reach', outcome: 'passed', evidence: this.evidence }],
  });

  get volumes(): Buffer[] {
    return [...this.things.values()].flatMap((thing) => (thing.bytes === undefined ? [] : [thing.bytes]));
  }

  volumeOf(diskId: string): Buffer | undefined {
    return [...this.things.values()].find((thing) => thing.serial.startsWith(`${diskId}-`))?.bytes;
  }

  fail(step: string, ...errors: CausewayError[]): void {
    this.faults.set(step, errors);
  }

  readonly platforms: PlatformRegistry = {
    'disk-images': { source: (_connection, context) => this.#source(context.use) },
    'european-cloud': { destination: () => this.#destination() },
  };

  readonly connectWorker: ConnectWorker = async (_access, _mechanism, signal) => {
    this.step('connect');
    await this.beforeConnection(signal);
    const lost = new AbortController();
    const session: WorkerSession = {
      mechanism: 'SSH',
      lost: lost.signal,
      devices: async () =>
        [...this.things].flatMap(([id, thing]) =>
          thing.bytes === undefined || this.detached.has(id)
            ? []
            : [
                {
                  path: id,
                  serial: thing.serial.slice(0, 20),
                  byPath: [],
                  sizeBytes: thing.bytes.length,
                  inUse: false,
                },
              ],
        ),
      open: async (device) => this.#writer(device.path),
      close: async () => undefined,
    };
    return session;
  };

  step(name: string): void {
    this.log.push(name);
    const error = this.faults.get(name)?.shift();
    if (error !== undefined) throw error;
  }

  readonly #stops = new Map<string, () => void>();

  /** Resolves when the step begins, from where on nothing that the engine of then does has an effect: it is as if killed. */
  stopAt(step: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stops.set(step, resolve);
    return promise;
  }

  /** Never comes back for an engine that was killed, or is killed here. */
  async #reach(step: string, generation: number): Promise<void> {
    const stop = this.#stops.get(step);
    if (stop !== undefined && generation === this.generation) {
      this.#stops.delete(step);
      this.generation += 1;
      stop();
    }
    if (generation !== this.generation) await new Promise(() => undefined);
  }

  make(entry: LedgerEntry, bytes?: Buffer): { id: string } {
    const id = randomUUID();
    // A worker sees the first 20 characters, which have to tell volumes apart.
    const serial = entry.lifetime === 'deployment' ? id : `${entry.key}-${id}`;
    this.things.set(id, { name: entry.name, serial, ...(bytes === undefined ? {} : { bytes }) });
    return { id };
  }

  #source(use: PlatformUse | undefined): SourcePlatform {
    const { generation } = this;
    const snapshotOf = (tag: string): Snapshot => ({
      id: tag,
      tag,
      vmId: 'vm-1',
      takenAt: new Date().toISOString(),
      state: {},
      disks: [...(this.snapshots.get(tag)?.content ?? [])].map(([diskId, bytes]) => ({
        diskId,
        sizeBytes: bytes.length,
      })),
    });
    return {
      check: () => this.check(),
      listVms: async () => [
        { id: 'vm-1', name: 'web', os_type: 'linux', power: 'running', diskCount: this.disks.size, totalBytes: 0 },
      ],
      describeVm: async () => {
        this.step('describe');
        return {
          id: 'vm-1',
          name: 'web',
          os_type: 'linux',
          vcpus: 1,
          memory_mb: 1024,
          disks: [...this.disks].map(([id, bytes]) => ({ id, size_bytes: bytes.length })),
          nics: [{ id: 'nic-0', network: 'default' }],
        };
      },
      unsupportedDevices: async () => this.unsupportedDevices,
      options: async () => ({}),
      prepare: async () => undefined,
      createSnapshot: async ({ tag }) => {
        this.step('snapshot');
        if (!this.snapshots.has(tag)) {
          this.snapshots.set(tag, {
            content: new Map([...this.disks].map(([id, bytes]) => [id, Buffer.from(bytes)])),
            alive: true,
          });
        }
        return snapshotOf(tag);
      },
      isAlive: async (snapshot) => this.snapshots.get(snapshot.tag)?.alive ?? false,
      assertUnchanged: async () => {
        await this.#reach('assert unchanged', generation);
        this.step('assert unchanged');
      },
      openDisk: async (snapshot, diskId, base) => this.#reader(snapshot.tag, diskId, base?.tag),
      promoteToBase: async (snapshot, former) => {
        this.step(`promote ${former === undefined ? 'first' : 'on base'}`);
        if (former !== undefined && former.tag !== snapshot.tag) this.snapshots.delete(former.tag);
      },
      discardSnapshot: async (snapshot) => {
        this.step('discard');
        this.snapshots.delete(snapshot.tag);
      },
      ...(this.findsIntents
        ? {
            discardPending: async ({ tag }: { readonly tag: string }) => {
              this.step('discard pending');
              this.snapshots.delete(tag);
            },
          }
        : {}),
      shutdown: async () => this.step('shut down'),
      ...(this.canStart ? { start: async () => this.step('start') } : {}),
      deleteBase: async (base) => {
        this.step('delete base');
        this.snapshots.delete(base.tag);
        use?.note?.('the base is gone');
      },
      close: async () => undefined,
    };
  }

  #reader(tag: string, diskId: string, baseTag: string | undefined): DiskReader {
    const held = this.snapshots.get(tag);
    const content = held?.content.get(diskId);
    if (held === undefined || content === undefined) throw new Error('no such snapshot');
    const base = baseTag === undefined ? undefined : this.snapshots.get(baseTag)?.content.get(diskId);
    const kindAt = (offset: number): Extent['kind'] | undefined => {
      const part = content.subarray(offset, offset + block);
      if (base !== undefined && offset < base.length && part.equals(base.subarray(offset, offset + block)))
        return undefined;
      return part.equals(zeros.subarray(0, part.length)) ? 'zero' : 'data';
    };
    const all = function* (): Generator<Extent> {
      for (let offset = 0; offset < content.length; offset += block) {
        const kind = kindAt(offset);
        if (kind !== undefined) yield { offset, length: Math.min(block, content.length - offset), kind };
      }
    };
    return {
      sizeBytes: content.length,
      coverage: base === undefined ? 'allocated' : 'changed',
      granularityBytes: block,
      extents: (_signal, fromBytes = 0) => extentsFrom(all(), fromBytes),
      read: async (offset, into) => void content.copy(into, 0, offset, offset + into.length),
      close: async () => undefined,
    };
  }

  #destination(): DestinationPlatform {
    const find = async (entry: LedgerEntry) =>
      [...this.things].filter(([, thing]) => thing.name === entry.name).map(([id]) => ({ id }))[0];
    const get = async (id: string) => (this.things.has(id) ? { id } : undefined);
    const make = this.make.bind(this);
    const gone = {
      findId: async (entry: LedgerEntry) => (await find(entry))?.id,
      remove: async (id: string) => void this.things.delete(id),
    };
    return {
      check: async () => ({ passed: true, steps: [] }),
      options: async () => ({}),
      catalog: async () => ({
        networks: [{ id: 'n', name: 'net' }],
        ...(this.quotas === undefined ? {} : { quotas: [...this.quotas] }),
      }),
      checkEnvironment: async () => [],
      runPolicy,
      ensureVolumes: async (run, disks, signal) => {
        this.onRun(run);
        this.step('volumes');
        const volumes: Volume[] = [];
        for (const disk of disks) {
          const create = async (entry: LedgerEntry) => make(entry, Buffer.alloc(disk.size_bytes));
          const { resource, created } = await run.ledger.ensure(
            { kind: 'volume', key: disk.id, lifetime: 'replica' },
            { find, get, create },
            signal,
          );
          const thing = this.things.get(resource.id);
          if (thing?.bytes !== undefined && thing.bytes.length < disk.size_bytes) {
            thing.bytes = Buffer.concat([thing.bytes, Buffer.alloc(disk.size_bytes - thing.bytes.length)]);
          }
          volumes.push({
            id: resource.id,
            diskId: disk.id,
            sizeBytes: thing?.bytes?.length ?? 0,
            createdByThisCall: created,
          });
        }
        return volumes;
      },
      startWorker: async (run, _role, signal) => {
        this.step('start worker');
        const { resource } = await run.ledger.ensure(
          { kind: 'server', key: 'worker', lifetime: 'temporary' },
          { find, get, create: async (entry) => make(entry) },
          signal,
        );
        await this.beforeAnswer('start worker');
        return { workerId: resource.id, host: '', sshPort: 0, httpsPort: 0, username: '', privateKeyPem: '' };
      },
      attachVolume: async (_run, _workerId, { id, sizeBytes }) => {
        if (this.attachedTo.has(id)) throw new CausewayError('cloud.volume-in-use', id);
        this.detached.delete(id);
        return { kind: 'serial', serial: this.things.get(id)?.serial ?? '', sizeBytes };
      },
      detachVolume: async (_run, _workerId, { id }) => {
        this.step('detach volume');
        this.detached.add(id);
      },
      workerFailure: async (_environment, workerId) => this.whyDown(workerId),
      stopWorker: async (run, _role, signal) => {
        this.step('stop worker');
        for (const entry of run.ledger.list({ lifetime: 'temporary' }).filter(({ kind }) => kind !== 'attachment'))
          await run.ledger.release(entry, gone, signal);
        await this.beforeAnswer('stop worker');
      },
      deleteVolumes: async (run, signal) => {
        for (const entry of run.ledger.list({ lifetime: 'replica' })) await run.ledger.release(entry, gone, signal);
      },
      ownVm: {
        bySerial: this.identity === undefined,
        check: async (_environment, vmId) => {
          if (this.unreadableVms.has(vmId))
            throw new CausewayError('cloud.permission-denied', `read VM ${vmId}: forbidden`);
          const name = this.ownVms.get(vmId);
          if (name === undefined) throw new CausewayError('engine.own-vm-unusable', vmId);
          return { name, ...(this.room === undefined ? {} : { room: this.room }) };
        },
        hints: async () => this.hints,
        whyNone: async () => this.whyNone,
        attachVolume: async (run, vmId, volume, signal) => {
          const { id, sizeBytes } = volume;
          const named = ({ entryId }: LedgerEntry) => ({ id: `${vmId}/${id}/${entryId}` });
          const there = async (entry: LedgerEntry) => (this.attachedTo.get(id) === vmId ? named(entry) : undefined);
          await run.ledger.ensure(
            { kind: 'attachment', key: ownVmKey(id), lifetime: 'temporary', details: { vmId, volumeId: id } },
            {
              find: there,
              get: (_id, entry) => there(entry),
              create: async (entry) => {
                this.step('attach to own VM');
                if (this.attachedTo.has(id)) throw new CausewayError('cloud.volume-in-use', id);
                this.attachedTo.set(id, vmId);
                this.onAttach(id);
                return named(entry);
              },
            },
            signal,
          );
          this.detached.delete(id);
          return this.identity?.(volume) ?? { kind: 'serial', serial: this.things.get(id)?.serial ?? '', sizeBytes };
        },
      },
      removeResource: (entry, ledger, signal) =>
        ledger.release(
          entry,
          entry.kind !== 'attachment'
            ? gone
            : {
                findId: async ({ details }) => this.attachedTo.get(String(details['volumeId'])),
                remove: async (_id, { details }) => {
                  this.step('detach from own VM');
                  this.attachedTo.delete(String(details['volumeId']));
                  this.detached.add(String(details['volumeId']));
                },
              },
          signal,
        ),
      findResource: find,
      deployment: memoryDeployments(this),
      close: async () => undefined,
    };
  }

  #writer(id: string): WriteTarget {
    const { generation } = this;
    const alive = async (): Promise<void> => {
      if (generation !== this.generation) await new Promise(() => undefined);
    };
    const bytes = (): Buffer => this.things.get(id)?.bytes ?? Buffer.alloc(0);
    return {
      sizeBytes: bytes().length,
      alignmentBytes: 1,
      read: async (offset, into) => void bytes().copy(into, 0, offset, offset + into.length),
      write: async (offset, data, signal) => {
        await this.beforeWrite();
        await alive();
        signal.throwIfAborted();
        bytes().set(data, offset);
        this.bytesWritten += data.length;
        return { bytesSent: data.length };
      },
      zero: async (offset, length) => {
        await alive();
        bytes().fill(0, offset, offset + length);
      },
      flush: async () => {
        await alive();
        this.step('flush');
      },
      digests: async (offset, length, size) => {
        await this.#reach('verify', generation);
        const out: Buffer[] = [];
        for (let at = offset; at < offset + length; at += size) {
          out.push(
            createHash('sha256')
              .update(bytes().subarray(at, Math.min(at + size, offset + length)))
              .digest(),
          );
        }
        return Buffer.concat(out);
      },
      close: async () => undefined,
    };
  }
}

/** Secrets in memory, for tests of everything but the vault. */
export function memoryVault(initial: Readonly<Record<string, string>> = {}): SecretVault {
  const secrets = new Map(Object.entries(initial));
  const endpoints = new Map<string, EndpointRecord>();
  const holderOf = (name: string): [string, EndpointRecord] | undefined =>
    [...endpoints].find(([, record]) => Object.hasOwn(record.secrets, name));
  return {
    status: async () => ({ exists: true, locked: false, protection: 'memory' }),
    openQuietly: async () => true,
    names: async () => [...secrets.keys(), ...[...endpoints.values()].flatMap((record) => Object.keys(record.secrets))],
    has: async (name) => secrets.has(name) || holderOf(name) !== undefined,
    set: async (name, value) => {
      const holder = holderOf(name);
      if (holder === undefined) secrets.set(name, value);
      else endpoints.set(holder[0], { ...holder[1], secrets: { ...holder[1].secrets, [name]: value } });
    },
    remove: async (name) => void secrets.delete(name),
    hasEndpoint: async (id) => endpoints.has(id),
    endpoint: async (id) => endpoints.get(id),
    saveEndpoint: async (id, record) => {
      endpoints.set(id, record);
      for (const name of Object.keys(record.secrets)) secrets.delete(name);
    },
    removeEndpoint: async (id) => void endpoints.delete(id),
    resolve: async (name) => {
      const secret = secrets.get(name);
      if (secret === undefined) throw new CausewayError('secrets.unknown-secret', name);
      return secret;
    },
  };
}
