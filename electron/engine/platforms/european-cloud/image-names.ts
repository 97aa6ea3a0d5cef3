import type { Resolution } from '../../cloud-resources/resolve-reference.ts';
import type { CloudImage } from './iaas/catalog-lists.ts';

/** Images of one name are builds of one system: the newest usable one applies. */
export function resolveImage(images: readonly CloudImage[], wanted: string): Resolution<CloudImage> {
  const matching = images.filter((each) => each.id === wanted || each.name === wanted);
  const [newest] = matching
    .filter((each) => each.status === undefined || each.status === 'AVAILABLE')
    .sort((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? ''));
  return newest === undefined
    ? { outcome: 'unknown', known: images.map((each) => each.name) }
    : { outcome: 'found', resource: newest };
}
