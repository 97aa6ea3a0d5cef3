import { randomBytes, randomUUID } from 'node:crypto';
import type { MachinePlan, MachineVolume } from '../../cloud-kit/server-machines.ts';
import { exposeServersLater } from '../reachability.ts';
import type {
  DataDisk,
  DiskRecord,
  ImageReference,
  MarketplaceImage,
  NetworkInterfaceRecord,
  OsDisk,
  VirtualMachineInner,
  VirtualMachineProperties,
  VirtualMachineRecord,
  VmSize,
} from '../records.ts';
import { diskCountOf, type World } from '../world.ts';
import {
  beginOperation,
  conflict,
  idOf,
  invalid,
  locationOf,
  objectField,
  optionalString,
  propertiesOf,
  referred,
  refuse,
  sameId,
  shortName,
  stringField,
  tagsOf,
  zonesOf,
  type Body,
  type Call,
  type Operation,
} from './call.ts';
import { demandName, makeOsDisk } from './disks.ts';
import { demandLimits } from './skus.ts';

export const vmType = 'Microsoft.Compute/virtualMachines';
const compute = 'Microsoft.Compute';

interface Order {
  readonly size: VmSize;
  readonly zones: readonly string[];
  readonly properties: Body;
}

/** `PUT virtualMachines/{name}`: from an image or a disk with an installation, with interfaces that exist; then the way to running. */
export const putVm: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, vmType);
  const existing = world.virtualMachines.get(id.toLowerCase());
  if (existing !== undefined && call.headers['if-none-match'] === '*')
    throw refuse(412, 'PreconditionFailed', `The condition If-None-Match: * is not met: ${shortName(id)} exists.`);
  if (existing !== undefined) return updateVm(call, existing);
  const name = call.params['name'] ?? '';
  demandName(name, 64);
  const location = locationOf(call);
  const properties = propertiesOf(call);
  const zones = zonesOf(call).zones ?? [];
  const size = sizeOf(call, properties);
  if (zones.some((zone) => !size.zones.includes(zone)))
    throw conflict('SkuNotAvailable', `The requested size ${size.name} is not available in zone ${zones.join()}.`);
  const availabilitySet =
    properties['availabilitySet'] === undefined
      ? undefined
      : referred(world.availabilitySets, properties['availabilitySet'], 'availabilitySet');
  if (availabilitySet !== undefined && zones.length > 0)
    throw refuse(
      400,
      'BadRequest',
      'Virtual Machine cannot be created because both Availability Zone and Availability Set were specified.',
    );
  demandLimits(world, { cores: size.vcpus, [size.family]: size.vcpus, virtualMachines: 1 });
  const order = { size, zones, properties };
  const nics = nicsOf(call, order, id);
  const storage = storageOf(call, order, id, name);
  const security = securityOf(properties, storage.osDisk, storage.generation);
  const osProfile = osProfileOf(properties, storage.isAttached);
  const diagnostics = properties['diagnosticsProfile'] as VirtualMachineProperties['diagnosticsProfile'];
  const licenseType = optionalString(properties, 'licenseType');
  if (
    licenseType !== undefined &&
    !['Windows_Server', 'Windows_Client', 'RHEL_BYOS', 'SLES_BYOS', 'None'].includes(licenseType)
  )
    throw invalid('licenseType', `'${licenseType}' is not known`);
  const { customData, publicKeys, adminPassword: _, ...shownProfile } = osProfile;
  const vm: VirtualMachineRecord = {
    id,
    name,
    type: vmType,
    location,
    ...tagsOf(call),
    ...(zones.length === 0 ? {} : { zones }),
    properties: {
      vmId: randomUUID(),
      timeCreated: new Date(world.ground.clock.now()).toISOString(),
      hardwareProfile: { vmSize: size.name },
      storageProfile: storage.profile,
      ...(storage.isAttached ? {} : { osProfile: shownProfile }),
      networkProfile: { networkInterfaces: nics.map(({ nic, wish }) => ({ id: nic.id, properties: wish })) },
      ...(security === undefined ? {} : { securityProfile: security }),
      ...(diagnostics === undefined ? {} : { diagnosticsProfile: diagnostics }),
      ...(availabilitySet === undefined ? {} : { availabilitySet: { id: availabilitySet.id } }),
      ...(licenseType === undefined ? {} : { licenseType }),
      provisioningState: 'Creating',
    },
  };
  const inner: VirtualMachineInner = { power: 'creating', customData, publicKeys, extensions: new Map() };
  world.virtualMachines.set(id.toLowerCase(), vm);
  world.inner.set(id.toLowerCase(), inner);
  if (availabilitySet !== undefined)
    availabilitySet.properties.virtualMachines = [...availabilitySet.properties.virtualMachines, { id }];
  for (const disk of storage.disks)
    Object.assign(disk, { managedBy: id, properties: Object.assign(disk.properties, { diskState: 'Attached' }) });
  for (const [index, { nic }] of nics.entries())
    Object.assign(nic.properties, { virtualMachine: { id }, primary: index === 0 });
  return beginOperation(
    call,
    compute,
    {
      work: async () => {
        if (!storage.isAttached)
          await world.ground.files.createBlank(
            storage.osDisk.properties.uniqueId,
            storage.osDisk.properties.diskSizeBytes,
          );
        await world.ground.machines.start(machinePlan(world, vm, inner));
      },
      succeed: () => {
        // It may have been deleted before it ran.
        if (vm.properties.provisioningState !== 'Creating') return;
        vm.properties.provisioningState = 'Succeeded';
        inner.power = 'running';
        for (const { nic } of nics) nic.properties.macAddress ??= newMac();
        exposeServersLater(world);
      },
      fail: (reason) => {
        vm.properties.provisioningState = 'Failed';
        inner.power = 'stopped';
        Object.assign(inner, { failure: { code: 'AllocationFailed', message: `Allocation failed: ${reason}.` } });
      },
    },
    {
      status: 201,
      body: { ...vm, properties: { ...vm.properties } },
      result: () => vm,
      failureCode: 'AllocationFailed',
    },
  );
};

