import { ApiError, noContent, ok } from '../../cloud-kit/call.ts';
import { mergedLabels, nameField, objectField, selected } from '../call.ts';
import type { Operation } from '../call.ts';
import type { ImageConfig } from '../records.ts';
import { now } from '../world.ts';

/** Images are given at the start; `all=false` leaves out what others share with the project. */
export const listImages: Operation = (call) => {
  const all = call.query.get('all') === 'true';
  return ok({
    items: selected(call, call.world.images.listed()).filter((image) => all || image.scope !== 'organization'),
  });
};

export const getImage: Operation = ({ world, params }) => ok(world.images.demand(params['imageId']));

export const updateImage: Operation = (call) => {
  const image = call.world.images.demand(call.params['imageId']);
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
  const image = world.images.demand(params['imageId']);
  if (image.scope !== 'local') throw new ApiError(403, 'image belongs to somebody else');
  world.images.delete(image.id);
  return noContent();
};
