import { z } from 'zod';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { CloudApi } from '../../../../cloud-resources/cloud-api.ts';
import { bootVolumeOf } from '../../../../cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../../cloud-resources/deployment/deployment-volumes.ts';
import { mappedName, readPlanState } from '../../../../cloud-resources/deployment/plan-steps.ts';
import { restoreVolumes } from '../../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../../cloud-resources/deployment/roll-back.ts';
import { transferVolumesToDeployment } from '../../../../cloud-resources/deployment/transfer-volumes.ts';
import { hasLabels } from '../../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../../cloud-resources/ledgered-resource.ts';
import { resolve, resolvedOrThrow } from '../../../../cloud-resources/resolve-reference.ts';
import { freeVolume } from '../../../../cloud-resources/volume-attachments.ts';
import type {
  DeployedNic,
  DeployedServer,
  DeploymentPlan,
  DeploymentPlatform,
  DeploymentRun,
} from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { awaitActive } from '../../../../workers/server-state.ts';
import { addressesOf } from '../../client/addresses.ts';
import { createNic, createVm, mapDisk, mappingsOf, vmAction } from '../../client/changes.ts';
import { cloneWindow } from '../../client/lost-clones.ts';
import { readTags, tagText } from '../../client/created.ts';
import type { Manager } from '../../client/open-manager.ts';
import { cloudApi, deleterFor, getVm, type CopyWork } from '../cloud-calls.ts';
import { asNamed, placeOf, planWorker, readEnvironment } from '../environment.ts';

const stateSchema = z.object({
  nics: z.array(z.object({ sourceNicId: z.string(), networkId: z.string() })),
  serverPoolId: z.string(),
  repositoryId: z.string(),
  cpus: z.number(),
  memoryMb: z.number(),
  domainType: z.string(),
});

/** Deployments on the server virtualization manager. The VM is there before its NICs, which belong to it; it gets its disks, and starts, at the end. */
export function createDeploymentPlatform(manager: Manager): DeploymentPlatform {
  const removing: Pick<CloudApi, 'deleterFor'> = { deleterFor: (entry) => deleterFor(manager, entry) };
  const cloudOf = (run: DeploymentRun, more: Pick<CopyWork, 'window'> = {}): CloudApi =>
    cloudApi(manager, { run, cloneType: readEnvironment(run.environment).virtual_disk_clone_type, ...more });
  /** Copies get their name after they exist: one that was not named is told by the jobs since now. */
  const copying = async (run: DeploymentRun, signal: AbortSignal): Promise<CloudApi> =>
    cloudOf(run, { window: await cloneWindow(manager, signal) });
  return {
    plan: (run, _volumes, signal) => plan(manager, run, signal),
    snapshotVolumes: async (run, volumes, signal) => snapshotVolumes(await copying(run, signal), run, volumes, signal),
    volumesFromSnapshots: async (run, snapshots, signal) =>
      volumesFromSnapshots(await copying(run, signal), run, snapshots, undefined, signal),
    restoreVolumes: async (run, snapshots, signal) =>
      restoreVolumes(await copying(run, signal), run, snapshots, undefined, signal),
    transferVolumesToDeployment: (run, volumes, signal) =>
      transferVolumesToDeployment(cloudOf(run), run, volumes, signal),
    createNics: (run, given, signal) => createNics(manager, run, given, signal),
    createServer: (run, given, volumes, _nics, signal) =>
      createServer(manager, cloudOf(run), run, given, volumes, signal),
    addresses: (serverId, signal) => reportedAddresses(manager, serverId, signal),
    deleteSnapshots: (run, signal) => deleteSnapshots(removing, run, signal),
    rollBack: (run, signal) => rollBack(removing, run, signal),
  };
}

async function plan(manager: Manager, run: DeploymentRun, signal: AbortSignal): Promise<DeploymentPlan> {
  const environment = readEnvironment(run.environment);
  const { serverPoolId, repositoryId } = await placeOf(manager, environment, signal);
  await planWorker(manager, environment, run.preparationRole, signal);
  const networks = (await manager.networks.list(signal)).map(asNamed);
  const nics = run.vm.nics.map((nic) => {
    const wanted = mappedName(environment.network_map, nic);
    return {
      sourceNicId: nic.id,
      networkId: resolvedOrThrow('network', `network_map.${nic.network}`, wanted, resolve(networks, wanted)).id,
    };
  });
  if (run.vm.firmware === 'uefi')
    throw new CausewayError('general.invalid-input', `VM ${run.vm.name} boots by UEFI, which Oracle VM does not have`, {
      details: { vmId: run.vm.id },
    });
  const [cpus, memoryMb] = [run.vm.vcpus ?? 1, run.vm.memory_mb ?? 2048];
  // Windows sees its disks only as emulated ones, unless it has the vendor's drivers.
  const domainType = run.vm.os_type === 'windows' ? 'XEN_HVM' : 'XEN_HVM_PV_DRIVERS';
  return {
    machineType: `${cpus} vCPU, ${memoryMb} MB`,
    state: { nics, serverPoolId, repositoryId, cpus, memoryMb, domainType },
  };
}

