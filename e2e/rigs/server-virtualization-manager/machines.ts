import type { IngressRule, MachineVolume } from '../cloud-kit/server-machines.ts';
import { templateUser, type MappingRecord, type VmRecord, type World } from './world.ts';

const anyone: IngressRule = { cidr: '0.0.0.0/0', minPort: 0, maxPort: 65_535 };
/** The machines' system, which is no disk of theirs. */
const systemTarget = 0;

/** A disk as a guest on Xen sees it: its name comes from the target, and it has no serial. */
export function deviceOf(world: World, diskId: string, target: number): MachineVolume {
  return { volumeId: `xvd${String.fromCodePoint(97 + target)}`, path: world.ground.files.path(diskId), device: {} };
}

/** Starts the machine of a VM: a worker if it is from the template, else what its first disk boots. Its guest then tells its address. */
export async function powerOn(world: World, vm: VmRecord): Promise<void> {
  const { machines, privatePrefix } = world.ground;
  const [nic] = vm.virtualNicIds.map(({ value }) => world.nics.get(value));
  const number = [...world.vms.keys()].indexOf(vm.id.value);
  const address = privatePrefix.replace(/\d+\/\d+$/, String(20 + number));
  const mappings = vm.vmDiskMappingIds.flatMap(({ value }) => world.mappings.get(value) ?? []);
  const device = ({ virtualDiskId, diskTarget }: MappingRecord): MachineVolume =>
    deviceOf(world, virtualDiskId?.value ?? '', diskTarget);
  const [system] = mappings.filter(({ diskTarget }) => diskTarget === systemTarget).map(device);
  await machines.start({
    serverId: vm.id.value,
    name: vm.isWorker === true ? 'worker' : 'guest',
    vcpus: vm.cpuCount,
    memoryMiB: vm.memory,
    boot:
      vm.isWorker === true || system === undefined
        ? { kind: 'image', imageName: 'linux-worker' }
        : { kind: 'volume', firmware: 'bios', diskBus: 'ide', configDrive: false, ...system },
    userData: `#cloud-config\n${JSON.stringify({ users: [{ name: templateUser.username, plain_text_passwd: templateUser.password, sudo: 'ALL=(ALL) NOPASSWD:ALL' }] })}`,
    dataVolumes: mappings.filter(({ diskTarget }) => diskTarget !== systemTarget).map(device),
    nics: nic === undefined ? [] : [{ mac: nic.macAddress, ipv4: address }],
  });
  if (nic !== undefined) nic.ipAddresses = [{ address }];
  await expose(world, vm.id.value);
}

export async function cutPower(world: World, vm: VmRecord): Promise<void> {
  await world.ground.machines.stop(vm.id.value);
  for (const { value } of vm.virtualNicIds) {
    const nic = world.nics.get(value);
    if (nic !== undefined) nic.ipAddresses = [];
  }
  await expose(world);
}

/** @param more a VM that is not recorded as running yet */
async function expose(world: World, more?: string): Promise<void> {
  const running = [...world.vms.values()].filter(({ id, vmRunState }) => vmRunState === 'RUNNING' || id.value === more);
  await world.ground.machines.expose(
    running.flatMap((vm) =>
      vm.virtualNicIds
        .flatMap(({ value }) => world.nics.get(value)?.ipAddresses ?? [])
        .filter(({ address }) => address.startsWith('127.'))
        .map(({ address }) => ({ address, serverId: vm.id.value, ingress: [anyone] })),
    ),
  );
}
