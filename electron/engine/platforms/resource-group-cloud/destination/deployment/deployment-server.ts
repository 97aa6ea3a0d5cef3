import type { VirtualMachine } from '@azure/arm-compute';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { CloudApi, CloudServer } from '../../../../cloud-resources/cloud-api.ts';
import { bootVolumeOf } from '../../../../cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { serverName } from '../../../../cloud-resources/deployment/server-name.ts';
import { hasLabels } from '../../../../cloud-resources/labels.ts';
import {
  ensureResource,
  entryLabel,
  nameOf,
  resourceTags,
  type Owned,
} from '../../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../../cloud-resources/resource-deletion.ts';
import { freeVolume } from '../../../../cloud-resources/volume-attachments.ts';
import { isStatus } from '../../../../http/http-error.ts';
import { awaitActive } from '../../../../workers/server-state.ts';
import type {
  DeployedNic,
  DeployedServer,
  DeploymentPlan,
  DeploymentRun,
} from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { parseResourceId } from '../../client/resource-id.ts';
import { refuseAttachment } from '../blob-volumes.ts';
import { asServer, getVm, vmType } from '../cloud-calls.ts';
import { cloudApi } from '../cloud-api.ts';
import { readEnvironment } from '../environment.ts';
import { findServer } from '../remove-resource.ts';
import { ownId, placeOf, type AzureSession, type Place } from '../session.ts';
import { diskTypeOf, isTrustedLaunch } from '../disk-types.ts';
import { ensurePublicIp } from './deployment-nics.ts';
import { planState } from './plan-deployment.ts';

/** Creates the migrated VM from prepared disks and interfaces, and waits until it runs. */
export async function createServer(
  session: AzureSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  volumes: readonly Volume[],
  nics: readonly DeployedNic[],
  signal: AbortSignal,
): Promise<DeployedServer> {
  for (const { id } of volumes) refuseAttachment(id);
  const place = placeOf(session, readEnvironment(run.environment));
  const cloud = cloudApi(session, place);
  const boot = bootVolumeOf(run.vm, volumes);
  // Who was interrupted after the intent has freed them, and the server may have them by now.
  const intended = run.ledger.find('server', deploymentIntent(run, 'server', 'server', {}).key);
  if (intended === undefined) for (const volume of volumes) await freeVolume(cloud, run, volume.id, undefined, signal);
  const { resource: server, entry } = await ensureServer(session, place, run, plan, volumes, boot, nics, signal);
  const running = async (): Promise<CloudServer> => {
    if (isTrustedLaunch(session, run.vm)) await ensureTrustedLaunch(session, cloud, run, server.id, signal);
    return awaitActive(cloud, server.id, signal);
  };
  await orRemoveFailed(cloud, run.ledger, entry, running, signal);
  const publicAddress =
    session.connection.usePublicIp && nics.length > 0
      ? [(await ensurePublicIp(session, run, plan, signal)).address]
      : [];
  return {
    id: server.id,
    name: server.name,
    addresses: [...publicAddress, ...nics.flatMap((nic) => nic.ipAddress ?? [])],
  };
}

function ensureServer(
  session: AzureSession,
  place: Place,
  run: DeploymentRun,
  plan: DeploymentPlan,
  volumes: readonly Volume[],
  boot: Volume,
  nics: readonly DeployedNic[],
  signal: AbortSignal,
): Promise<Owned<CloudServer>> {
  const cloud = cloudApi(session, place);
  const find = async (entry: LedgerEntry, s: AbortSignal): Promise<CloudServer | undefined> => {
    const id = await findServer(session, place, entry, s);
    return id === undefined ? undefined : cloud.servers.get(id, s);
  };
  return ensureResource<CloudServer>(
    session,
    run.ledger,
    deploymentIntent(run, 'server', 'server', cloud.entryDetails),
    {
      find,
      get: (id, _entry, s) => cloud.servers.get(id, s),
      async create(entry, s) {
        const name = await freeName(session, place, run, entry, s);
        const vm = migratedVm(session, place, run, plan, entry, volumes, boot, nics);
        const { virtualMachines } = await session.compute();
        try {
          // A PUT would change another VM of this name: it is to make a new one or nothing.
          await session.submit(
            `create VM ${name}`,
            (options) => virtualMachines.createOrUpdate(place.group, name, vm, { ...options, ifNoneMatch: '*' }),
            s,
          );
        } catch (error) {
          const own = isStatus(error, 412) ? await find(entry, s) : undefined;
          if (own === undefined) throw error;
          return own;
        }
        const made = await getVm(session, ownId(session, place.group, vmType, name), s);
        return asServer(session, place.group, made ?? { ...vm, name, provisioningState: 'Creating' });
      },
    },
    signal,
  );
}