/** The migrated VM, without disks until it starts. */
async function ensureVm(
  manager: Manager,
  run: DeploymentRun,
  given: DeploymentPlan,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly entry: LedgerEntry }> {
  const { serverPoolId, repositoryId, cpus, memoryMb, domainType } = readPlanState(stateSchema, given);
  const { os_label: osType } = readEnvironment(run.environment);
  const { resource, entry } = await ensureResource<{ readonly id: string }>(
    manager,
    run.ledger,
    deploymentIntent(run, 'server', 'server', {}),
    {
      async find(each, within) {
        const found = (await manager.vms.list(within)).find(({ description }) =>
          hasLabels({ labels: readTags(description) }, entryLabel(each)),
        );
        return found === undefined ? undefined : { id: found.id.value };
      },
      get: async (id, _entry, within) => ((await manager.vms.get(id, within)) === undefined ? undefined : { id }),
      async create(each, within) {
        const vm = await createVm(
          manager,
          {
            name: run.vm.name,
            description: tagText(resourceTags(run, each)),
            vmDomainType: domainType,
            repositoryId: { type: 'com.oracle.ovm.mgr.ws.model.Repository', value: repositoryId },
            serverPoolId: { type: 'com.oracle.ovm.mgr.ws.model.ServerPool', value: serverPoolId },
            cpuCount: cpus,
            cpuCountLimit: cpus,
            memory: memoryMb,
            memoryLimit: memoryMb,
            hugePagesEnabled: false,
            ...(osType === undefined ? {} : { osType }),
          },
          within,
        );
        return { id: vm.id.value };
      },
    },
    signal,
  );
  return { id: resource.id, entry };
}

async function createNics(
  manager: Manager,
  run: DeploymentRun,
  given: DeploymentPlan,
  signal: AbortSignal,
): Promise<readonly DeployedNic[]> {
  const { id: serverId } = await ensureVm(manager, run, given, signal);
  const nics: DeployedNic[] = [];
  for (const { sourceNicId, networkId } of readPlanState(stateSchema, given).nics) {
    const { resource } = await ensureResource<{ readonly id: string }>(
      manager,
      run.ledger,
      deploymentIntent(run, 'nic', `nic/${sourceNicId}`, { serverId, networkId }),
      {
        async find(each, within) {
          const found = (await manager.nics.list(within)).find(({ description }) =>
            hasLabels({ labels: readTags(description) }, entryLabel(each)),
          );
          return found === undefined ? undefined : { id: found.id.value };
        },
        get: async (id, _entry, within) => ((await manager.nics.get(id, within)) === undefined ? undefined : { id }),
        create: async (each, within) => ({
          id: (
            await createNic(
              manager,
              serverId,
              { name: nameOf(each), description: tagText(resourceTags(run, each)), networkId },
              within,
            )
          ).id.value,
        }),
      },
      signal,
    );
    const nic = await manager.nics.get(resource.id, signal);
    nics.push({
      id: resource.id,
      sourceNicId,
      networkId,
      ...(nic?.macAddress ? { macAddress: nic.macAddress.toLowerCase() } : {}),
    });
  }
  return nics;
}

async function createServer(
  manager: Manager,
  cloud: CloudApi,
  run: DeploymentRun,
  given: DeploymentPlan,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeployedServer> {
  const { id } = await ensureVm(manager, run, given, signal);
  const boot = bootVolumeOf(run.vm, volumes);
  const inOrder = [boot, ...volumes.filter((volume) => volume.id !== boot.id)];
  for (const [target, volume] of inOrder.entries()) {
    const mapped = await mappingsOf(manager, await getVm(manager, id, signal), signal);
    if (mapped.some(({ virtualDiskId }) => virtualDiskId?.value === volume.id)) continue;
    await freeVolume(cloud, run, volume.id, id, signal);
    await mapDisk(manager, id, volume.id, target, signal);
  }
  const vm = await getVm(manager, id, signal);
  if (readEnvironment(run.environment).leave_migrated_vm_off) {
    run.note(`VM ${run.vm.name} is not powered on: leave_migrated_vm_off is set`, { serverId: id });
    return { id, name: run.vm.name, addresses: [], isOff: true };
  }
  if (vm.vmRunState === 'STOPPED') await vmAction(manager, id, 'start', signal);
  await awaitActive(cloud, id, signal);
  return { id, name: run.vm.name, addresses: await reportedAddresses(manager, id, signal) };
}

/** What the guest tells the manager, if it has the vendor's additions. */
async function reportedAddresses(manager: Manager, id: string, signal: AbortSignal): Promise<readonly string[]> {
  const { virtualNicIds } = await getVm(manager, id, signal);
  const nics = await Promise.all(virtualNicIds.map(({ value }) => manager.nics.get(value, signal)));
  return nics.flatMap((nic) => (nic === undefined ? [] : addressesOf(nic)));
}
