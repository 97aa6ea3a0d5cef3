import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import { isGone } from '../client/fault.ts';
import { propertyOf, readInventory, readObject, readObjects, type ObjectProperties } from '../client/properties.ts';
import { objectOf, vm as vmObject, type ManagedObject } from '../client/request.ts';
import type { VimSession } from '../client/session.ts';
import { flagAt, integerOf, type XmlElement } from '../client/xml.ts';
import type { SourceContext } from './source-context.ts';
import {
  devicesOf,
  guestAddresses,
  placeOf,
  snapshotsOf,
  type SnapshotNode,
  type VirtualDevices,
} from './vm-devices.ts';

/** What replication needs to know of a VM. */
export interface VmState {
  readonly vm: ManagedObject;
  readonly name: string;
  readonly power: VmSummary['power'];
  readonly isConnected: boolean;
  readonly osType: 'linux' | 'windows' | undefined;
  /** What the platform says of the guest's OS. */
  readonly osName: string;
  readonly firmware: 'bios' | 'uefi';
  readonly secureBoot: boolean;
  readonly vcpus: number | undefined;
  readonly memoryMib: number | undefined;
  readonly devices: VirtualDevices;
  readonly snapshots: readonly SnapshotNode[];
  readonly isTracked: boolean;
  readonly canTrack: boolean;
  readonly needsConsolidation: boolean;
  readonly hasRunningTools: boolean;
  /** The VM's own keys are locked: its disks can't be read by anybody. */
  readonly isLocked: boolean;
  readonly host: ManagedObject | undefined;
  readonly bootTime: string | undefined;
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  readonly recentTasks: readonly ManagedObject[];
}

const statePaths = [
  'name',
  'runtime.powerState',
  'runtime.connectionState',
  'runtime.host',
  'runtime.bootTime',
  'runtime.consolidationNeeded',
  'runtime.cryptoState',
  'config.guestId',
  'config.guestFullName',
  'guest.guestFamily',
  'guest.net',
  'guest.toolsRunningStatus',
  'config.firmware',
  'config.bootOptions',
  'config.hardware.numCPU',
  'config.hardware.memoryMB',
  'config.hardware.device',
  'config.changeTrackingEnabled',
  'capability.changeTrackingSupported',
  'snapshot',
  'recentTask',
];

/** @throws `source.vm-not-found`, `source.permission-denied` */
export async function readVm(session: VimSession, vmId: string, signal: AbortSignal): Promise<VmState> {
  const gone = (): CausewayError =>
    new CausewayError('source.vm-not-found', `${session.host} has no VM ${vmId}`, { details: { vmId } });
  if (!/^[\w-]+$/.test(vmId)) throw gone();
  let read: ObjectProperties;
  try {
    read = await readObject(session, vmObject(vmId), statePaths, signal);
  } catch (error) {
    throw isGone(error) ? gone() : error;
  }
  const { properties } = read;
  const text = (path: string): string | undefined => properties.get(path)?.text;
  const flag = (path: string): boolean => isTrue(properties.get(path));
  const [guestId = '', fullName = '', family = ''] = [
    'config.guestId',
    'config.guestFullName',
    'guest.guestFamily',
  ].map((path) => text(path));
  return {
    vm: vmObject(vmId),
    name: decodeName(text('name') ?? vmId),
    power: powerOf(text('runtime.powerState')),
    isConnected: (text('runtime.connectionState') ?? 'connected') === 'connected',
    osType: osTypeOf(family, guestId, fullName),
    osName: fullName === '' ? guestId : fullName,
    firmware: text('config.firmware') === 'efi' ? 'uefi' : 'bios',
    secureBoot: flagAt(properties.get('config.bootOptions'), 'efiSecureBootEnabled') ?? false,
    vcpus: integerOf(properties.get('config.hardware.numCPU')),
    memoryMib: integerOf(properties.get('config.hardware.memoryMB')),
    devices: devicesOf(propertyOf(read, 'config.hardware.device')),
    snapshots: snapshotsOf(propertyOf(read, 'snapshot')),
    isTracked: flag('config.changeTrackingEnabled'),
    canTrack: properties.has('capability.changeTrackingSupported') ? flag('capability.changeTrackingSupported') : true,
    needsConsolidation: flag('runtime.consolidationNeeded'),
    hasRunningTools: text('guest.toolsRunningStatus') === 'guestToolsRunning',
    isLocked: text('runtime.cryptoState') === 'locked',
    host: objectOf(properties.get('runtime.host')),
    bootTime: text('runtime.bootTime'),
    addresses: guestAddresses(properties.get('guest.net')),
    recentTasks: (properties.get('recentTask')?.children ?? []).flatMap((element) => objectOf(element) ?? []),
  };
}

