import { ok, type Call, type Operation } from '../cloud-kit/call.ts';
import type { Collection } from '../cloud-kit/collection.ts';
import { cutPower, deviceOf, powerOn } from './machines.ts';
import { refusal, type BaseRecord, type DiskRecord, type ObjectId, type VmRecord, type World } from './world.ts';

type Kind = 'vms' | 'disks' | 'mappings' | 'nics' | 'repositories' | 'serverPools' | 'servers' | 'networks';
const kinds: Readonly<Record<string, Kind>> = {
  Vm: 'vms',
  VirtualDisk: 'disks',
  VmDiskMapping: 'mappings',
  VirtualNic: 'nics',
  Repository: 'repositories',
  ServerPool: 'serverPools',
  Server: 'servers',
  Network: 'networks',
};

const missing = (what: string) => refusal(404, 'OVMRU_000001E', `${what} not found`);
const demand = <T extends BaseRecord>(collection: Collection<T>, id: string | undefined): T =>
  collection.demand(id, missing);

/** Reads of each kind of object. */
const reads: Readonly<Record<string, Operation<World>>> = Object.fromEntries(
  Object.entries(kinds).flatMap(([name, kind]): [string, Operation<World>][] => [
    [`list${name}`, ({ world }) => ok((world[kind] as Collection<BaseRecord>).listed())],
    [`get${name}`, ({ world, params }) => ok(demand(world[kind] as Collection<BaseRecord>, params['id']))],
  ]),
);

/** An update has the whole object as it was read. */
function update(call: Call<World>, collection: Collection<BaseRecord>, kind: string) {
  const { world, params, body } = call;
  const record = demand(collection, params['id']);
  if (body['generation'] !== record.generation)
    throw refusal(409, 'OVMRU_000096E', `generation ${String(body['generation'])} is not the current one`);
  return world.job(call, `Edit ${kind}: ${record.name}`, {
    succeed: () => {
      const name = String(body['name']);
      Object.assign(record, {
        name,
        description: String(body['description'] ?? ''),
        generation: record.generation + 1,
        id: { ...record.id, name },
      });
      return record.id;
    },
  });
}

const cloneDisk: Operation<World> = (call) => {
  const { world, params, query, body } = call;
  const disk = demand(world.disks, params['id']);
  const target = demand(world.repositories, String(body['value']));
  const cloneType = query.get('cloneType') ?? '';
  if (!['THIN_CLONE', 'SPARSE_COPY', 'NON_SPARSE_COPY'].includes(cloneType))
    throw refusal(400, 'OVMRU_000020E', `unknown clone type ${cloneType}`);
  world.cloneTypes.push(cloneType);
  const copy = newCopy(world, disk, target.id, `${disk.name} (2)`);
  return world.job(call, `Clone Virtual Disk: ${disk.name} to repository: ${target.name}`, {
    work: async () => {
      if (cloneType === 'THIN_CLONE' && world.withoutThinClones.has(target.id.value))
        throw new Error(`the repository ${target.name} does not support thin cloning`);
      await world.ground.files.copy(disk.id.value, copy.id.value);
    },
    succeed: () => {
      world.disks.set(copy.id.value, copy);
      return copy.id;
    },
  });
};

function newCopy(world: World, disk: DiskRecord, repositoryId: ObjectId, name: string): DiskRecord {
  return {
    ...disk,
    id: world.newId('VirtualDisk', name),
    name,
    description: '',
    generation: 1,
    repositoryId,
    vmDiskMappingIds: [],
  };
}

