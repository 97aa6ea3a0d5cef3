import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import type { HttpClient } from '../../../http/http-client.ts';
import { createJsonApi, type JsonApi } from '../../../http/json-api.ts';

/** The IaaS API (version 2) as one project of one region sees it. */
export interface Api extends JsonApi {
  readonly projectId: string;
  readonly region: string;
  /** `/v2/projects/{projectId}/regions/{region}` */
  readonly prefix: string;
}

export function createApi(client: HttpClient, projectId: string, region: string): Api {
  return {
    projectId,
    region,
    prefix: `/v2/projects/${encodeURIComponent(projectId)}/regions/${encodeURIComponent(region)}`,
    ...createJsonApi(client),
  };
}

/** Lists come as `{items}`. */
export function listOf<S extends z.ZodType>(item: S): z.ZodObject<{ items: z.ZodArray<S> }> {
  return z.object({ items: z.array(item) });
}

export const labelsSchema = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((labels) => labels ?? {});

/** The query that picks resources with all of these labels; none given picks all. */
export function selectorQuery(labels: Labels | undefined): Readonly<Record<string, string>> {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? {} : { label_selector: pairs.join(',') };
}