/** What a PUT changes of a VM that is there: its data disks, tags and security. The rest has to be the same. */
function updateVm(call: Call, vm: VirtualMachineRecord): ReturnType<Operation> {
  const size = sizeOf(call, propertiesOf(call));
  if (size.name !== vm.properties.hardwareProfile.vmSize)
    throw conflict('PropertyChangeNotAllowed', 'Changing the size of a running VM is not supported here.');
  if (vm.properties.provisioningState === 'Deleting')
    throw conflict('OperationNotAllowed', `The VM ${vm.name} is being deleted.`);
  Object.assign(vm, tagsOf(call));
  return { status: 200, body: { ...vm, properties: { ...vm.properties } } };
}

const newMac = (): string =>
  `00-0D-3A-${randomBytes(3)
    .toString('hex')
    .toUpperCase()
    .replace(/(..)(?=.)/g, '$1-')}`;

function sizeOf(call: Call, properties: Body): VmSize {
  const wanted = stringField(objectField(properties['hardwareProfile'], 'hardwareProfile'), 'vmSize');
  const size = call.world.sizeOf(wanted);
  if (size === undefined)
    throw refuse(400, 'InvalidParameter', `The value ${wanted} provided for the VM size is not valid.`);
  if (size.restricted !== undefined)
    throw conflict(
      'SkuNotAvailable',
      `The requested size for resource is currently not available in location '${call.world.setup.location}'. Please try another size.`,
    );
  return size;
}

interface NicWish {
  readonly primary: boolean;
  readonly deleteOption?: string;
}

