import { z } from 'zod';
import { labelsSchema, listOf, selectorQuery, type Api } from './api.ts';
import type { Labels } from '../../../cloud-resources/labels.ts';

const snapshotSchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  /** Open set: AVAILABLE, CREATING, ERROR… */
  status: z.string(),
  /** GiB. */
  size: z.number().optional(),
  volumeId: z.string(),
  labels: labelsSchema,
});

export type CloudSnapshot = z.infer<typeof snapshotSchema>;

export interface Snapshots {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudSnapshot[]>;
  get(id: string, signal: AbortSignal): Promise<CloudSnapshot | undefined>;
  create(
    snapshot: { readonly volumeId: string; readonly name: string; readonly labels: Labels },
    signal: AbortSignal,
  ): Promise<CloudSnapshot>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export function snapshotsOf(api: Api): Snapshots {
  const path = `${api.prefix}/snapshots`;
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  return {
    async list(labels, signal) {
      return (
        await api.read(
          listOf(snapshotSchema),
          { operation: 'list snapshots', method: 'GET', path, query: selectorQuery(labels) },
          signal,
        )
      ).items;
    },
    get: (id, signal) =>
      api.find(snapshotSchema, { operation: `read snapshot ${id}`, method: 'GET', path: one(id) }, signal),
    create: (snapshot, signal) =>
      api.read(
        snapshotSchema,
        {
          operation: `create snapshot ${snapshot.name} of volume ${snapshot.volumeId}`,
          method: 'POST',
          path,
          json: snapshot,
        },
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete snapshot ${id}`, path: one(id) }, signal),
  };
}
