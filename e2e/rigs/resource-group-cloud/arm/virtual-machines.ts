import type { VirtualMachineRecord } from '../records.ts';
import { exposeServersLater } from '../reachability.ts';
import type { World } from '../world.ts';
import {
  beginOperation,
  commonOperations,
  conflict,
  demand,
  idOf,
  objectField,
  optionalString,
  propertiesOf,
  refuse,
  sameId,
  shortName,
  stringField,
  tagsOf,
  type Body,
  type Call,
  type Operation,
} from './call.ts';
import { dataVolume, demandAttachable, machinePlan, shownDataDisk, vmType } from './create-vm.ts';

const compute = 'Microsoft.Compute';
const serverIdOf = (vm: VirtualMachineRecord): string => vm.properties.vmId;

export const vms = commonOperations<VirtualMachineRecord>({
  type: vmType,
  collection: (world) => world.virtualMachines,
  show: (call, vm) =>
    call.query.get('$expand')?.toLowerCase() === 'instanceview' || call.query.get('statusOnly') === 'true'
      ? { ...vm, properties: { ...vm.properties, instanceView: instanceView(call.world, vm) } }
      : { ...vm, properties: { ...vm.properties } },
});

const vmOf = (call: Call): VirtualMachineRecord => demand(call.world.virtualMachines, idOf(call, vmType));

function instanceView(world: World, vm: VirtualMachineRecord): object {
  const inner = world.inner.get(vm.id.toLowerCase());
  const state = vm.properties.provisioningState;
  const provisioning =
    inner?.failure === undefined
      ? { code: `ProvisioningState/${state.toLowerCase()}`, level: 'Info', displayStatus: state }
      : {
          code: `ProvisioningState/failed/${inner.failure.code}`,
          level: 'Error',
          displayStatus: 'Provisioning failed',
          message: inner.failure.message,
        };
  const power =
    inner?.power === undefined || inner.power === 'creating'
      ? []
      : [{ code: `PowerState/${inner.power}`, level: 'Info', displayStatus: `VM ${inner.power}` }];
  return { statuses: [provisioning, ...power] };
}

export const getInstanceView: Operation = (call) => ({ status: 200, body: instanceView(call.world, vmOf(call)) });

export const deleteVm: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, vmType).toLowerCase();
  const vm = world.virtualMachines.get(id);
  if (vm === undefined) return { status: 204 };
  const inner = world.inner.get(id);
  vm.properties.provisioningState = 'Deleting';
  return beginOperation(
    call,
    compute,
    {
      work: () => world.ground.machines.stop(serverIdOf(vm)),
      succeed: () => {
        world.virtualMachines.delete(id);
        world.inner.delete(id);
        const { osDisk, dataDisks } = vm.properties.storageProfile;
        for (const each of [osDisk, ...dataDisks]) release(world, each.managedDisk.id, each.deleteOption === 'Delete');
        for (const reference of vm.properties.networkProfile.networkInterfaces) {
          const nic = world.networkInterfaces.get(reference.id.toLowerCase());
          if (nic === undefined) continue;
          delete nic.properties.virtualMachine;
          if (reference.properties?.deleteOption === 'Delete')
            world.networkInterfaces.delete(reference.id.toLowerCase());
        }
        for (const set of world.availabilitySets.values())
          set.properties.virtualMachines = set.properties.virtualMachines.filter((each) => !sameId(each.id, vm.id));
        exposeServersLater(world);
      },
      fail: (reason) => {
        vm.properties.provisioningState = 'Failed';
        if (inner !== undefined)
          Object.assign(inner, {
            failure: { code: 'InternalOperationError', message: `An internal error: ${reason}.` },
          });
      },
    },
    { status: 202 },
  );
};

function release(world: World, diskId: string, isDeleted: boolean): void {
  const disk = world.disks.get(diskId.toLowerCase());
  if (disk === undefined) return;
  delete disk.managedBy;
  disk.properties.diskState = 'Unattached';
  if (!isDeleted) return;
  world.disks.delete(diskId.toLowerCase());
  void world.ground.files.remove(disk.properties.uniqueId);
}

