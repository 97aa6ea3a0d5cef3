import type { EgressAddress } from '../../cloud-destination/caller-address.ts';
import type { SurroundingsOptions } from '../../cloud-destination/timing.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface EuropeanCloudContext extends SurroundingsOptions {
  readonly endpoints?: { readonly iaasUrl?: string; readonly tokenUrl?: string };
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}