const isTrue = (element: XmlElement | undefined): boolean => element?.text === 'true' || element?.text === '1';

function powerOf(state: string | undefined): VmSummary['power'] {
  if (state === 'poweredOn') return 'running';
  return state === 'poweredOff' ? 'stopped' : 'unknown';
}

/** By what Tools say of the running guest, then by what its owner has chosen. */
function osTypeOf(family: string, guestId: string, fullName: string): VmState['osType'] {
  if (family === 'windowsGuest' || /^win/i.test(guestId) || /windows/i.test(fullName)) return 'windows';
  if (family === 'linuxGuest') return 'linux';
  return /linux|rhel|centos|debian|ubuntu|sles|suse|fedora|rocky|alma|amazon|photon|oracle|coreos|asianux|redhat|mandr/i.test(
    `${guestId} ${fullName}`,
  )
    ? 'linux'
    : undefined;
}

/** The VM as the engine describes VMs. A guest whose OS is not known is taken for Linux; `unsupportedDevices` says so. */
export async function describe(session: VimSession, state: VmState, signal: AbortSignal): Promise<Vm> {
  const groups = state.devices.nics.flatMap(({ portGroup }) => (portGroup === undefined ? [] : [portGroup]));
  const names = await portGroupNames(session, groups, signal);
  return {
    id: state.vm.id,
    name: state.name,
    os_type: state.osType ?? 'linux',
    firmware: state.firmware,
    secure_boot: state.secureBoot,
    ...(state.vcpus === undefined ? {} : { vcpus: state.vcpus }),
    ...(state.memoryMib === undefined ? {} : { memory_mb: state.memoryMib }),
    disks: replicable(state).map((disk, index) => {
      const place = placeOf(disk.fileName);
      return {
        id: String(disk.key),
        size_bytes: disk.sizeBytes,
        ...(place === undefined ? {} : { storage_backend: place.datastore }),
        ...(disk.bus === undefined ? {} : { bus: disk.bus }),
        bootable: index === 0,
      };
    }),
    nics: state.devices.nics.map((nic) => {
      const addresses = state.addresses.get(nic.macAddress ?? '') ?? [];
      return {
        id: String(nic.key),
        network: nic.network ?? names.get(nic.portGroup ?? '') ?? nic.portGroup ?? 'unknown',
        ...(nic.macAddress === undefined ? {} : { mac_address: nic.macAddress }),
        ...(addresses.length === 0 ? {} : { ip_addresses: [...addresses] }),
      };
    }),
  };
}

/** The disks that an execution replicates now. Independent ones are in no snapshot: they are read only while nobody writes to them. */
export const replicable = ({ devices, power }: VmState): VirtualDevices['disks'] =>
  devices.disks.filter(
    ({ obstacle, isIndependent }) => obstacle === undefined || (isIndependent && power === 'stopped'),
  );

async function portGroupNames(
  session: VimSession,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const objects = [...new Set(ids)].map((id) => ({ type: 'DistributedVirtualPortgroup', id }));
  const read = await readObjects(session, objects, { DistributedVirtualPortgroup: ['name'] }, signal).catch(
    (error: unknown) => {
      // A port group that was deleted, or that the account can't see, leaves its id as its name.
      if (error instanceof CausewayError && error.code !== 'general.cancelled') return [];
      throw error;
    },
  );
  return new Map(
    read.flatMap(({ object, properties }) => {
      const name = properties.get('name')?.text;
      return name === undefined ? [] : [[object.id, decodeName(name)] as const];
    }),
  );
}

