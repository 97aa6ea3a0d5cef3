import type { EgressAddress } from '../../workers/caller-address.ts';
import type { RetryContextOptions } from '../../cloud-resources/retry-context.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface EuropeanCloudContext extends RetryContextOptions {
  readonly endpoints?: { readonly iaasUrl?: string; readonly tokenUrl?: string };
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}