/** `attachDetachDataDisks`: several at once; all of them or none. */
export const attachDetach: Operation = (call) => {
  const { world } = call;
  const vm = vmOf(call);
  if (vm.properties.provisioningState !== 'Succeeded')
    throw conflict('OperationNotAllowed', `The VM ${vm.name} is in state ${vm.properties.provisioningState}.`);
  const size = world.sizeOf(vm.properties.hardwareProfile.vmSize);
  if (size === undefined) throw conflict('OperationNotAllowed', 'the size is gone');
  const { storageProfile } = vm.properties;
  const leaving = ((call.body['dataDisksToDetach'] ?? []) as readonly Body[]).map((each) => {
    const found = storageProfile.dataDisks.find((disk) => sameId(disk.managedDisk.id, stringField(each, 'diskId')));
    if (found === undefined)
      throw refuse(
        400,
        'InvalidParameter',
        `The disk ${shortName(stringField(each, 'diskId'))} is not attached to VM ${vm.name}.`,
      );
    return found;
  });
  const staying = storageProfile.dataDisks.filter((disk) => !leaving.includes(disk));
  const taken = new Set(staying.map(({ lun }) => lun));
  const order = { size, zones: vm.zones ?? [], properties: {} };
  const coming = ((call.body['dataDisksToAttach'] ?? []) as readonly Body[]).map((each) => {
    const id = stringField(each, 'diskId');
    const disk = demand(world.disks, id);
    if (disk.managedBy !== undefined)
      throw conflict(
        'ConflictingUserInput',
        `Disk '${disk.id}' cannot be attached as the disk is already owned by VM '${disk.managedBy}'.`,
      );
    demandAttachable(disk, vm.id, order);
    const lun =
      each['lun'] === undefined
        ? Array.from({ length: 64 }, (_, index) => index).find((index) => !taken.has(index))
        : Number(each['lun']);
    if (lun === undefined || taken.has(lun)) throw conflict('OperationNotAllowed', `LUN ${String(lun)} is in use.`);
    taken.add(lun);
    const caching = optionalString(each, 'caching');
    return { disk, shown: shownDataDisk(disk, lun, caching === undefined ? {} : { caching }) };
  });
  if (staying.length + coming.length > size.dataDisks)
    throw conflict(
      'OperationNotAllowed',
      `The maximum number of data disks allowed to be attached to a VM of this size is ${size.dataDisks}.`,
    );
  for (const { disk } of coming) {
    disk.managedBy = vm.id;
    disk.properties.diskState = 'Attached';
  }
  vm.properties.provisioningState = 'Updating';
  storageProfile.dataDisks = [...storageProfile.dataDisks, ...coming.map(({ shown }) => shown)];
  return beginOperation(
    call,
    compute,
    {
      work: async () => {
        for (const disk of leaving)
          await world.ground.machines.detach(
            serverIdOf(vm),
            world.disks.get(disk.managedDisk.id.toLowerCase())?.properties.uniqueId ?? '',
          );
        for (const { shown } of coming) await world.ground.machines.attach(serverIdOf(vm), dataVolume(world, shown));
      },
      succeed: () => {
        vm.properties.provisioningState = 'Succeeded';
        storageProfile.dataDisks = storageProfile.dataDisks.filter((disk) => !leaving.includes(disk));
        for (const disk of leaving) release(world, disk.managedDisk.id, false);
      },
      fail: () => {
        // A failed change is taken back; the VM goes on.
        vm.properties.provisioningState = 'Succeeded';
        storageProfile.dataDisks = storageProfile.dataDisks.filter(
          (disk) => !coming.some(({ shown }) => shown === disk),
        );
        for (const { disk } of coming) release(world, disk.id, false);
      },
    },
    { status: 202, result: () => vm.properties.storageProfile },
  );
};

/** Tags at any time; the security type of a VM of generation 2 only while it is deallocated. Its OS disk gets the type along with it. */
export const updateVm: Operation = (call) => {
  const { world } = call;
  const vm = vmOf(call);
  const given =
    call.body['properties'] === undefined
      ? undefined
      : (propertiesOf(call)['securityProfile'] as
          | NonNullable<VirtualMachineRecord['properties']['securityProfile']>
          | undefined);
  if (given !== undefined) {
    const osDisk = demand(world.disks, vm.properties.storageProfile.osDisk.managedDisk.id);
    if (given.securityType !== 'TrustedLaunch')
      throw refuse(400, 'BadRequest', 'The security type of a VM can be changed to TrustedLaunch only.');
    if (world.inner.get(vm.id.toLowerCase())?.power !== 'deallocated')
      throw conflict(
        'OperationNotAllowed',
        `The security type of VM ${vm.name} can be changed only while it is deallocated.`,
      );
    if (osDisk.properties.hyperVGeneration !== 'V2')
      throw refuse(400, 'BadRequest', 'Security type TrustedLaunch needs generation 2.');
    osDisk.properties.securityProfile = { securityType: 'TrustedLaunch' };
    vm.properties.securityProfile = given;
  }
  Object.assign(vm, tagsOf(call));
  return { status: 200, body: { ...vm, properties: { ...vm.properties } } };
};

