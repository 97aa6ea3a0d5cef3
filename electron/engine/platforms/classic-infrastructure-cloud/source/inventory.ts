import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import type { ClassicInstance, ClassicShape } from '../client/compute.ts';
import { labelsOf, lastPart } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { storagePools, type ClassicAttachment, type ClassicVolume } from '../client/storage.ts';
import { isWorker, poolOfVolume } from '../cloud/remove-resource.ts';

/** A volume of an instance, by the index of its attachment. */
export interface InstanceDisk {
  readonly index: number;
  readonly volume: ClassicVolume;
  readonly pool: string;
  readonly isBoot: boolean;
}

/** An instance with its volumes, the one that it boots from first. */
export interface InstanceParts {
  readonly instance: ClassicInstance;
  readonly name: string;
  readonly disks: readonly InstanceDisk[];
  /** Names of attached volumes that the list of volumes does not have. */
  readonly hidden: readonly string[];
}

const sharedNetwork = 'shared network';
const ours = 'managed-by';

/** The VMs of the account, without temporary workers. */
export async function listVms({ compute, storage }: Classic, signal: AbortSignal): Promise<readonly VmSummary[]> {
  const [instances, volumes, attachments] = await Promise.all([
    compute.instances(signal),
    storage.volumes(signal),
    storage.attachments(signal),
  ]);
  return instances
    .filter((instance) => !isWorker(instance))
    .map((instance) => {
      const { name, disks } = partsOf(instance, volumes, attachments);
      const tags = (instance.tags ?? []).filter((tag) => !tag.startsWith('causeway-') && !tag.startsWith(`${ours}=`));
      return {
        id: instance.name,
        name,
        os_type: osOf(instance),
        power: powerOf(instance),
        diskCount: disks.length,
        totalBytes: disks.reduce((sum, { volume }) => sum + volume.size, 0),
        // Who made it: names are by user.
        folder: instance.name.split('/')[2] ?? '',
        ...(tags.length === 0 ? {} : { tags }),
      };
    });
}

/** @throws `source.vm-not-found` */
export async function readInstance(
  { compute, storage, connection }: Classic,
  vmId: string,
  signal: AbortSignal,
): Promise<InstanceParts> {
  const instance = await compute.instance(vmId, signal);
  if (instance === undefined)
    throw new CausewayError('source.vm-not-found', `account ${connection.account} has no instance ${vmId}`);
  const [volumes, attachments] = await Promise.all([storage.volumes(signal), storage.attachments(signal)]);
  return partsOf(instance, volumes, attachments);
}

export async function describeVm(classic: Classic, vmId: string, signal: AbortSignal): Promise<Vm> {
  const { instance, name, disks } = await readInstance(classic, vmId, signal);
  const [shapes, macs] = await Promise.all([classic.compute.shapes(signal), classic.network.macAddresses(signal)]);
  const shape: ClassicShape | undefined = shapes.find((each) => each.name === instance.shape);
  return {
    id: vmId,
    name,
    os_type: osOf(instance) === 'windows' ? 'windows' : 'linux',
    firmware: 'bios',
    ...(shape === undefined ? {} : { vcpus: Math.max(1, Math.round(shape.cpus)), memory_mb: Math.round(shape.ram) }),
    disks: disks.map(({ volume, pool, isBoot }) => ({
      id: volume.name,
      size_bytes: volume.size,
      bootable: isBoot,
      bus: 'xen',
      storage_backend: pool,
    })),
    nics: nicsOf(instance).map(([id, nic]) => {
      const given = Array.isArray(nic.address) ? nic.address[0] : nic.address;
      const mac = (typeof given === 'string' && given !== '' ? given : macs.get(nic.vnic ?? ''))?.toLowerCase();
      return {
        id,
        network: typeof nic.ipnetwork === 'string' && nic.ipnetwork !== '' ? lastPart(nic.ipnetwork) : sharedNetwork,
        ...(mac === undefined ? {} : { mac_address: mac }),
        ip_addresses: [nic.ip ?? (id === 'eth0' ? instance.ip : undefined)].filter(
          (ip): ip is string => typeof ip === 'string' && ip !== '' && ip !== '0.0.0.0',
        ),
      };
    }),
  };
}

