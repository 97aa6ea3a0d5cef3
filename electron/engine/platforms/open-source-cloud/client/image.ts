import { z } from 'zod';
import type { ServiceApi } from './service-api.ts';
import { queryOf, segment } from './wire.ts';

const imageSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  /** `active` when it can be used. */
  status: z.string(),
  visibility: z.string().optional(),
  owner: z.string().nullish(),
  /** GiB. */
  min_disk: z.number().nullish(),
  /** MiB. */
  min_ram: z.number().nullish(),
  /** Bytes. */
  size: z.number().nullish(),
  virtual_size: z.number().nullish(),
  disk_format: z.string().nullish(),
  created_at: z.string().optional(),
  os_type: z.string().nullish(),
  os_distro: z.string().nullish(),
  os_hidden: z.boolean().optional(),
  tags: z.array(z.string()).default([]),
});

/** Properties of its own stand beside these, e.g. `hw_disk_bus`. */
export type Image = z.infer<typeof imageSchema>;

export interface ImageService {
  list(filter: { readonly name?: string }, signal: AbortSignal): Promise<readonly Image[]>;
  get(id: string, signal: AbortSignal): Promise<Image | undefined>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export function imageServiceOf(api: ServiceApi): ImageService {
  const one = (id: string): string => `/images/${segment(id)}`;
  return {
    list: ({ name }, signal) =>
      api.list(
        imageSchema,
        { operation: 'list images', path: '/images', key: 'images', query: queryOf({ name, limit: '200' }) },
        signal,
      ),
    get: (id, signal) => api.find(imageSchema, { operation: `read image ${id}`, method: 'GET', path: one(id) }, signal),
    delete: (id, signal) => api.remove({ operation: `delete image ${id}`, path: one(id) }, signal),
  };
}
