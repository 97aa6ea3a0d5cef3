import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/model/json.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { DiskImagesConnection } from '../../../../shared/plugins/disk-images/connection.ts';
import {
  source as sourceSchema,
  type DiskImagesSource as Said,
} from '../../../../shared/plugins/disk-images/source.ts';
import { ImageDiskReader } from '../../images/image-disk-reader.ts';
import { openImage } from '../../images/open-image.ts';
import type { DiskReader } from '../../ports/disk-reader.ts';
import { SnapshotRecords } from '../../source-records/snapshot-records.ts';
import type { PlatformContext } from '../../ports/platform-context.ts';
import type { CheckReport, OptionList } from '../../ports/platform-common.ts';
import type { Snapshot, SnapshotDisk, SourcePlatform, VmSummary } from '../../ports/source-platform.ts';
import { checkDiskImages } from './check.ts';
import {
  fingerprint,
  fingerprintFromJson,
  fingerprintToJson,
  verifyUnchanged,
  type Fingerprint,
} from './fingerprint.ts';
import type { ImageDisk, ImageVm } from './image-vm.ts';
import { inspectImage } from './inspect-image.ts';
import { endpointFolder, findVms } from './inventory.ts';

const DEFAULT_NETWORK = 'default';
/** Files are checked for changes this often while they are read; `assertUnchanged` checks them again at the end. */
const VERIFY_EVERY_MS = 100;

/**
 * VMs in image files. A snapshot is the identity of the files: they are read in place, and a file that changes while it
 * is read fails the snapshot. There is no change tracking: coverage is always `allocated`.
 */
export class DiskImagesSource implements SourcePlatform {
  readonly #connection: DiskImagesConnection;
  readonly #records: SnapshotRecords;
  readonly #readers = new Set<DiskReader>();