function nicsOf(
  call: Call,
  { size, properties }: Order,
  id: string,
): readonly { readonly nic: NetworkInterfaceRecord; readonly wish: NicWish }[] {
  const list = objectField(properties['networkProfile'], 'networkProfile')['networkInterfaces'];
  if (!Array.isArray(list) || list.length === 0)
    throw invalid('networkProfile.networkInterfaces', 'at least one interface is needed');
  if (list.length > size.nics)
    throw refuse(
      400,
      'NetworkInterfaceCountExceeded',
      `The number of network interfaces for virtual machine exceeds the maximum allowed for the virtual machine size ${size.name}: ${size.nics}.`,
    );
  const found = list.map((each: unknown) => {
    const nic = referred(call.world.networkInterfaces, each, 'networkInterfaces');
    if (nic.properties.virtualMachine !== undefined && !sameId(nic.properties.virtualMachine.id, id))
      throw refuse(
        400,
        'NicInUse',
        `Network Interface ${nic.id} is used by existing resource ${nic.properties.virtualMachine.id}.`,
      );
    const more = (each as Body)['properties'] as
      | { readonly primary?: boolean; readonly deleteOption?: string }
      | undefined;
    return {
      nic,
      wish: {
        primary: more?.primary === true || list.length === 1,
        ...(more?.deleteOption === undefined ? {} : { deleteOption: more.deleteOption }),
      },
    };
  });
  if (found.filter(({ wish }) => wish.primary).length !== 1)
    throw refuse(
      400,
      'VirtualMachineMustHaveOneNetworkInterfaceAsPrimary',
      'Virtual machine must have one network interface set as the primary.',
    );
  return found;
}

interface Storage {
  readonly isAttached: boolean;
  readonly osDisk: DiskRecord;
  readonly generation: string;
  /** Disks that were there before, and the OS disk in any case. */
  readonly disks: readonly DiskRecord[];
  readonly profile: VirtualMachineProperties['storageProfile'];
}

function storageOf(call: Call, order: Order, id: string, vmName: string): Storage {
  const { world } = call;
  const storage = objectField(order.properties['storageProfile'], 'storageProfile');
  const os = objectField(storage['osDisk'], 'storageProfile.osDisk');
  const option = stringField(os, 'createOption');
  const data = (storage['dataDisks'] ?? []) as readonly Body[];
  if (data.length > order.size.dataDisks)
    throw conflict(
      'OperationNotAllowed',
      `The maximum number of data disks allowed to be attached to a VM of this size is ${order.size.dataDisks}.`,
    );
  const dataDisks = data.map((each) => dataDisk(call, order, each, id));
  if (new Set(dataDisks.map(({ shown }) => shown.lun)).size !== dataDisks.length)
    throw invalid('dataDisks.lun', 'a LUN is used twice');
  const caching = optionalString(os, 'caching');
  const deleteOption = optionalString(os, 'deleteOption');
  const common = {
    ...(caching === undefined ? {} : { caching }),
    ...(deleteOption === undefined ? {} : { deleteOption }),
  };
  if (option === 'Attach') {
    const disk = referred(world.disks, os['managedDisk'], 'osDisk.managedDisk');
    demandAttachable(disk, id, order);
    const generation = disk.properties.hyperVGeneration ?? 'V1';
    demandGeneration(order.size, generation);
    if (stringField(os, 'osType') === '') throw invalid('osDisk.osType', 'it is needed for a disk that is attached');
    const shown: OsDisk = {
      ...common,
      osType: stringField(os, 'osType'),
      name: disk.name,
      createOption: 'Attach',
      diskSizeGB: disk.properties.diskSizeGB,
      managedDisk: { id: disk.id, storageAccountType: disk.sku?.name ?? '' },
    };
    return {
      isAttached: true,
      osDisk: disk,
      generation,
      disks: [disk, ...dataDisks.map(({ disk: each }) => each)],
      profile: { osDisk: shown, dataDisks: dataDisks.map((each) => each.shown) },
    };
  }
  if (option !== 'FromImage') throw invalid('osDisk.createOption', `'${option}' is not supported here`);
  const reference = objectField(storage['imageReference'], 'imageReference') as ImageReference;
  const image = imageOf(call, reference);
  demandGeneration(order.size, image.generation);
  if (image.architecture !== order.size.architecture)
    throw refuse(
      400,
      'BadRequest',
      `Cannot create a VM of size '${order.size.name}' because this VM size only supports a CPU Architecture of '${order.size.architecture}', but an image with architecture '${image.architecture}' was given.`,
    );
  const managed = (os['managedDisk'] ?? {}) as Body;
  const type = optionalString(managed, 'storageAccountType') ?? (order.size.premium ? 'Premium_LRS' : 'Standard_LRS');
  demandLimits(world, { [diskCountOf(type)]: 1 });
  const disk = makeOsDisk(call, world, {
    name: optionalString(os, 'name') ?? `${vmName}_OsDisk_1_${randomBytes(8).toString('hex')}`,
    sizeGib: Number(os['diskSizeGB'] ?? image.diskGib),
    type,
    generation: image.generation,
    osType: image.os,
    zones: order.zones,
  });
  const shown: OsDisk = {
    ...common,
    osType: image.os,
    name: disk.name,
    createOption: 'FromImage',
    diskSizeGB: disk.properties.diskSizeGB,
    managedDisk: { id: disk.id, storageAccountType: type },
  };
  return {
    isAttached: false,
    osDisk: disk,
    generation: image.generation,
    disks: [disk, ...dataDisks.map(({ disk: each }) => each)],
    profile: {
      imageReference: { ...reference, version: reference.version ?? 'latest' },
      osDisk: shown,
      dataDisks: dataDisks.map((each) => each.shown),
    },
  };
}

