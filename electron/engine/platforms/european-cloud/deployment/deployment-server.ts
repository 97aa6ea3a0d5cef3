import { freeVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { CloudApi, CloudServer } from '../../../cloud-resources/cloud-api.ts';
import { bootVolumeOf } from '../../../cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../../cloud-resources/deployment/deployment-keys.ts';
import { serverName } from '../../../cloud-resources/deployment/server-name.ts';
import { hasLabels } from '../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, resourceTags, type Owned } from '../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { awaitActive } from '../../../workers/server-state.ts';
import type { DeployedNic, DeployedServer, DeploymentPlan, DeploymentRun } from '../../../ports/deployment-platform.ts';
import type { Volume } from '../../../ports/destination-platform.ts';
import { readEnvironment, required, type DestinationEnvironment } from '../environment.ts';
import type { Iaas } from '../iaas/iaas.ts';
import type { CloudServer as ApiServer } from '../iaas/servers.ts';
import { cloudApi } from '../cloud-api.ts';
import { asServerLabels } from '../server-labels.ts';
import type { CloudSession } from '../session.ts';
import { bootVolumeConfig, dataVolumeConfig } from './boot-volume-config.ts';
import { planState } from './plan-deployment.ts';

/** Creates the migrated VM from prepared volumes and NICs, gives it its public address, and waits until it runs. */
export async function createServer(
  session: CloudSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  volumes: readonly Volume[],
  nics: readonly DeployedNic[],
  signal: AbortSignal,
): Promise<DeployedServer> {
  const environment = readEnvironment(run.environment);
  const iaas = session.iaas(environment.project);
  const cloud = cloudApi(session, iaas);
  const boot = bootVolumeOf(run.vm, volumes);
  // Who was interrupted after the intent has described them, and the server may have them by now.
  const intended = run.ledger.find('server', deploymentIntent(run, 'server', 'server', {}).key);
  if (intended === undefined) await describeVolumes(cloud, iaas, run, environment, volumes, boot, signal);
  const { resource: server, entry } = await ensureServer(
    session,
    iaas,
    run,
    plan,
    environment,
    volumes,
    boot,
    nics,
    signal,
  );
  const publicAddress = environment.use_public_ip ? await ensurePublicIp(session, iaas, run, nics, signal) : undefined;
  const running = (): Promise<CloudServer> => awaitActive(cloud, server.id, signal);
  // A server that takes its volumes with it must not be removed while they are needed.
  await (environment.delete_disks_on_server_termination
    ? running()
    : orRemoveFailed(cloud, run.ledger, entry, running, signal));
  const addresses = nics.flatMap((nic) => nic.ipAddress ?? []);
  return {
    id: server.id,
    name: server.name,
    addresses: publicAddress === undefined ? addresses : [publicAddress, ...addresses],
  };
}

async function describeVolumes(
  cloud: CloudApi,
  iaas: Iaas,
  run: DeploymentRun,
  environment: DestinationEnvironment,
  volumes: readonly Volume[],
  boot: Volume,
  signal: AbortSignal,
): Promise<void> {
  for (const volume of volumes) {
    await freeVolume(cloud, run, volume.id, undefined, signal);
    const change =
      volume.id === boot.id
        ? { bootable: true, imageConfig: bootVolumeConfig(run.vm, environment) }
        : { imageConfig: dataVolumeConfig(environment) };
    await iaas.volumes.change(volume.id, change, signal);
  }
}

async function ensureServer(
  session: CloudSession,
  iaas: Iaas,
  run: DeploymentRun,
  plan: DeploymentPlan,
  environment: DestinationEnvironment,
  volumes: readonly Volume[],
  boot: Volume,
  nics: readonly DeployedNic[],
  signal: AbortSignal,
): Promise<Owned<ApiServer>> {
  const { affinityGroupId, keypairName } = planState(plan);
  const metadata = Object.fromEntries(
    Object.entries(environment.server_properties).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  return ensureResource<ApiServer>(
    session,
    run.ledger,
    deploymentIntent(run, 'server', 'server', { project: iaas.projectId }),
    {
      find: async (entry, s) =>
        (await iaas.servers.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
      async get(id, _entry, s) {
        const server = await iaas.servers.get(id, s);
        return server === undefined || server.status === 'DELETED' ? undefined : server;
      },
      create: (entry, s) =>
        iaas.servers.create(
          {
            name: serverName(run.vm.name),
            machineType: plan.machineType,
            availabilityZone: required(environment, 'availability_zone'),
            networking: { nicIds: nics.map((nic) => nic.id) },
            bootVolume: {
              source: { type: 'volume', id: boot.id },
              deleteOnTermination: environment.delete_disks_on_server_termination,
            },
            volumes: volumes.filter((volume) => volume.id !== boot.id).map((volume) => volume.id),
            configDrive: environment.use_config_drive,
            ...(keypairName === undefined ? {} : { keypairName }),
            ...(affinityGroupId === undefined ? {} : { affinityGroup: affinityGroupId }),
            ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
            labels: { ...asServerLabels(environment.server_labels).labels, ...resourceTags(run, entry) },
          },
          s,
        ),
    },
    signal,
  );
}

async function ensurePublicIp(
  session: CloudSession,
  iaas: Iaas,
  run: DeploymentRun,
  nics: readonly DeployedNic[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first] = nics;
  if (first === undefined) return undefined;
  const { resource } = await ensureResource(
    session,
    run.ledger,
    deploymentIntent(run, 'public-ip', 'public-ip', { project: iaas.projectId }),
    {
      find: async (entry, s) =>
        (await iaas.publicIps.list(entryLabel(entry), s)).find((ip) => hasLabels(ip, entryLabel(entry))),
      get: (id, _entry, s) => iaas.publicIps.get(id, s),
      create: (entry, s) => iaas.publicIps.create(first.id, resourceTags(run, entry), s),
    },
    signal,
  );
  return resource.ip;
}
