import { retryContext, type RetryContext, type RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import { createHttpClient } from '../../../http/http-client.ts';
import { createTransport } from '../../../http/transport.ts';
import type { EgressAddress } from '../../../workers/caller-address.ts';
import { agentPort, sshPort } from '../../../workers/worker-ports.ts';
import { computeOf, type Compute } from './compute.ts';
import { computeApi } from './compute-api.ts';
import { parseConnection, type ClassicConnection } from './connection.ts';
import { networkOf, type Network } from './network.ts';
import { cookieSession } from './sign-in.ts';
import { storageOf, type Storage } from './storage.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface ClassicContext extends RetryContextOptions {
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** One account at one site. All calls throw `CausewayError` with `cloud.*` codes. */
export interface Classic extends RetryContext {
  readonly connection: ClassicConnection;
  readonly context: ClassicContext;
  readonly storage: Storage;
  readonly compute: Compute;
  readonly network: Network;
  /** Signs in now. */
  signIn(signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Opens nothing yet.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function openClassic(connection: unknown, context: ClassicContext = {}): Classic {
  const parsed = parseConnection(connection);
  const around = retryContext(context);
  const { clock, random, timing } = around;
  const transport = createTransport({ caCertificate: parsed.caCertificate });
  const options = { transport, clock, random, backOff: timing.backOff, timeoutMs: timing.requestMs };
  const session = cookieSession(parsed, options, clock);
  const api = computeApi(
    createHttpClient({
      ...options,
      baseUrl: parsed.apiUrl,
      authorize: session.authorize,
      authorizationHeader: 'cookie',
    }),
  );
  return {
    ...around,
    connection: parsed,
    context,
    storage: storageOf(api, parsed),
    compute: computeOf(api, parsed),
    network: networkOf(api, parsed),
    async signIn(signal) {
      await session.authorize(false, signal);
    },
    close() {
      session.forget();
      transport.close();
    },
  };
}

/** Where a port of a worker is reached from here: as the context says, else at the port that the connection maps it to. */
export function workerEndpoint(
  { context, connection }: Classic,
  address: string,
  port: number,
): { readonly host: string; readonly port: number } {
  if (context.resolveAddress !== undefined) return context.resolveAddress(address, port);
  const mapped = { [sshPort]: connection.workerSshPort, [agentPort]: connection.workerHttpsPort }[port];
  return { host: address, port: mapped ?? port };
}