function dataDisk(
  call: Call,
  order: Order,
  body: Body,
  id: string,
): { readonly disk: DiskRecord; readonly shown: DataDisk } {
  const disk = referred(call.world.disks, body['managedDisk'], 'dataDisks.managedDisk');
  demandAttachable(disk, id, order);
  const caching = optionalString(body, 'caching');
  const deleteOption = optionalString(body, 'deleteOption');
  return {
    disk,
    shown: shownDataDisk(disk, Number(body['lun']), {
      ...(caching === undefined ? {} : { caching }),
      ...(deleteOption === undefined ? {} : { deleteOption }),
    }),
  };
}

export function shownDataDisk(
  disk: DiskRecord,
  lun: number,
  more: { readonly caching?: string; readonly deleteOption?: string },
): DataDisk {
  if (!Number.isInteger(lun) || lun < 0 || lun > 63) throw invalid('dataDisks.lun', 'must be from 0 to 63');
  return {
    lun,
    name: disk.name,
    createOption: 'Attach',
    ...more,
    diskSizeGB: disk.properties.diskSizeGB,
    managedDisk: { id: disk.id, storageAccountType: disk.sku?.name ?? '' },
  };
}

export function demandAttachable(disk: DiskRecord, vmId: string, { size, zones, properties }: Order): void {
  if (disk.managedBy !== undefined && !sameId(disk.managedBy, vmId))
    throw conflict(
      'ConflictingUserInput',
      `Disk '${disk.id}' cannot be attached as the disk is already owned by VM '${disk.managedBy}'.`,
    );
  if (disk.properties.provisioningState !== 'Succeeded' || disk.properties.diskState !== 'Unattached')
    throw conflict(
      'OperationNotAllowed',
      `Disk ${disk.name} is in state ${disk.properties.provisioningState}, ${disk.properties.diskState}.`,
    );
  const type = disk.sku?.name ?? '';
  const isZonal = disk.zones !== undefined && disk.zones.length > 0;
  if (isZonal ? disk.zones?.[0] !== zones[0] : zones.length > 0 && !type.endsWith('_ZRS')) {
    throw refuse(
      400,
      'BadRequest',
      `The disk ${disk.name} ${isZonal ? `is in zone ${disk.zones?.[0] ?? ''}` : 'is regional'} and cannot be attached to a VM ${zones.length === 0 ? 'without a zone' : `in zone ${zones.join()}`}.`,
    );
  }
  if (type.startsWith('Premium') && !size.premium)
    throw refuse(
      400,
      'InvalidParameter',
      `Requested operation cannot be performed because the VM size ${size.name} does not support the storage account type ${type} of disk '${disk.name}'.`,
    );
  if (
    type === 'UltraSSD_LRS' &&
    (properties['additionalCapabilities'] as Body | undefined)?.['ultraSSDEnabled'] !== true
  )
    throw refuse(
      400,
      'InvalidParameter',
      `StorageAccountType UltraSSD_LRS of disk ${disk.name} needs additionalCapabilities.ultraSSDEnabled.`,
    );
}

