import { addNeeds, type QuotaNeeds, type Quotas, type QuotaWords } from '../../../cloud-resources/quota-needs.ts';
import type { VolumePlan } from '../../../cloud-resources/replica-volumes.ts';
import type { OciShape } from '../client/compute.ts';
import { smallestVolumeGib } from './cloud-calls.ts';
import type { OciSession, Place } from './session.ts';
import type { ShapeConfig } from './shapes.ts';

export const quotaWords: QuotaWords = { 'volume-count': 'volumes', 'total-storage-gb': 'GB of volumes' };

/** The service limits of an availability domain that the needs count against. What the service does not say is not counted. */
export async function readQuotas(
  session: OciSession,
  { compartmentId, domain }: Place,
  needs: QuotaNeeds,
  signal: AbortSignal,
): Promise<Quotas> {
  const of = { compartmentId, availabilityDomain: domain };
  const read = Object.keys(needs).map(
    async (name) =>
      [
        name,
        await session.limits.availability(
          Object.hasOwn(quotaWords, name) ? 'block-storage' : 'compute',
          name,
          of,
          signal,
        ),
      ] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

/** What the volumes still take. */
export function volumeNeeds(plans: readonly VolumePlan[]): QuotaNeeds {
  const missing = plans.filter((each) => each.volume === undefined);
  const growth = plans.reduce(
    (sum, { volume, size }) => sum + Math.max(0, Math.max(smallestVolumeGib, size) - (volume?.sizeGib ?? 0)),
    0,
  );
  return { 'volume-count': missing.length, 'total-storage-gb': growth };
}

/** What an instance takes of the limits of its shape, which are in OCPUs. */
export function shapeNeeds(shape: OciShape, { shapeConfig }: { readonly shapeConfig?: ShapeConfig }): QuotaNeeds {
  const [name] = (shape.quotaNames ?? []).filter((each) => each.endsWith('core-count'));
  return name === undefined ? {} : { [name]: shapeConfig?.ocpus ?? shape.ocpus ?? 1 };
}

/** A worker with the boot volume of its image. */
export const workerServerNeeds = (shape: OciShape, config: { readonly shapeConfig?: ShapeConfig }): QuotaNeeds =>
  addNeeds(shapeNeeds(shape, config), { 'volume-count': 1, 'total-storage-gb': smallestVolumeGib });
