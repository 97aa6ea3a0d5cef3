import { atPath, childOf, childrenOf, flagAt, integerAt, textAt, typeOf, type XmlElement } from '../client/xml.ts';

/** A virtual disk as the configuration of a VM or of a snapshot has it. */
export interface VirtualDisk {
  /** Names the disk in its VM and in all of its snapshots. */
  readonly key: number;
  readonly label: string;
  readonly sizeBytes: number;
  /** `[datastore] folder/name.vmdk`: the link of the chain that this configuration stands on. */
  readonly fileName: string | undefined;
  /** Whether there are links below that one. */
  readonly hasParent: boolean;
  readonly uuid: string | undefined;
  /** Where change tracking stands; only in a snapshot's configuration. */
  readonly changeId: string | undefined;
  /** Class of the controller, its number, and the place on it. */
  readonly attachment: { readonly controllerType: string; readonly busNumber: number; readonly unitNumber: number };
  readonly bus: 'scsi' | 'ide' | 'sata' | 'nvme' | undefined;
  /** By the platform: its files have ciphertext. */
  readonly isEncrypted: boolean;
  /** Why no snapshot contains this disk; undefined when it can be replicated. */
  readonly obstacle: string | undefined;
  /** Nothing but its independence keeps it out of snapshots: while the VM is off, its file can be read as it is. */
  readonly isIndependent: boolean;
  /** Order in which the firmware finds it. */
  readonly rank: readonly [number, number];
}

export interface VirtualNic {
  readonly key: number;
  readonly label: string;
  readonly macAddress: string | undefined;
  /** Name of a standard port group; undefined for others. */
  readonly network: string | undefined;
  /** Id of a port group of a distributed switch. */
  readonly portGroup: string | undefined;
}

export interface VirtualDevices {
  readonly disks: readonly VirtualDisk[];
  readonly nics: readonly VirtualNic[];
  readonly hasTpm: boolean;
  /** Devices of the host that are passed through: sentences. */
  readonly passedThrough: readonly string[];
}

const buses: readonly (readonly [RegExp, VirtualDisk['bus']])[] = [
  [/SCSI|LsiLogic|BusLogic/, 'scsi'],
  [/IDE/, 'ide'],
  [/SATA|AHCI/, 'sata'],
  [/NVME/, 'nvme'],
];
const busOrder: readonly VirtualDisk['bus'][] = ['ide', 'scsi', 'sata', 'nvme', undefined];

/** The devices of `config.hardware.device`, disks in the order of their controllers and units. */
export function devicesOf(list: XmlElement | undefined): VirtualDevices {
  const devices = list?.children ?? [];
  const controllers = new Map(devices.map((device) => [integerAt(device, 'key'), device]));
  const isDisk = (device: XmlElement): boolean => typeOf(device) === 'VirtualDisk';
  const isNic = (device: XmlElement): boolean => textAt(device, 'macAddress') !== undefined;
  const disks = devices
    .filter(isDisk)
    .flatMap((device) => diskOf(device, controllers.get(integerAt(device, 'controllerKey'))));
  return {
    disks: disks.toSorted(
      (one, other) => one.rank[0] - other.rank[0] || one.rank[1] - other.rank[1] || one.key - other.key,
    ),
    nics: devices.filter(isNic).map(nicOf),
    hasTpm: devices.some((device) => typeOf(device) === 'VirtualTPM'),
    passedThrough: devices
      .filter((device) => /^VirtualPCIPassthrough$|^VirtualSCSIPassthrough$/.test(typeOf(device) ?? ''))
      .map((device) => `${labelOf(device)} is a device of the host and is not replicated`),
  };
}

const labelOf = (device: XmlElement): string =>
  textAt(device, 'deviceInfo.label') ?? `device ${textAt(device, 'key') ?? '?'}`;

function diskOf(device: XmlElement, controller: XmlElement | undefined): readonly VirtualDisk[] {
  const key = integerAt(device, 'key');
  const inKib = integerAt(device, 'capacityInKB');
  const sizeBytes = integerAt(device, 'capacityInBytes') ?? (inKib === undefined ? undefined : inKib * 1024);
  if (key === undefined || sizeBytes === undefined) return [];
  const backing = childOf(device, 'backing');
  const controllerType = controller === undefined ? '' : (typeOf(controller) ?? '');
  const bus = buses.find(([pattern]) => pattern.test(controllerType))?.[1];
  return [
    {
      key,
      sizeBytes,
      bus,
      attachment: {
        controllerType,
        busNumber: integerAt(controller, 'busNumber') ?? 0,
        unitNumber: integerAt(device, 'unitNumber') ?? 0,
      },
      label: labelOf(device),
      fileName: textAt(backing, 'fileName'),
      hasParent: childOf(backing, 'parent') !== undefined,
      uuid: textAt(backing, 'uuid'),
      changeId: textAt(backing, 'changeId') === '' ? undefined : textAt(backing, 'changeId'),
      isEncrypted: childOf(backing, 'keyId') !== undefined,
      ...obstacleOf(backing, controller),
      rank: [
        busOrder.indexOf(bus) * 100 + (integerAt(controller, 'busNumber') ?? 0),
        integerAt(device, 'unitNumber') ?? 0,
      ],
    },
  ];
}