function demandGeneration(size: VmSize, generation: string): void {
  if (!size.generations.split(',').includes(generation))
    throw refuse(
      400,
      'BadRequest',
      `The selected VM size '${size.name}' cannot boot Hypervisor Generation '${generation === 'V1' ? '1' : '2'}'.`,
    );
}

function imageOf(call: Call, wanted: ImageReference): MarketplaceImage {
  const found = call.world.setup.images.find(
    (image) =>
      (['publisher', 'offer', 'sku'] as const).every(
        (key) => image[key].toLowerCase() === wanted[key]?.toLowerCase(),
      ) && ['latest', image.version].includes(wanted.version ?? ''),
  );
  if (found === undefined)
    throw refuse(
      404,
      'PlatformImageNotFound',
      `The platform image '${wanted.publisher ?? ''}:${wanted.offer ?? ''}:${wanted.sku ?? ''}:${wanted.version ?? ''}' is not available.`,
    );
  return found;
}

function securityOf(
  properties: Body,
  osDisk: DiskRecord,
  generation: string,
): VirtualMachineProperties['securityProfile'] {
  const given = properties['securityProfile'] as VirtualMachineProperties['securityProfile'];
  const diskSecurity = osDisk.properties.securityProfile?.securityType;
  if (given?.securityType !== 'TrustedLaunch') {
    if (given?.uefiSettings !== undefined)
      throw refuse(400, 'BadRequest', 'uefiSettings need the security type TrustedLaunch.');
    if (diskSecurity !== undefined)
      throw refuse(400, 'BadRequest', `The OS disk has the security type ${diskSecurity}, the VM has not.`);
    return given;
  }
  if (generation !== 'V2') throw refuse(400, 'BadRequest', 'Security type TrustedLaunch needs generation 2.');
  if (osDisk.properties.creationData.createOption !== 'FromImage' && diskSecurity !== 'TrustedLaunch')
    throw refuse(400, 'BadRequest', 'The VM has the security type TrustedLaunch, the OS disk has not.');
  return given;
}