/**
 * The cloud refuses this security type on disks that are created empty or as a copy, and a VM of this type on a disk without it. What it documents for
 * such VMs is the change of one that exists: deallocated, changed, started. So a VM starts twice, the first time without secure boot.
 */
async function ensureTrustedLaunch(
  session: AzureSession,
  cloud: CloudApi,
  run: DeploymentRun,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { group, name } = parseResourceId(id);
  const { virtualMachines } = await session.compute();
  const before = await getVm(session, id, signal);
  const isDone = before?.securityProfile?.securityType === 'TrustedLaunch';
  // An interrupted change may have left it stopped.
  const isOff = before !== undefined && asServer(session, group, before).state === 'off';
  if (!isOff) await awaitActive(cloud, id, signal);
  if (isDone && !isOff) return;
  if (!isDone) {
    run.note(`VM ${name} is changed to trusted launch, for which the cloud stops and starts it once`, { name });
    await session.finish(
      `deallocate VM ${name}`,
      (options) => virtualMachines.deallocate(group, name, options),
      signal,
    );
    const securityProfile = {
      securityType: 'TrustedLaunch',
      uefiSettings: { secureBootEnabled: run.vm.secure_boot === true, vTpmEnabled: true },
    };
    await session.finish(
      `change VM ${name} to trusted launch`,
      (options) => virtualMachines.update(group, name, { securityProfile }, options),
      signal,
    );
  }
  await session.finish(`start VM ${name}`, (options) => virtualMachines.start(group, name, options), signal);
}

/** The VM's own name; where another VM has it, the entry's, which nothing else has. */
async function freeName(
  session: AzureSession,
  { group }: Place,
  run: DeploymentRun,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<string> {
  const wanted = serverName(run.vm.name)
    .replaceAll('.', '-')
    .slice(0, run.vm.os_type === 'windows' ? 15 : 64)
    .replace(/-+$/, '');
  const holder = await getVm(session, ownId(session, group, vmType, wanted), signal);
  if (holder === undefined || hasLabels({ labels: holder.tags }, entryLabel(entry))) return wanted;
  const name = nameOf(entry);
  run.note(`Resource group ${group} has another VM named ${wanted}: this one is named ${name}`, { name });
  return name;
}

function migratedVm(
  session: AzureSession,
  place: Place,
  run: DeploymentRun,
  plan: DeploymentPlan,
  entry: LedgerEntry,
  volumes: readonly Volume[],
  boot: Volume,
  nics: readonly DeployedNic[],
): VirtualMachine {
  const { connection } = session;
  const { zone, availabilitySetId } = planState(plan);
  const environment = readEnvironment(run.environment);
  const data = volumes.filter((volume) => volume.id !== boot.id);
  if (nics.length === 0)
    throw new CausewayError(
      'general.invalid-input',
      `VM ${run.vm.name} has no network interface, and the cloud has no VMs without one`,
      { details: { vmId: run.vm.id } },
    );
  return {
    location: place.location,
    ...(zone === undefined ? {} : { zones: [zone] }),
    hardwareProfile: { vmSize: plan.machineType },
    storageProfile: {
      osDisk: {
        osType: run.vm.os_type === 'windows' ? 'Windows' : 'Linux',
        createOption: 'Attach',
        caching: 'ReadWrite',
        deleteOption: 'Detach',
        managedDisk: { id: boot.id },
      },
      dataDisks: data.map((volume, lun) => ({
        lun,
        createOption: 'Attach',
        caching: 'None',
        deleteOption: 'Detach',
        managedDisk: { id: volume.id },
      })),
    },
    networkProfile: {
      networkInterfaces: nics.map(({ id }, index) => ({ id, primary: index === 0, deleteOption: 'Detach' })),
    },
    // Its serial console is how one sees that the guest boots.
    diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    ...(run.vm.disks.some((disk) => diskTypeOf(disk, environment) === 'UltraSSD_LRS')
      ? { additionalCapabilities: { ultraSSDEnabled: true } }
      : {}),
    ...(availabilitySetId === undefined ? {} : { availabilitySet: { id: availabilitySetId } }),
    ...(connection.licenseType === undefined ? {} : { licenseType: connection.licenseType }),
    tags: { ...connection.tags, ...resourceTags(run, entry) },
  };
}
