import { z } from 'zod';
import { labelsSchema, listOf, selectorQuery, type Api } from './api.ts';
import type { Labels } from '../../../cloud-resources/labels.ts';

const volumeSchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  /** Open set: AVAILABLE, ATTACHED, CREATING, ERROR… */
  status: z.string(),
  /** GiB. */
  size: z.number(),
  availabilityZone: z.string().optional(),
  performanceClass: z.string().optional(),
  serverId: z.string().nullish(),
  bootable: z.boolean().optional(),
  labels: labelsSchema,
});

export type CloudVolume = z.infer<typeof volumeSchema>;

export interface NewVolume {
  readonly name: string;
  readonly availabilityZone: string;
  /** GiB; required for a blank volume. */
  readonly size?: number;
  readonly performanceClass?: string;
  readonly labels: Labels;
  readonly source?: { readonly type: 'image' | 'snapshot' | 'volume' | 'backup'; readonly id: string };
  readonly bootable?: boolean;
}

export interface VolumeChange {
  readonly bootable?: boolean;
  readonly labels?: Labels;
  readonly imageConfig?: Readonly<Record<string, string | boolean | null>>;
}

export interface Volumes {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudVolume[]>;
  get(id: string, signal: AbortSignal): Promise<CloudVolume | undefined>;
  create(volume: NewVolume, signal: AbortSignal): Promise<CloudVolume>;
  change(id: string, change: VolumeChange, signal: AbortSignal): Promise<CloudVolume>;
  /** Only grows. Not repeated by itself: a second request after a lost answer is a conflict. */
  resize(id: string, sizeGib: number, signal: AbortSignal): Promise<void>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export function volumesOf(api: Api): Volumes {
  const path = `${api.prefix}/volumes`;
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  return {
    async list(labels, signal) {
      const query = selectorQuery(labels);
      return (await api.read(listOf(volumeSchema), { operation: 'list volumes', method: 'GET', path, query }, signal))
        .items;
    },
    get: (id, signal) =>
      api.find(volumeSchema, { operation: `read volume ${id}`, method: 'GET', path: one(id) }, signal),
    create: (volume, signal) =>
      api.read(volumeSchema, { operation: `create volume ${volume.name}`, method: 'POST', path, json: volume }, signal),
    change: (id, change, signal) =>
      api.read(
        volumeSchema,
        { operation: `change volume ${id}`, method: 'PATCH', path: one(id), json: change },
        signal,
      ),
    async resize(id, size, signal) {
      await api.send(
        { operation: `resize volume ${id} to ${size} GiB`, method: 'POST', path: `${one(id)}/resize`, json: { size } },
        signal,
      );
    },
    delete: (id, signal) => api.remove({ operation: `delete volume ${id}`, path: one(id) }, signal),
  };
}