/** The API escapes what paths can't have in names. */
function decodeName(name: string): string {
  return name.replaceAll(/%(2f|5c|25)/gi, (whole) => decodeURIComponent(whole));
}

/** What is told of a VM of which nobody asks more than where it is. */
const summaryPaths = [
  'name',
  'parent',
  'runtime.powerState',
  'runtime.host',
  'config.template',
  'config.guestId',
  'config.guestFullName',
  'guest.guestFamily',
  'config.hardware.device',
];

/** All VMs that the account can see, without templates, each with its folder, cluster and tags. */
export async function listVms(context: SourceContext, signal: AbortSignal): Promise<readonly VmSummary[]> {
  const { session } = context;
  const found = await readInventory(
    session,
    {
      VirtualMachine: summaryPaths,
      Folder: ['name', 'parent'],
      Datacenter: ['name', 'parent'],
      HostSystem: ['name', 'parent'],
      ComputeResource: ['name'],
      VirtualApp: ['name', 'parentFolder'],
    },
    signal,
  );
  const tags = await tagsOf(
    context,
    found.filter(({ object }) => object.type === 'VirtualMachine').map(({ object }) => object.id),
    signal,
  );
  const parents = new Map(
    found.filter(({ object }) => object.type !== 'VirtualMachine').map((entry) => [entry.object.id, entry]),
  );
  return found
    .filter(({ object, properties }) => object.type === 'VirtualMachine' && !isTrue(properties.get('config.template')))
    .map(({ object, properties }) => {
      const text = (path: string): string => properties.get(path)?.text ?? '';
      const disks = devicesOf(properties.get('config.hardware.device')).disks.filter(
        ({ obstacle }) => obstacle === undefined,
      );
      const folder = folderOf(objectOf(properties.get('parent')), parents);
      const cluster = clusterOf(objectOf(properties.get('runtime.host')), parents);
      return {
        id: object.id,
        name: decodeName(text('name')),
        os_type: osTypeOf(text('guest.guestFamily'), text('config.guestId'), text('config.guestFullName')) ?? 'unknown',
        power: powerOf(text('runtime.powerState')),
        diskCount: disks.length,
        totalBytes: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        ...(folder === '' ? {} : { folder }),
        ...(cluster === undefined ? {} : { cluster }),
        ...(tags.has(object.id) ? { tags: tags.get(object.id) ?? [] } : {}),
      };
    });
}

/** Tags help to find VMs: without them, VMs are listed all the same. The endpoint check says why they are missing. */
async function tagsOf(
  { session, readTags }: SourceContext,
  vmIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (vmIds.length === 0 || (await session.content(signal)).apiType !== 'VirtualCenter') return new Map();
  return readTags(vmIds, signal).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof CausewayError)) throw error;
    return new Map<string, readonly string[]>();
  });
}

/** The path of a folder, without the hidden folder of each data center: `DC0/production/web`. */
function folderOf(start: ManagedObject | undefined, parents: ReadonlyMap<string, ObjectProperties>): string {
  const names: string[] = [];
  const seen = new Set<string>();
  for (let at = start; at !== undefined && !seen.has(at.id);) {
    seen.add(at.id);
    const entry = parents.get(at.id);
    const above = objectOf(entry?.properties.get('parent')) ?? objectOf(entry?.properties.get('parentFolder'));
    const isHidden = above?.type === 'Datacenter' && at.type === 'Folder';
    const name = entry?.properties.get('name')?.text;
    // The root folder is not in the view, as that begins below it.
    if (name !== undefined && !isHidden) names.unshift(decodeName(name));
    at = above;
  }
  return names.join('/');
}

function clusterOf(
  host: ManagedObject | undefined,
  parents: ReadonlyMap<string, ObjectProperties>,
): string | undefined {
  const entry = host === undefined ? undefined : parents.get(host.id);
  const above = objectOf(entry?.properties.get('parent'));
  const name =
    above?.type === 'ClusterComputeResource'
      ? parents.get(above.id)?.properties.get('name')?.text
      : entry?.properties.get('name')?.text;
  return name === undefined ? undefined : decodeName(name);
}