const cloneVm: Operation<World> = (call) => {
  const { world, params, query } = call;
  const template = demand(world.vms, params['id']);
  const pool = demand(world.serverPools, query.get('serverPoolId') ?? '');
  const repository = demand(world.repositories, query.get('repositoryId') ?? '');
  const copies = template.vmDiskMappingIds.flatMap(({ value }) => {
    const { virtualDiskId, diskTarget } = demand(world.mappings, value);
    const disk = world.disks.get(virtualDiskId?.value ?? '');
    return disk === undefined
      ? []
      : [{ disk, diskTarget, copy: newCopy(world, disk, repository.id, `${disk.name} (2)`) }];
  });
  return world.job(call, `Clone VM: ${template.name}`, {
    work: async () => {
      for (const { disk, copy } of copies) await world.ground.files.copy(disk.id.value, copy.id.value);
    },
    succeed: () => {
      const { id: _, ...rest } = template;
      const vm: VmRecord = world.add(world.vms, 'Vm', `${template.name}.0`, {
        ...rest,
        isWorker: true,
        vmRunState: 'STOPPED',
        repositoryId: repository.id,
        serverPoolId: pool.id,
        serverId: null,
        vmDiskMappingIds: [],
        virtualNicIds: [],
      });
      vm.name = `${template.name}.0`;
      for (const { copy, diskTarget } of copies) {
        world.disks.set(copy.id.value, copy);
        world.map(vm, copy, diskTarget);
      }
      const [network] = world.networks.values();
      if (network !== undefined)
        vm.virtualNicIds = [
          world.add(world.nics, 'VirtualNic', 'eth0', {
            macAddress: '00:21:F6:00:00:99',
            networkId: network.id,
            ipAddresses: [],
          }).id,
        ];
      return vm.id;
    },
  });
};

/** Starts, stops and cuts the power, with the machine behind the VM. */
const action =
  (name: 'start' | 'stop' | 'kill'): Operation<World> =>
  (call) => {
    const { world, params } = call;
    const vm = demand(world.vms, params['id']);
    if (vm.vmRunState === 'TEMPLATE') throw refusal(409, 'OVMRU_000040E', `${vm.name} is a template`);
    const target = name === 'start' ? 'RUNNING' : 'STOPPED';
    return world.job(call, `${name} VM: ${vm.name}`, {
      work: () => (name === 'start' ? powerOn(world, vm) : cutPower(world, vm)),
      succeed: () => {
        vm.vmRunState = target;
        vm.generation += 1;
        const [server] = world.servers.values();
        vm.serverId = target === 'RUNNING' ? (server?.id ?? null) : null;
        return vm.id;
      },
    });
  };

const deleteVm: Operation<World> = (call) => {
  const { world, params } = call;
  const vm = demand(world.vms, params['id']);
  if (vm.vmRunState === 'RUNNING') throw refusal(409, 'OVMRU_000041E', `${vm.name} runs`);
  return world.job(call, `Delete VM: ${vm.name}`, {
    succeed: () => {
      for (const { value } of vm.vmDiskMappingIds) {
        const mapping = world.mappings.get(value);
        if (mapping !== undefined) world.unmap(mapping);
      }
      for (const { value } of vm.virtualNicIds) world.nics.delete(value);
      world.vms.delete(vm.id.value);
      return undefined;
    },
  });
};

const deleteDisk: Operation<World> = (call) => {
  const { world, params } = call;
  demand(world.repositories, params['repository']);
  const disk = demand(world.disks, params['id']);
  if (disk.vmDiskMappingIds.length > 0) throw refusal(409, 'OVMRU_000042E', `${disk.name} is in use by a VM`);
  return world.job(call, `Delete Virtual Disk: ${disk.name}`, {
    work: () => world.ground.files.remove(disk.id.value),
    succeed: () => {
      world.disks.delete(disk.id.value);
      return undefined;
    },
  });
};

const mapDisk: Operation<World> = (call) => {
  const { world, params, body } = call;
  const vm = demand(world.vms, params['vm']);
  const disk = demand(world.disks, (body['virtualDiskId'] as { readonly value?: string } | null)?.value);
  const target = Number(body['diskTarget']);
  const taken = vm.vmDiskMappingIds.some(({ value }) => world.mappings.get(value)?.diskTarget === target);
  if (taken) throw refusal(409, 'OVMRU_000043E', `target ${target} of ${vm.name} is taken`);
  if (disk.vmDiskMappingIds.length > 0 && !disk.shareable)
    throw refusal(409, 'OVMRU_000042E', `${disk.name} is in use by a VM`);
  return world.job(call, `Map Virtual Disk: ${disk.name} to VM: ${vm.name}`, {
    work: async () => {
      if (vm.vmRunState === 'RUNNING')
        await world.ground.machines.attach(vm.id.value, deviceOf(world, disk.id.value, target));
    },
    succeed: () => world.map(vm, disk, target).id,
  });
};

