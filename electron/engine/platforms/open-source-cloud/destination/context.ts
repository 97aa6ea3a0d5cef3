import type { EgressAddress } from '../../../cloud-destination/caller-address.ts';
import { surroundingsOf, type Surroundings, type SurroundingsOptions } from '../../../cloud-destination/timing.ts';
import { openCloud, type OpenStackCloud } from '../client/open-cloud.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface OpenStackContext extends SurroundingsOptions {
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** One endpoint. */
export interface OpenStackSession extends Surroundings {
  readonly cloud: OpenStackCloud;
  readonly context: OpenStackContext;
}

/** @throws `general.invalid-input` when the connection lacks a key */
export function openSession(connection: unknown, context: OpenStackContext): OpenStackSession {
  const surroundings = surroundingsOf(context);
  const { clock, random, timing } = surroundings;
  return { ...surroundings, context, cloud: openCloud(connection, { clock, random, backOff: timing.backOff, requestMs: timing.requestMs }) };
}
