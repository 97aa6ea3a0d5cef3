import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabMachines } from '../machines/lab-machines.ts';
import { labMachines, usualWorkerKind } from '../machines/kinds.ts';
import { enterOwnVm, ownVmUserData, type OwnVmRig } from '../project/own-vm.ts';
import type { World } from './world.ts';

/** The lab's machines, for the cloud and for who wants to enter one. */
export function knownMachines(): {
  readonly machines: (folder: string) => Promise<LabMachines>;
  readonly known: () => LabMachines;
} {
  const make = labMachines({ worker: usualWorkerKind });
  let made: LabMachines | undefined;
  return {
    machines: async (folder) => (made = await make(folder)),
    known: () =>
      made ??
      (() => {
        throw new Error('the cloud has no machines yet');
      })(),
  };
}

/** An instance as users make one, which stands for the computer that an engine runs on. @param more e.g. the subnet, and so the zone, that it is in */
export async function startOwnInstance(
  world: World,
  machines: LabMachines,
  name: string,
  more: Parameters<World['addInstance']>[1] = {},
): Promise<OwnVmRig> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-own-instance-'));
  try {
    const userData = await ownVmUserData(folder, name);
    const { id, mac, privateIp } = world.addInstance(name, { userData, ...more });
    await machines.start({
      serverId: id,
      name,
      vcpus: 1,
      memoryMiB: 512,
      userData,
      boot: { kind: 'image', imageName: 'Debian 12' },
      dataVolumes: [],
      nics: [{ mac, ipv4: privateIp }],
    });
    return await enterOwnVm(machines, id);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