/** What people must know of a VM before it is replicated, one sentence each. */
export async function unsupportedDevices(
  classic: Classic,
  vmId: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { instance, name, disks } = await readInstance(classic, vmId, signal);
  return [
    ...(disks.length > 1
      ? [
          `Snapshots of the ${disks.length} volumes of ${name} are taken one after the other: what is spread over several of them is only consistent if nothing writes meanwhile`,
        ]
      : []),
    ...(instance.label === null || instance.label === undefined || instance.label === ''
      ? [`${name} has no label: it is named after its object`]
      : []),
  ];
}

/** @throws `source.unsupported` for an instance that boots from no volume, is off, or has volumes that can't be read */
export function requireExportable({ instance, name, disks, hidden }: InstanceParts): void {
  if (hidden.length > 0) {
    throw new CausewayError(
      'source.unsupported',
      `${name} has volumes that the account does not list: ${hidden.join(', ')}. Give the user the right to read them`,
      { details: { vmId: instance.name, volumes: [...hidden] } },
    );
  }
  if (!disks.some(({ isBoot }) => isBoot)) {
    throw new CausewayError(
      'source.unsupported',
      `${name} boots from the temporary disk of its image: only storage volumes can be replicated. Launch it from a bootable volume first`,
      { details: { vmId: instance.name } },
    );
  }
  if (instance.state !== 'running') {
    throw new CausewayError(
      'source.unsupported',
      `${name} is ${instance.state}: the platform takes snapshots for running instances alone. Start it first`,
      { details: { vmId: instance.name, state: instance.state } },
    );
  }
}

/** Copies of all volumes are on the worker at a time. @throws `source.unsupported` */
export function requirePlaces({ instance, name, disks }: InstanceParts, places: number): void {
  if (disks.length <= places) return;
  throw new CausewayError(
    'source.unsupported',
    `${name} has ${disks.length} volumes, and a worker with a root volume of its own takes ${places}: leave out export_root_disk_size`,
    { details: { vmId: instance.name, disks: disks.length } },
  );
}

function partsOf(
  instance: ClassicInstance,
  volumes: readonly ClassicVolume[],
  attachments: readonly ClassicAttachment[],
): InstanceParts {
  const own = attachments.filter((each) => each.instance_name === instance.name && each.state !== 'detaching');
  const boot = instance.boot_order?.[0];
  const disks = own.flatMap(({ index, storage_volume_name: name }): InstanceDisk[] => {
    const volume = volumes.find((each) => each.name === name);
    return volume === undefined
      ? []
      : [{ index, volume, pool: poolOfVolume(volume) ?? storagePools[0], isBoot: index === boot }];
  });
  disks.sort((one, other) => Number(other.isBoot) - Number(one.isBoot) || one.index - other.index);
  const { label } = instance;
  const hidden = own
    .map(({ storage_volume_name: name }) => name)
    .filter((name) => !volumes.some((volume) => volume.name === name));
  return {
    instance,
    hidden,
    name: typeof label === 'string' && label !== '' ? lastPart(label) : (instance.name.split('/')[3] ?? instance.name),
    disks,
  };
}

function osOf({ platform, imagelist, tags }: ClassicInstance): VmSummary['os_type'] {
  const said = platform ?? labelsOf(tags)['os'] ?? '';
  if (/windows/i.test(said)) return 'windows';
  if (said !== '') return 'linux';
  return /windows/i.test(imagelist ?? '') ? 'windows' : 'unknown';
}

function powerOf({ state }: ClassicInstance): VmSummary['power'] {
  if (state === 'running') return 'running';
  return state === 'shutdown' || state === 'stopped' ? 'stopped' : 'unknown';
}

/** `eth0` first. */
function nicsOf({ networking }: ClassicInstance) {
  return Object.entries(networking ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