/** start, powerOff, restart and deallocate. */
export function powerOperation(
  through: 'starting' | 'stopping' | 'deallocating',
  to: 'running' | 'stopped' | 'deallocated',
): Operation {
  return (call) => {
    const { world } = call;
    const vm = vmOf(call);
    const inner = world.inner.get(vm.id.toLowerCase());
    if (inner === undefined || vm.properties.provisioningState !== 'Succeeded')
      throw conflict('OperationNotAllowed', `The VM ${vm.name} is in state ${vm.properties.provisioningState}.`);
    if (inner.power === to && to !== 'running') return { status: 202 };
    inner.power = through;
    return beginOperation(
      call,
      compute,
      {
        work: async () => {
          if (to === 'running') await world.ground.machines.start(machinePlan(world, vm, inner));
          else await world.ground.machines.stop(serverIdOf(vm));
        },
        succeed: () => {
          inner.power = to;
          exposeServersLater(world);
        },
        fail: () => {
          inner.power = 'stopped';
        },
      },
      { status: 202 },
    );
  };
}

export const retrieveBootDiagnostics: Operation = (call) => {
  const vm = vmOf(call);
  if (vm.properties.diagnosticsProfile?.bootDiagnostics?.enabled !== true)
    throw conflict('BootDiagnosticsNotEnabled', `Boot diagnostics are not enabled on VM ${vm.name}.`);
  const at = `https://${call.headers.host ?? ''}/bootdiagnostics/${serverIdOf(vm)}`;
  return {
    status: 200,
    body: {
      consoleScreenshotBlobUri: `${at}/screenshot.bmp?sig=read`,
      serialConsoleLogBlobUri: `${at}/serialconsole.log?sig=read`,
    },
  };
};

/** The blob behind the address that boot diagnostics give; whoever has the address may read it. */
export const readSerialLog: Operation = async ({ world, params, query }) => {
  if (query.get('sig') === null) throw refuse(403, 'AuthenticationFailed', 'The signature is missing.');
  const body = Buffer.from(await world.ground.machines.log(params['server'] ?? ''));
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(body.length),
    etag: '"0x1"',
    'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
    'x-ms-version': '2026-04-06',
  };
  return { status: 200, headers, body };
};

const extensionType = 'Microsoft.Compute/virtualMachines/extensions';

export const putExtension: Operation = (call) => {
  const vm = vmOf(call);
  const inner = call.world.inner.get(vm.id.toLowerCase());
  const properties = propertiesOf(call);
  const name = call.params['extension'] ?? '';
  const secret =
    properties['protectedSettings'] === undefined
      ? {}
      : objectField(properties['protectedSettings'], 'protectedSettings');
  const record = {
    id: `${vm.id}/extensions/${name}`,
    name,
    type: extensionType,
    location: vm.location,
    ...tagsOf(call),
    properties: {
      publisher: stringField(properties, 'publisher'),
      type: stringField(properties, 'type'),
      provisioningState: 'Creating',
    },
    inner: { command: String(secret['commandToExecute'] ?? '') },
  };
  inner?.extensions.set(name, record);
  const shown = (): object => ({
    id: record.id,
    name,
    type: extensionType,
    location: record.location,
    properties: { ...record.properties },
  });
  return beginOperation(
    call,
    compute,
    {
      succeed: () => {
        record.properties.provisioningState = 'Succeeded';
      },
      fail: () => {
        record.properties.provisioningState = 'Failed';
      },
    },
    { status: 201, body: shown(), result: shown },
  );
};

export const getExtension: Operation = (call) => {
  const vm = vmOf(call);
  const record = call.world.inner.get(vm.id.toLowerCase())?.extensions.get(call.params['extension'] ?? '');
  if (record === undefined)
    throw refuse(404, 'ResourceNotFound', `The extension ${call.params['extension'] ?? ''} was not found.`);
  const { inner: _, ...shown } = record;
  return { status: 200, body: shown };
};
