import { ApiError } from '../api-error.ts';
import { mergedLabels, nameField, noContent, objectField, ok } from '../call.ts';
import type { Operation } from '../call.ts';
import { parseLabelSelector } from '../label-selector.ts';
import type { ImageConfig } from '../records.ts';
import { get, now } from '../world.ts';

/** Images are given at the start; `all=false` leaves out what others share with the project. */
export const listImages: Operation = ({ world, query }) => {
  const matches = parseLabelSelector(query.get('label_selector') ?? '');
  const all = query.get('all') === 'true';
  return ok({
    items: [...world.images.values()].filter((image) => (all || image.scope !== 'organization') && matches(image.labels)),
  });
};

export const getImage: Operation = ({ world, params }) => ok(get(world.images, params['imageId'], 'image'));

export const updateImage: Operation = (call) => {
  const image = get(call.world.images, call.params['imageId'], 'image');
  if (call.body['name'] !== undefined) image.name = nameField(call);
  if (typeof call.body['minDiskSize'] === 'number') image.minDiskSize = call.body['minDiskSize'];
  if (typeof call.body['minRam'] === 'number') image.minRam = call.body['minRam'];
  if (call.body['config'] !== undefined) {
    image.config = { ...image.config, ...(objectField(call.body['config'], 'config') as ImageConfig) };
  }
  image.labels = mergedLabels(call, image.labels);
  image.updatedAt = now();
  return ok({ ...image });
};

export const deleteImage: Operation = ({ world, params }) => {
  const image = get(world.images, params['imageId'], 'image');
  if (image.scope !== 'local') throw new ApiError(403, 'image belongs to somebody else');
  world.images.delete(image.id);
  return noContent();
};
