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
