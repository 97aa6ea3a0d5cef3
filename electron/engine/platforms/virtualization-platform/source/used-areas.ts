import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../shared/model/extent.ts';
import { readObject, readObjects } from '../client/properties.ts';
import { objectOf, type ManagedObject } from '../client/request.ts';
import { changedAreas, type AreaRequest } from './changed-areas.ts';
import type { SourceContext } from './source-context.ts';
import { trackingUuid } from './tracking-trust.ts';
import { placeOf, type VirtualDisk } from './vm-devices.ts';

/** Where tracking of a disk began that Causeway has enabled while the VM had no snapshot. */
interface TrackingStart {
  readonly uuid: string;
  readonly datastore: string;
}

/** By key of the disk. */
export type TrackingStarts = ReadonlyMap<number, TrackingStart>;

/** @param disks as they are right after tracking took effect, with no snapshot below them */
export function trackingStarts(disks: readonly VirtualDisk[]): TrackingStarts {
  return new Map(
    disks.flatMap(({ key, changeId, fileName }) => {
      const place = placeOf(fileName);
      return changeId === undefined || place === undefined
        ? []
        : [[key, { uuid: trackingUuid(changeId), datastore: place.datastore }] as const];
    }),
  );
}

/**
 * The disks of a snapshot of which the server knows every area in use. It says so of any disk, but it is true only on VMFS, with tracking that
 * was enabled while no snapshot existed: elsewhere the list is the whole disk, or has gaps.
 *
 * @param starts of tracking that Causeway has enabled itself: nobody else's history is known
 */
export async function disksWithKnownAreas(
  { session }: SourceContext,
  vm: ManagedObject,
  disks: readonly VirtualDisk[],
  starts: TrackingStarts | undefined,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const candidates = disks.filter(({ key, changeId, fileName, hasParent }) => {
    const start = starts?.get(key);
    return (
      start !== undefined &&
      changeId !== undefined &&
      !hasParent &&
      trackingUuid(changeId) === start.uuid &&
      placeOf(fileName)?.datastore === start.datastore
    );
  });
  if (candidates.length === 0) return new Set();
  try {
    const listed = (await readObject(session, vm, ['datastore'], signal)).properties.get('datastore')?.children ?? [];
    const stores = await readObjects(
      session,
      listed.flatMap((element) => objectOf(element) ?? []),
      { Datastore: ['name', 'summary.type'] },
      signal,
    );
    const onVmfs = new Set(
      stores
        .filter(({ properties }) => properties.get('summary.type')?.text === 'VMFS')
        .map(({ properties }) => properties.get('name')?.text),
    );
    return new Set(candidates.filter(({ fileName }) => onVmfs.has(placeOf(fileName)?.datastore)).map(({ key }) => key));
  } catch (error) {
    // Who may not see the datastores has a first copy by the map of the host.
    if (error instanceof CausewayError && error.code === 'source.permission-denied') return new Set();
    throw error;
  }
}

/** The whole disk in order: the areas in use as `data`, the rest as `zero`. Only for disks with known areas. */
export async function usedAreas(
  context: SourceContext,
  request: Omit<AreaRequest, 'changeId'>,
  signal: AbortSignal,
): Promise<readonly Extent[]> {
  const used = await changedAreas(context.session, { ...request, changeId: '*' }, signal);
  const all: Extent[] = [];
  let end = 0;
  for (const area of used) {
    if (area.offset > end) all.push({ offset: end, length: area.offset - end, kind: 'zero' });
    all.push(area);
    end = area.offset + area.length;
  }
  if (end < request.sizeBytes) all.push({ offset: end, length: request.sizeBytes - end, kind: 'zero' });
  return all;
}