function osProfileOf(
  properties: Body,
  isAttached: boolean,
): NonNullable<VirtualMachineProperties['osProfile']> &
  Pick<VirtualMachineInner, 'customData' | 'publicKeys'> & { readonly adminPassword?: string } {
  if (properties['osProfile'] === undefined) {
    if (!isAttached) throw invalid('osProfile', 'it is needed for a VM from an image');
    return { customData: '', publicKeys: [] };
  }
  if (isAttached) throw refuse(400, 'InvalidParameter', "Parameter 'osProfile' is not allowed.");
  const profile = objectField(properties['osProfile'], 'osProfile');
  const computerName = stringField(profile, 'computerName');
  const isWindows = profile['windowsConfiguration'] !== undefined;
  if (computerName.length > (isWindows ? 15 : 64)) throw invalid('osProfile.computerName', 'is too long');
  const adminUsername = stringField(profile, 'adminUsername');
  if (['root', 'admin', 'administrator', 'user', 'test'].includes(adminUsername))
    throw invalid('adminUsername', `'${adminUsername}' is not allowed`);
  const linux = profile['linuxConfiguration'] as
    | {
        readonly ssh?: { readonly publicKeys?: readonly { readonly keyData?: string }[] };
        readonly disablePasswordAuthentication?: boolean;
      }
    | undefined;
  const publicKeys = (linux?.ssh?.publicKeys ?? []).map(({ keyData }) => keyData ?? '');
  const unusual = publicKeys.find((key) => !/^ssh-(rsa|ed25519) /.test(key));
  if (unusual !== undefined)
    throw invalid('linuxConfiguration.ssh.publicKeys.keyData', 'must be a key in the form of OpenSSH');
  const password = optionalString(profile, 'adminPassword');
  if (password === undefined && publicKeys.length === 0)
    throw invalid('adminPassword', 'a password or a key is needed');
  const customData = optionalString(profile, 'customData') ?? '';
  if (customData.length > 87_380) throw invalid('osProfile.customData', 'is too long');
  return {
    computerName,
    adminUsername,
    customData: Buffer.from(customData, 'base64').toString('utf8'),
    publicKeys,
    ...(password === undefined ? {} : { adminPassword: password }),
    ...(linux === undefined ? {} : { linuxConfiguration: linux }),
    ...(isWindows ? { windowsConfiguration: profile['windowsConfiguration'] as object } : {}),
  };
}

export function dataVolume(world: World, disk: DataDisk): MachineVolume {
  const { uniqueId } = world.disks.get(disk.managedDisk.id.toLowerCase())?.properties ?? { uniqueId: 'gone' };
  return {
    volumeId: uniqueId,
    path: world.ground.files.path(uniqueId),
    device: { lun: disk.lun, links: [`disk/azure/scsi1/lun${disk.lun}`] },
  };
}

export function machinePlan(world: World, vm: VirtualMachineRecord, inner: VirtualMachineInner): MachinePlan {
  const {
    storageProfile: { osDisk, imageReference, dataDisks },
    networkProfile,
    hardwareProfile,
  } = vm.properties;
  const size = world.sizeOf(hardwareProfile.vmSize);
  const disk = world.disks.get(osDisk.managedDisk.id.toLowerCase());
  const uniqueId = disk?.properties.uniqueId ?? '';
  const boot: MachinePlan['boot'] =
    osDisk.createOption === 'Attach'
      ? {
          kind: 'volume',
          volumeId: uniqueId,
          path: world.ground.files.path(uniqueId),
          firmware: disk?.properties.hyperVGeneration === 'V2' ? 'uefi' : 'bios',
          diskBus: 'scsi',
          configDrive: false,
          device: { lun: 0 },
        }
      : { kind: 'image', imageName: `${imageReference?.offer ?? ''}/${imageReference?.sku ?? ''}` };
  return {
    serverId: vm.properties.vmId,
    name: vm.name,
    vcpus: size?.vcpus ?? 1,
    memoryMiB: (size?.memoryGib ?? 1) * 1024,
    userData: inner.customData,
    boot,
    dataVolumes: dataDisks.map((each) => {
      const volume = dataVolume(world, each);
      // The disk that a guest boots from is the first of its bus.
      return boot.kind === 'volume' ? { ...volume, device: { lun: each.lun + 1 } } : volume;
    }),
    nics: networkProfile.networkInterfaces.map(({ id }) => {
      const nic = world.networkInterfaces.get(id.toLowerCase());
      if (nic !== undefined) nic.properties.macAddress ??= newMac();
      return {
        mac: (nic?.properties.macAddress ?? '').replaceAll('-', ':').toLowerCase(),
        ipv4: nic?.properties.ipConfigurations[0]?.properties.privateIPAddress ?? '',
      };
    }),
    ...(inner.publicKeys[0] === undefined ? {} : { publicKey: inner.publicKeys[0] }),
  };
}