  constructor(connection: DiskImagesConnection, context: PlatformContext) {
    this.#connection = connection;
    this.#records = new SnapshotRecords(context.scratchFolder, 'disk-images');
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkDiskImages(this.#connection.path, signal);
  }

  async listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    const { vms } = await findVms(this.#connection.path, signal);
    const summaries: VmSummary[] = [];
    for (const vm of vms) {
      // One damaged image must not hide the others; describing its VM tells what is wrong.
      const sizes = await Promise.all(vm.disks.map((disk) => this.#size(disk).catch(ignoreImageErrors)));
      const totalBytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
      const os_type = vm.osType ?? this.#connection.os_type ?? 'unknown';
      summaries.push({ id: vm.id, name: vm.name, os_type, power: 'stopped', diskCount: vm.disks.length, totalBytes });
    }
    return summaries;
  }

  async describeVm(vmId: string, _signal: AbortSignal, environment: JsonObject = {}): Promise<Vm> {
    const vm = await this.#find(vmId);
    const said = saidIn(environment);
    const vcpus = said.vcpus ?? vm.vcpus;
    const memoryMb = said.memory_mb ?? vm.memoryMb;
    const disks: Vm['disks'] = [];
    for (const [index, disk] of vm.disks.entries()) {
      disks.push({
        id: disk.id,
        size_bytes: await this.#size(disk),
        bootable: index === 0,
        ...(disk.bus === undefined ? {} : { bus: disk.bus }),
      });
    }
    return {
      id: vm.id,
      name: vm.name,
      os_type: said.os_type ?? vm.osType ?? this.#connection.os_type ?? 'linux',
      firmware: said.firmware ?? vm.firmware ?? this.#connection.firmware ?? 'bios',
      disks,
      nics: (vm.nics ?? [{ network: said.network ?? DEFAULT_NETWORK }]).map((nic, index) => ({
        id: `nic${index}`,
        network: nic.network,
        ...(nic.macAddress === undefined ? {} : { mac_address: nic.macAddress }),
        ...(nic.addresses === undefined ? {} : { ip_addresses: [...nic.addresses] }),
      })),
      ...(vm.secureBoot === undefined ? {} : { secure_boot: vm.secureBoot }),
      ...(vcpus === undefined ? {} : { vcpus }),
      ...(memoryMb === undefined ? {} : { memory_mb: memoryMb }),
    };
  }

  async options(names: readonly string[], _signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    const { vms } = await findVms(this.#connection.path);
    const networks = new Set(
      vms.flatMap((vm) => (vm.nics ?? [{ network: DEFAULT_NETWORK }]).map((nic) => nic.network)),
    );
    return Object.fromEntries(
      names.map((name) => [
        name,
        name === 'networks' || name === 'vm.networks'
          ? [...networks].map((network) => ({ id: network, name: network }))
          : [],
      ]),
    );
  }

  async prepare(vmId: string): Promise<void> {
    await this.#find(vmId);
  }

  async createSnapshot(request: { readonly vmId: string; readonly tag: string }): Promise<Snapshot> {
    const known = await this.#records.find(request.vmId, request.tag);
    if (known !== undefined) return known;
    const vm = await this.#find(request.vmId);
    const disks: SnapshotDisk[] = [];
    const files: Record<string, JsonObject[]> = {};
    for (const disk of vm.disks) {
      const folder = await endpointFolder(this.#connection.path);
      const { files: paths } = await inspectImage(disk.location, folder);
      // Taken before the size is read, so that a change in between shows.
      const prints = await Promise.all(paths.map(fingerprint));
      const { sizeBytes, files: sameFiles } = await inspectImage(disk.location, folder);
      refuseOtherFiles(disk.id, paths, sameFiles);
      disks.push({ diskId: disk.id, sizeBytes });
      files[disk.id] = prints.map(fingerprintToJson);
    }
    const snapshot: Snapshot = {
      id: request.tag,
      tag: request.tag,
      vmId: request.vmId,
      takenAt: new Date().toISOString(),
      disks,
      state: { files },
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  async isAlive(snapshot: Snapshot): Promise<boolean> {
    try {
      await this.assertUnchanged(snapshot);
      return true;
    } catch (error) {
      if (error instanceof CausewayError && error.code === 'source.changed-while-reading') return false;
      throw error;
    }
  }

  async assertUnchanged(snapshot: Snapshot): Promise<void> {
    for (const { diskId } of snapshot.disks) await verifyUnchanged(filesOf(snapshot, diskId));
  }

  async openDisk(snapshot: Snapshot, diskId: string, _base: Snapshot | undefined): Promise<DiskReader> {
    const files = filesOf(snapshot, diskId);
    await verifyUnchanged(files);
    const vm = await this.#find(snapshot.vmId);
    const disk = vm.disks.find((candidate) => candidate.id === diskId);
    if (disk === undefined) throw new CausewayError('source.disk-not-found', `${snapshot.vmId} has no disk ${diskId}`);
    const image = await openImage(disk.location, { folder: await endpointFolder(this.#connection.path) });
    try {
      refuseOtherFiles(
        diskId,
        files.map((file) => file.path),
        image.files,
      );
    } catch (error) {
      await image.close();
      throw error;
    }
    let verifiedAt = 0;
    const reader = new ImageDiskReader(image, {
      verify: async () => {
        if (performance.now() - verifiedAt < VERIFY_EVERY_MS) return;
        verifiedAt = performance.now();
        await verifyUnchanged(files);
      },
      onClose: async () => {
        this.#readers.delete(reader);
      },
    });
    this.#readers.add(reader);
    return reader;
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined): Promise<void> {
    await this.#records.forget(snapshot);
    if (formerBase !== undefined) await this.#records.forget(formerBase);
  }

  async discardSnapshot(snapshot: Snapshot): Promise<void> {
    await this.#records.forget(snapshot);
  }

  async deleteBase(base: Snapshot): Promise<void> {
    await this.#records.forget(base);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => reader.close()));
  }

  async #size(disk: ImageDisk): Promise<number> {
    return (await inspectImage(disk.location, await endpointFolder(this.#connection.path))).sizeBytes;
  }

  async #find(vmId: string): Promise<ImageVm> {
    const { vms, problems } = await findVms(this.#connection.path);
    const vm = vms.find((candidate) => candidate.id === vmId);
    if (vm !== undefined) return vm;
    throw (
      problems.find((problem) => problem.name === vmId)?.error ??
      new CausewayError('source.vm-not-found', `no VM ${vmId} in ${this.#connection.path}`)
    );
  }
}

function refuseOtherFiles(diskId: string, before: readonly string[], now: readonly string[]): void {
  if (before.join('\n') === now.join('\n')) return;
  throw new CausewayError(
    'source.changed-while-reading',
    `${diskId} consists of different files than before: ${now.join(', ')}`,
  );
}

function filesOf(snapshot: Snapshot, diskId: string): readonly Fingerprint[] {
  const { files } = snapshot.state;
  const list = files !== undefined && isJsonObject(files) && Object.hasOwn(files, diskId) ? files[diskId] : undefined;
  if (!Array.isArray(list))
    throw new CausewayError('source.disk-not-found', `the snapshot ${snapshot.tag} has no disk ${diskId}`);
  return list.map((file: JsonValue) => fingerprintFromJson(file));
}

function ignoreImageErrors(error: unknown): undefined {
  if (error instanceof CausewayError && /^source\.(image|disk)-/.test(error.code)) return undefined;
  throw error;
}

/** The guest settings of an environment. Invalid values are ignored here; the checks report them. */
function saidIn(environment: JsonObject): Said {
  const own = Object.fromEntries(Object.entries(environment).filter(([key]) => key in sourceSchema.shape));
  return sourceSchema.safeParse(own).data ?? {};
}