/** What keeps a disk out of snapshots, in words. */
function obstacleOf(
  backing: XmlElement | undefined,
  controller: XmlElement | undefined,
): Pick<VirtualDisk, 'obstacle' | 'isIndependent'> {
  const obstacle = lastingObstacle(backing, controller);
  const mode = textAt(backing, 'diskMode') ?? '';
  const isIndependent = obstacle === undefined && mode.startsWith('independent');
  return { isIndependent, obstacle: isIndependent ? `is independent (${mode})` : obstacle };
}

/** What keeps it out of snapshots whether the VM runs or not. */
function lastingObstacle(backing: XmlElement | undefined, controller: XmlElement | undefined): string | undefined {
  const type = backing === undefined ? '' : (typeOf(backing) ?? '');
  const mode = textAt(backing, 'diskMode') ?? '';
  if (/RawDiskMapping/.test(type) && textAt(backing, 'compatibilityMode') === 'physicalMode')
    return 'is a raw device mapping in physical mode';
  if (/RawDiskVer2|PartitionedRawDisk/.test(type)) return 'is a raw disk of the host';
  if (/LocalPMem/.test(type)) return 'lies in persistent memory of the host';
  if (mode.includes('nonpersistent') && !mode.startsWith('independent')) return `does not keep changes (${mode})`;
  if (textAt(backing, 'sharing') === 'sharingMultiWriter') return 'is shared with other VMs (multi-writer)';
  const shared = textAt(controller, 'sharedBus') ?? textAt(controller, 'sharedbus') ?? 'noSharing';
  if (shared !== 'noSharing' && shared !== '') return `is on a controller with a shared bus (${shared})`;
  return undefined;
}

function nicOf(device: XmlElement): VirtualNic {
  const backing = childOf(device, 'backing');
  return {
    key: integerAt(device, 'key') ?? 0,
    label: labelOf(device),
    macAddress: textAt(device, 'macAddress')?.toLowerCase(),
    network: textAt(backing, 'deviceName') ?? textAt(backing, 'opaqueNetworkId'),
    portGroup: textAt(backing, 'port.portgroupKey'),
  };
}

/** One snapshot in a VM's tree. */
export interface SnapshotNode {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createTime: string;
  readonly isQuiesced: boolean;
}

/** All snapshots of `snapshot`, parents first. */
export function snapshotsOf(info: XmlElement | undefined): readonly SnapshotNode[] {
  const walk = (list: readonly XmlElement[]): SnapshotNode[] =>
    list.flatMap((node) => [
      {
        id: textAt(node, 'snapshot') ?? '',
        name: textAt(node, 'name') ?? '',
        description: textAt(node, 'description') ?? '',
        createTime: textAt(node, 'createTime') ?? '',
        isQuiesced: flagAt(node, 'quiesced') ?? false,
      },
      ...walk(childrenOf(node, 'childSnapshotList')),
    ]);
  return walk(childrenOf(info, 'rootSnapshotList'));
}

/** Addresses that VMware Tools report, by MAC address in lower case. */
export function guestAddresses(net: XmlElement | undefined): ReadonlyMap<string, readonly string[]> {
  return new Map(
    (net?.children ?? []).flatMap((nic) => {
      const mac = textAt(nic, 'macAddress')?.toLowerCase();
      const configured = childrenOf(atPath(nic, 'ipConfig'), 'ipAddress').flatMap(
        (address) => textAt(address, 'ipAddress') ?? [],
      );
      const plain = childrenOf(nic, 'ipAddress').map((address) => address.text);
      return mac === undefined ? [] : [[mac, configured.length > 0 ? configured : plain] as const];
    }),
  );
}

/** The datastore of a path `[datastore] folder/file`, and the folder in it. */
export function placeOf(path: string | undefined): { readonly datastore: string; readonly folder: string } | undefined {
  const match = /^\[([^\]]+)\] (.*)$/.exec(path ?? '');
  const [, datastore, file] = match ?? [];
  return datastore === undefined || file === undefined
    ? undefined
    : { datastore, folder: file.slice(0, Math.max(0, file.lastIndexOf('/'))) };
}