const unmapDisk: Operation<World> = (call) => {
  const { world, params } = call;
  const mapping = demand(world.mappings, params['id']);
  return world.job(call, `Unmap ${mapping.name}`, {
    work: () =>
      world.ground.machines.detach(
        mapping.vmId.value,
        deviceOf(world, mapping.virtualDiskId?.value ?? '', mapping.diskTarget).volumeId,
      ),
    succeed: () => {
      world.unmap(mapping);
      return undefined;
    },
  });
};

const createDisk: Operation<World> = (call) => {
  const { world, params, query, body } = call;
  const repository = demand(world.repositories, params['repository']);
  const size = Number(body['size']);
  if (!(size > 0) || size % 4096 !== 0 || query.get('sparse') === null)
    throw refusal(400, 'OVMRU_000021E', `size ${size} is not a multiple of 4096, or sparse is missing`);
  const disk = newDisk(world, String(body['name']), String(body['description'] ?? ''), size, repository.id);
  return world.job(call, `Create Virtual Disk: ${disk.name}`, {
    work: () => world.ground.files.createBlank(disk.id.value, size),
    succeed: () => {
      world.disks.set(disk.id.value, disk);
      return disk.id;
    },
  });
};

function newDisk(world: World, name: string, description: string, size: number, repositoryId: ObjectId): DiskRecord {
  return {
    id: world.newId('VirtualDisk', name),
    name,
    description,
    generation: 1,
    size,
    diskType: 'VIRTUAL_DISK',
    shareable: false,
    repositoryId,
    vmDiskMappingIds: [],
  };
}

const resizeDisk: Operation<World> = (call) => {
  const { world, params, query } = call;
  const disk = demand(world.disks, params['id']);
  const size = Number(query.get('size'));
  if (disk.vmDiskMappingIds.length > 0) throw refusal(409, 'OVMRU_000042E', `${disk.name} is in use by a VM`);
  if (!(size >= disk.size)) throw refusal(400, 'OVMRU_000022E', `${disk.name} cannot shrink`);
  return world.job(call, `Resize Virtual Disk: ${disk.name}`, {
    work: () => world.ground.files.grow(disk.id.value, size),
    succeed: () => {
      disk.size = size;
      disk.generation += 1;
      return disk.id;
    },
  });
};

const createVm: Operation<World> = (call) => {
  const { world, body } = call;
  const pool = demand(world.serverPools, (body['serverPoolId'] as ObjectId | undefined)?.value);
  const repository = demand(world.repositories, (body['repositoryId'] as ObjectId | undefined)?.value);
  return world.job(call, `Create VM: ${String(body['name'])}`, {
    succeed: () => {
      const vm = world.add(world.vms, 'Vm', String(body['name']), {
        vmRunState: 'STOPPED',
        vmDomainType: String(body['vmDomainType']),
        osType: String(body['osType'] ?? 'None'),
        memory: Number(body['memory']),
        cpuCount: Number(body['cpuCount']),
        vmDiskMappingIds: [],
        virtualNicIds: [],
        repositoryId: repository.id,
        serverPoolId: pool.id,
        serverId: null,
      });
      vm.description = String(body['description'] ?? '');
      return vm.id;
    },
  });
};

