import { z } from 'zod';
import { isStatus } from '../../../http/http-error.ts';
import type { ServiceApi } from './service-api.ts';

const compartmentSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  lifecycleState: z.string().nullish(),
  compartmentId: z.string().nullish(),
});
const domainSchema = z.looseObject({ name: z.string(), id: z.string().nullish() });
const availabilitySchema = z.looseObject({ used: z.number().nullish(), available: z.number().nullish() });
const workRequestSchema = z.looseObject({
  id: z.string(),
  operationType: z.string(),
  status: z.string(),
  percentComplete: z.number().nullish(),
});
const workErrorSchema = z.looseObject({ code: z.string(), message: z.string() });

export type Compartment = z.infer<typeof compartmentSchema>;
export type AvailabilityDomain = z.infer<typeof domainSchema>;
export type WorkRequest = z.infer<typeof workRequestSchema>;

export interface IdentityService {
  /** The tenancy itself, which is the root compartment, and all compartments below it that can be seen. */
  compartments(tenancy: string, signal: AbortSignal): Promise<readonly Compartment[]>;
  availabilityDomains(compartmentId: string, signal: AbortSignal): Promise<readonly AvailabilityDomain[]>;
}

export function identityServiceOf(api: ServiceApi): IdentityService {
  const base = '/20160918';
  return {
    async compartments(tenancy, signal) {
      const below = await api.list(
        compartmentSchema,
        'list compartments',
        `${base}/compartments`,
        { compartmentId: tenancy, compartmentIdInSubtree: 'true', accessLevel: 'ACCESSIBLE' },
        signal,
      );
      const root = await api.find(
        compartmentSchema,
        { operation: 'read the tenancy', method: 'GET', path: `${base}/compartments/${encodeURIComponent(tenancy)}` },
        signal,
      );
      return [
        { id: tenancy, name: root?.name ?? 'root' },
        ...below.filter(({ id, lifecycleState }) => id !== tenancy && (lifecycleState ?? 'ACTIVE') === 'ACTIVE'),
      ];
    },
    availabilityDomains: (compartmentId, signal) =>
      api.list(domainSchema, 'list availability domains', `${base}/availabilityDomains`, { compartmentId }, signal),
  };
}

export interface Limits {
  /** How much of a service limit is used and left; undefined where the service does not say, or not to this user. */
  availability(
    service: string,
    limit: string,
    of: { readonly compartmentId: string; readonly availabilityDomain: string },
    signal: AbortSignal,
  ): Promise<{ readonly limit: number; readonly usage: number } | undefined>;
}

export function limitsOf(api: ServiceApi): Limits {
  return {
    async availability(service, limit, of, signal) {
      const path = `/20190729/services/${encodeURIComponent(service)}/limits/${encodeURIComponent(limit)}/resourceAvailability`;
      try {
        const { used, available } = await api.read(
          availabilitySchema,
          { operation: `read limit ${limit}`, method: 'GET', path, query: { ...of } },
          signal,
        );
        return typeof available !== 'number' ? undefined : { limit: (used ?? 0) + available, usage: used ?? 0 };
      } catch (error) {
        if (isStatus(error, 400, 403, 404)) return undefined;
        throw error;
      }
    },
  };
}

export interface WorkRequests {
  get(id: string, signal: AbortSignal): Promise<WorkRequest | undefined>;
  /** The cloud's words for why something that was accepted came to nothing; undefined: it did not, or nobody knows. */
  failureOf(compartmentId: string, resourceId: string, signal: AbortSignal): Promise<string | undefined>;
  errors(id: string, signal: AbortSignal): Promise<string>;
}

export function workRequestsOf(api: ServiceApi): WorkRequests {
  const path = '/20160918/workRequests';
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  async function errors(id: string, signal: AbortSignal): Promise<string> {
    const all = await api.list(workErrorSchema, `list errors of work request ${id}`, `${one(id)}/errors`, {}, signal);
    return all.length === 0
      ? 'the cloud gave no reason'
      : all.map(({ code, message }) => `${message} (${code})`).join('; ');
  }
  return {
    errors,
    get: (id, signal) =>
      api.find(workRequestSchema, { operation: `read work request ${id}`, method: 'GET', path: one(id) }, signal),
    async failureOf(compartmentId, resourceId, signal) {
      const all = await api.list(
        workRequestSchema,
        `list work requests of ${resourceId}`,
        path,
        { compartmentId, resourceId },
        signal,
      );
      const failed = all.find(({ status }) => status === 'FAILED');
      return failed === undefined ? undefined : errors(failed.id, signal);
    },
  };
}
