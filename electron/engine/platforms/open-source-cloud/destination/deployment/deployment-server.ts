import { plainTags, tagMetadata } from '../../../../../../shared/plugins/open-source-cloud/instance-tags.ts';
import { freeVolume } from '../../../../cloud-resources/volume-attachments.ts';
import type { CloudServer } from '../../../../cloud-resources/cloud-api.ts';
import { bootVolumeOf } from '../../../../cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { serverName } from '../../../../cloud-resources/deployment/server-name.ts';
import { ensureResource, resourceTags, type Owned } from '../../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../../cloud-resources/resource-deletion.ts';
import { awaitActive } from '../../../../workers/server-state.ts';
import type {
  DeployedNic,
  DeployedServer,
  DeploymentPlan,
  DeploymentRun,
} from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import type { OpenStackSession } from '../context.ts';
import { readEnvironment, type DestinationEnvironment } from '../environment.ts';
import { findPool } from '../networks.ts';
import { findServer } from '../remove-resource.ts';
import { cloudApi } from '../cloud-api.ts';
import { ensureFloatingIp } from '../worker-network.ts';
import { bootVolumeMetadata, staleMetadata } from './image-metadata.ts';
import { planState } from './plan-deployment.ts';

/** Creates the migrated VM from prepared volumes and ports, gives it its floating IP, and waits until it runs. */
export async function createServer(
  session: OpenStackSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  volumes: readonly Volume[],
  nics: readonly DeployedNic[],
  signal: AbortSignal,
): Promise<DeployedServer> {
  const environment = readEnvironment(run.environment);
  const cloud = cloudApi(session);
  const boot = bootVolumeOf(run.vm, volumes);
  const name = serverName(run.vm.name);
  const intent = deploymentIntent(run, 'server', 'server', { serverName: name });
  // Who was interrupted after the intent has done this, and the server may have the volumes by now.
  if (run.ledger.find('server', intent.key) === undefined) {
    for (const volume of volumes) await freeVolume(cloud, run, volume.id, undefined, signal);
    const { volumes: api } = session.cloud.volume;
    const metadata = bootVolumeMetadata(run.vm, environment, run.guestName);
    const present = (await api.get(boot.id, signal))?.volume_image_metadata ?? {};
    for (const key of staleMetadata(present, metadata)) await api.unsetImageMetadata(boot.id, key, signal);
    await api.setImageMetadata(boot.id, metadata, signal);
    await api.setBootable(boot.id, true, signal);
  }
  const { resource, entry } = await ensureServer(
    session,
    run,
    plan,
    environment,
    [boot, ...volumes.filter(({ id }) => id !== boot.id)],
    nics,
    intent,
    signal,
  );
  const [first] = nics;
  const floating =
    environment.use_floating_ip && first !== undefined
      ? await ensureFloatingIp(
          session,
          run,
          deploymentIntent(run, 'public-ip', 'public-ip', {}),
          await findPool(session.cloud, 'floating_ip_pool', environment.floating_ip_pool, signal),
          first.id,
          signal,
        )
      : undefined;
  const running = (): Promise<CloudServer> => awaitActive(cloud, resource.id, signal);
  // A server that takes its volumes with it must not be removed while they are needed.
  await (environment.delete_disks_on_vm_termination
    ? running()
    : orRemoveFailed(cloud, run.ledger, entry, running, signal));
  const addresses = nics.flatMap((nic) => nic.ipAddress ?? []);
  return { id: resource.id, name, addresses: floating === undefined ? addresses : [floating, ...addresses] };
}

/** @param volumes the one that it boots from first */
function ensureServer(
  session: OpenStackSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  environment: DestinationEnvironment,
  volumes: readonly Volume[],
  nics: readonly DeployedNic[],
  intent: ReturnType<typeof deploymentIntent>,
  signal: AbortSignal,
): Promise<Owned<{ readonly id: string }>> {
  const { flavorId, keypairName, serverGroupId } = planState(plan);
  const { servers } = session.cloud.compute;
  const tags = plainTags(environment.instance_tags);
  return ensureResource<{ readonly id: string }>(
    session,
    run.ledger,
    intent,
    {
      find: (entry, s) => findServer(session, entry, s),
      async get(id, _entry, s) {
        const server = await servers.get(id, s);
        return server === undefined || server.status === 'DELETED' ? undefined : server;
      },
      create: (entry, s) =>
        servers.create(
          {
            name: serverName(run.vm.name),
            flavorRef: flavorId,
            networks: nics.length === 0 ? 'none' : nics.map(({ id }) => ({ port: id })),
            block_device_mapping_v2: volumes.map(({ id }, index) => ({
              source_type: 'volume',
              destination_type: 'volume',
              uuid: id,
              boot_index: index === 0 ? 0 : -1,
              delete_on_termination: environment.delete_disks_on_vm_termination,
            })),
            ...(keypairName === undefined ? {} : { key_name: keypairName }),
            ...(tags.length === 0 ? {} : { tags }),
            metadata: { ...tagMetadata(environment.instance_tags), ...resourceTags(run, entry) },
          },
          serverGroupId === undefined ? {} : { group: serverGroupId },
          s,
        ),
    },
    signal,
  );
}
