import type { EgressAddress } from '../../../workers/caller-address.ts';
import { retryContext, type RetryContext, type RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import { openCloud, type OpenStackCloud } from '../client/open-cloud.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface OpenStackContext extends RetryContextOptions {
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** One endpoint. */
export interface OpenStackSession extends RetryContext {
  readonly cloud: OpenStackCloud;
  readonly context: OpenStackContext;
}

/** @throws `general.invalid-input` when the connection lacks a key */
export function openSession(connection: unknown, context: OpenStackContext): OpenStackSession {
  const surroundings = retryContext(context);
  const { clock, random, timing } = surroundings;
  return {
    ...surroundings,
    context,
    cloud: openCloud(connection, { clock, random, backOff: timing.backOff, requestMs: timing.requestMs }),
  };
}