const createNic: Operation<World> = (call) => {
  const { world, params, body } = call;
  const vm = demand(world.vms, params['vm']);
  const network = demand(world.networks, (body['networkId'] as ObjectId | undefined)?.value);
  return world.job(call, `Create Virtual NIC: ${vm.name}`, {
    succeed: () => {
      const nic = world.add(world.nics, 'VirtualNic', String(body['name']), {
        macAddress: `00:21:F6:${(world.nics.size + 16).toString(16).padStart(6, '0').match(/../g)?.join(':').toUpperCase() ?? ''}`,
        networkId: network.id,
        ipAddresses: [],
      });
      nic.description = String(body['description'] ?? '');
      vm.virtualNicIds = [...vm.virtualNicIds, nic.id];
      return nic.id;
    },
  });
};

const deleteNic: Operation<World> = (call) => {
  const { world, params } = call;
  const nic = demand(world.nics, params['id']);
  return world.job(call, `Delete Virtual NIC: ${nic.name}`, {
    succeed: () => {
      world.nics.delete(nic.id.value);
      for (const vm of world.vms.values())
        vm.virtualNicIds = vm.virtualNicIds.filter(({ value }) => value !== nic.id.value);
      return undefined;
    },
  });
};

export const managerOperations: Readonly<Record<string, Operation<World>>> = {
  ...reads,
  getManager: () => ok([{ name: 'manager.example.com', managerRunState: 'RUNNING', managerVersion: '3.4.7' }]),
  listJob: ({ world }) => ok(world.jobs.listed()),
  listJobIds: ({ world }) => ok(world.jobs.listed().map(({ id }) => id)),
  getJob: ({ world, params }) => ok(demand(world.jobs, params['id'])),
  abortJob: ({ world, params }) => ok(demand(world.jobs, params['id'])),
  updateVm: (call) => update(call, call.world.vms as Collection<BaseRecord>, 'VM'),
  updateVirtualDisk: (call) => update(call, call.world.disks as Collection<BaseRecord>, 'Virtual Disk'),
  listOsTypes: () => ok({ strings: ['None', 'Oracle Linux 7', 'Oracle Linux 8', 'Microsoft Windows Server 2019'] }),
  createDisk,
  resizeDisk,
  createVm,
  createNic,
  deleteNic,
  cloneDisk,
  cloneVm,
  deleteVm,
  deleteDisk,
  mapDisk,
  unmapDisk,
  startVm: action('start'),
  stopVm: action('stop'),
  killVm: action('kill'),
};

/** Where each of them is asked for. `M` stands for the manager's interface. */
export const managerRoutes: Readonly<Record<string, string>> = {
  'GET M/Manager': 'getManager',
  'GET M/Job': 'listJob',
  'GET M/Job/id': 'listJobIds',
  'GET M/Job/{id}': 'getJob',
  'PUT M/Job/{id}/abort': 'abortJob',
  'GET M/Vm/SupportedOsTypes': 'listOsTypes',
  ...Object.fromEntries(
    Object.keys(kinds).flatMap((name) => [
      [`GET M/${name}`, `list${name}`],
      [`GET M/${name}/{id}`, `get${name}`],
    ]),
  ),
  'PUT M/Vm/{id}': 'updateVm',
  'PUT M/VirtualDisk/{id}': 'updateVirtualDisk',
  'PUT M/VirtualDisk/{id}/clone': 'cloneDisk',
  'PUT M/Vm/{id}/clone': 'cloneVm',
  'PUT M/Vm/{id}/start': 'startVm',
  'PUT M/Vm/{id}/stop': 'stopVm',
  'PUT M/Vm/{id}/kill': 'killVm',
  'POST M/Vm': 'createVm',
  'DELETE M/Vm/{id}': 'deleteVm',
  'POST M/Vm/{vm}/VirtualNic': 'createNic',
  'DELETE M/Vm/{vm}/VirtualNic/{id}': 'deleteNic',
  'POST M/Repository/{repository}/VirtualDisk': 'createDisk',
  'PUT M/VirtualDisk/{id}/resize': 'resizeDisk',
  'DELETE M/Repository/{repository}/VirtualDisk/{id}': 'deleteDisk',
  'POST M/Vm/{vm}/VmDiskMapping': 'mapDisk',
  'DELETE M/Vm/{vm}/VmDiskMapping/{id}': 'unmapDisk',
};
