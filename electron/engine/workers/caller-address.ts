import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { formatIpv4, isPrivateIpv4, parseCidr, parseIp } from '../../../shared/model/ip-address.ts';

/** From which addresses workers will be reached, as CIDR ranges; empty when that can't be known. */
export type EgressAddress = (
  question: {
    /** Whether the worker has a public address. */
    readonly publicAddress: boolean;
    /** An address that is routed in the same way as the worker's will be. */
    readonly probeHost: string;
  },
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** What is known of the caller before any worker is. */
export interface Caller {
  /** As the connection says it: addresses or ranges. */
  readonly addresses: readonly string[];
  readonly egressAddress: EgressAddress | undefined;
  /** A host that is reached as workers with public addresses are. */
  readonly publicHost: string;
}

/** What has to be known of a worker to tell from where it will be reached. */
export interface WorkerNetwork {
  readonly publicAddress: boolean;
  readonly prefixes: readonly string[];
  readonly gateway?: string | undefined;
}

/**
 * From where workers will be reached: as the connection says, else as the context says, else as the system routes.
 *
 * @throws `cloud.caller-address-unknown`, `general.invalid-input`
 */
export async function callerRanges(
  caller: Caller,
  worker: WorkerNetwork,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (caller.addresses.length > 0) return caller.addresses.map(asRange);
  const probeHost = worker.publicAddress ? caller.publicHost : (worker.gateway ?? firstAddress(worker.prefixes));
  const known = await (caller.egressAddress ?? routedAddress)(
    { publicAddress: worker.publicAddress, probeHost },
    signal,
  );
  if (known.length > 0) return known.map(asRange);
  throw new CausewayError(
    'cloud.caller-address-unknown',
    worker.publicAddress
      ? 'workers get public addresses, but this computer has a private address: its public address is unknown'
      : `no route to ${probeHost}, the network of the workers`,
    { details: { publicAddress: worker.publicAddress, probeHost } },
  );
}

/**
 * The address that the system sends from on the way to a host. Connecting a datagram socket only picks the route;
 * nothing is sent. A private sender's address is not what a public worker sees,
 * unless the worker's own address is as private.
 */
export async function routedAddress(
  question: { readonly publicAddress: boolean; readonly probeHost: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = createSocket(isIP(question.probeHost) === 6 ? 'udp6' : 'udp4');
  socket.once('error', () => resolve(undefined));
  socket.connect(9, question.probeHost.replace(/^\[|\]$/g, ''), () => resolve(socket.address().address));
  const address = await promise;
  socket.close();
  const hidden =
    question.publicAddress && address !== undefined && isPrivateIpv4(address) && !isPrivateIpv4(question.probeHost);
  return address === undefined || hidden ? [] : [address];
}

function asRange(text: string): string {
  const address = parseIp(text);
  if (address === undefined) {
    throw new CausewayError('general.invalid-input', `caller_address: "${text}" is neither an address nor a range`, {
      details: { parameter: 'caller_address' },
    });
  }
  if (address.prefix === 0) {
    throw new CausewayError(
      'general.invalid-input',
      `caller_address must not be ${text}: it would open the worker to the internet`,
      { details: { parameter: 'caller_address' } },
    );
  }
  return `${address.text}/${address.prefix ?? (address.version === 6 ? 128 : 32)}`;
}

function firstAddress(prefixes: readonly string[]): string {
  const range = parseCidr(prefixes[0] ?? '');
  return range === undefined ? (prefixes[0] ?? '') : formatIpv4(range.first + 1);
}
