import { hasLabels } from '../../../cloud-resources/labels.ts';
import { managedOf, ourLabel } from '../../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import { useOf } from './cloud-calls.ts';
import { zeroImages, zeroImageTag } from './remove-resource.ts';
import type { OciSession } from './session.ts';

interface Tagged {
  readonly id: string;
  readonly displayName?: string | null | undefined;
  readonly lifecycleState: string;
  readonly freeformTags: Readonly<Record<string, string>>;
}

/**
 * Everything in a compartment that carries our tags. Rules have no tags: they go with their groups. An image of zeros is no orphan while
 * volumes stand on it.
 */
export async function listManaged(
  session: OciSession,
  compartmentId: string,
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const shown = (all: readonly Tagged[]) =>
    all
      .filter(
        ({ lifecycleState, freeformTags }) =>
          lifecycleState !== 'TERMINATED' && hasLabels({ labels: freeformTags }, ourLabel),
      )
      .map(({ id, displayName, freeformTags }) => ({ id, name: displayName, labels: freeformTags }));
  const volumes = await session.volumes.list(compartmentId, signal);
  const backups =
    session.connection.deploymentCopies === 'backups' ? await session.backups.list(compartmentId, signal) : [];
  const images = await session.images.list(compartmentId, signal);
  const unused = (await zeroImages(session, compartmentId, signal))
    .filter(({ isUsed }) => !isUsed)
    .map(({ image }) => image.id);
  const domainOf = new Map(volumes.map(({ id, availabilityDomain }) => [id, availabilityDomain]));
  const buckets = await session.objects.buckets(await session.objects.namespace(signal), compartmentId, signal);
  return managedOf(
    [
      ['server', shown(await session.compute.list(compartmentId, signal))],
      ['volume', shown(volumes.filter((volume) => useOf(volume) !== 'snapshot'))],
      ['volume-snapshot', shown([...volumes.filter((volume) => useOf(volume) === 'snapshot'), ...backups])],
      ['security-group', shown(await session.network.groups(compartmentId, signal))],
      [
        'image',
        shown(images.filter(({ id, freeformTags }) => freeformTags[zeroImageTag] === undefined || unused.includes(id))),
      ],
      ['other', buckets.map(({ id, freeformTags }) => ({ id, name: id, labels: freeformTags }))],
    ],
    ({ id }) => ({ compartment: compartmentId, domain: domainOf.get(id) ?? '' }),
  );
}
