import { bootVolumeOf } from '../../../../cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { serverName } from '../../../../cloud-resources/deployment/server-name.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../../cloud-resources/resource-deletion.ts';
import { freeVolume } from '../../../../cloud-resources/volume-attachments.ts';
import { awaitActive } from '../../../../workers/server-state.ts';
import type {
  DeployedNic,
  DeployedServer,
  DeploymentPlan,
  DeploymentRun,
} from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import type { ClassicInstance, NewNic } from '../../client/compute.ts';
import type { AddressReservation } from '../../client/network.ts';
import { isTagged, objectName } from '../../client/object-names.ts';
import type { Classic } from '../../client/open-classic.ts';
import { cloudApi } from '../../cloud/remove-resource.ts';
import { planState, type PlanState } from './plan-deployment.ts';

/** One planned VNIC a source NIC, in their order. They come with the instance, and their MAC addresses with them. */
export function createNics(plan: DeploymentPlan): readonly DeployedNic[] {
  return planState(plan).nics.map(({ id, sourceNicId, network, prefix }) => ({
    id,
    sourceNicId,
    networkId: network,
    prefixLength: Number(prefix.split('/')[1]),
  }));
}

/**
 * Launches the migrated VM with all its volumes, that which it boots from at index 1, and waits until it runs. From then on
 * the volumes can't be detached as long as it lives.
 */
export async function createServer(
  classic: Classic,
  run: DeploymentRun,
  plan: DeploymentPlan,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeployedServer> {
  const cloud = cloudApi(classic);
  const state = planState(plan);
  const boot = bootVolumeOf(run.vm, volumes);
  // Who was interrupted after the intent has freed them, and the instance may have them by now.
  const intended = run.ledger.find('server', deploymentIntent(run, 'server', 'server', {}).key);
  if (intended === undefined) for (const volume of volumes) await freeVolume(cloud, run, volume.id, undefined, signal);
  const reservation = state.publicAddress ? await reserve(classic, run, signal) : undefined;
  const name = serverName(run.vm.name);
  const ordered = [boot, ...volumes.filter(({ id }) => id !== boot.id)];
  const { resource, entry } = await ensureResource<ClassicInstance & { readonly id: string }>(
    classic,
    run.ledger,
    deploymentIntent(run, 'server', 'server', {}),
    {
      find: async (each, s) =>
        asOwned((await classic.compute.instances(s)).find((instance) => isTagged(instance, entryLabel(each)))),
      get: async (id, _entry, s) => asOwned(await classic.compute.instance(id, s)),
      create: async (each, s) =>
        withId(
          await classic.compute.launch(
            {
              name: nameOf(each),
              label: name,
              hostname: name.toLowerCase(),
              shape: plan.machineType,
              labels: resourceTags(run, each),
              volumes: ordered.map(({ id }, index) => ({ index: index + 1, volume: id })),
              sshkeys: state.key === undefined ? [] : [state.key],
              networking: networking(classic, state, reservation?.name),
            },
            s,
          ),
        ),
    },
    signal,
  );
  await orRemoveFailed(cloud, run.ledger, entry, () => awaitActive(cloud, resource.id, signal), signal);
  const now = (await classic.compute.instance(resource.id, signal)) ?? resource;
  return { id: resource.id, name: now.label ?? name, addresses: addressesOf(now, reservation) };
}

const withId = (instance: ClassicInstance): ClassicInstance & { readonly id: string } => ({
  ...instance,
  id: instance.name,
});
const asOwned = (instance: ClassicInstance | undefined) => (instance === undefined ? undefined : withId(instance));

/** A public address of the deployment's own. It stays when the instance is created again. */
async function reserve(
  { network, ...around }: Classic,
  run: DeploymentRun,
  signal: AbortSignal,
): Promise<AddressReservation & { readonly id: string }> {
  const asReserved = (found: AddressReservation | undefined) =>
    found === undefined ? undefined : { ...found, id: found.name };
  const { resource } = await ensureResource<AddressReservation & { readonly id: string }>(
    around,
    run.ledger,
    deploymentIntent(run, 'public-ip', 'public-ip', {}),
    {
      find: async (entry, s) =>
        asReserved((await network.reservations(s)).find((each) => isTagged(each, entryLabel(entry)))),
      get: async (id, _entry, s) => asReserved(await network.reservation(id, s)),
      async create(entry, s) {
        const made = await network.reserve({ name: nameOf(entry), labels: resourceTags(run, entry) }, s);
        return { ...made, id: made.name };
      },
    },
    signal,
  );
  return resource;
}

/** `eth0` has the way out, and the public address where there is one. */
function networking(
  { connection }: Classic,
  { nics }: PlanState,
  reservation: string | undefined,
): Readonly<Record<string, NewNic>> {
  return Object.fromEntries(
    nics.map(({ id, network }, index): [string, NewNic] => [
      `eth${index}`,
      {
        ipnetwork: network,
        vnic: objectName(connection.user, id),
        ...(index === 0 ? { is_default_gateway: true } : {}),
        ...(index === 0 && reservation !== undefined ? { nat: [`network/v1/ipreservation:${reservation}`] } : {}),
      },
    ]),
  );
}

function addressesOf({ ip, networking: nics }: ClassicInstance, reservation: AddressReservation | undefined): string[] {
  const all = [reservation?.ipAddress, ...Object.values(nics ?? {}).map((nic) => nic.ip), ip];
  return [
    ...new Set(
      all.filter(
        (address): address is string => typeof address === 'string' && address !== '' && address !== '0.0.0.0',
      ),
    ),
  ];
}
