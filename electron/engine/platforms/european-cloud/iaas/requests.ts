import { z } from 'zod';
import type { Api } from './api.ts';

const requestSchema = z.looseObject({
  status: z.string(),
  requestAction: z.string().optional(),
  details: z.string().optional(),
});

export type CloudRequest = z.infer<typeof requestSchema>;

/** Operations that the API accepted and works on. */
export interface Requests {
  get(id: string, signal: AbortSignal): Promise<CloudRequest | undefined>;
}

export function requestsOf(api: Api): Requests {
  return {
    get: (id, signal) =>
      api.find(
        requestSchema,
        { operation: `read request ${id}`, method: 'GET', path: `${api.prefix}/requests/${encodeURIComponent(id)}` },
        signal,
      ),
  };
}
