import { retryContext, type RetryContext, type RetryContextOptions } from '../../cloud-resources/retry-context.ts';
import { createHttpClient, type HttpClient } from '../../http/http-client.ts';
import { createTransport } from '../../http/transport.ts';
import type { EgressAddress } from '../../workers/caller-address.ts';
import { defaultTokenUrl, parseConnection, type EuropeanCloudConnection } from './connection.ts';
import { createIaas, type Iaas } from './iaas/iaas.ts';
import { createKeyFlow } from './key-flow.ts';
import { readServiceAccountKey, type ServiceAccountKey } from './service-account-key.ts';

/** What surrounds the adapter. All of it has a sensible default. */
export interface EuropeanCloudContext extends RetryContextOptions {
  readonly endpoints?: { readonly iaasUrl?: string; readonly tokenUrl?: string };
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** One signed-in endpoint. */
export interface CloudSession extends RetryContext {
  readonly connection: EuropeanCloudConnection;
  readonly context: EuropeanCloudContext;
  /** @throws `cloud.key-unreadable` */
  key(): ServiceAccountKey;
  /** The API as a project sees it; the endpoint's own one when none is named. */
  iaas(projectId?: string): Iaas;
  /** Fetches an access token, to see whether the credentials are accepted. */
  signIn(signal: AbortSignal): Promise<void>;
  close(): void;
}

export function openSession(connection: unknown, context: EuropeanCloudContext): CloudSession {
  const parsed = parseConnection(connection, {
    iaasUrl: context.endpoints?.iaasUrl,
    tokenUrl: context.endpoints?.tokenUrl,
  });
  const surroundings = retryContext(context);
  const { clock, random, timing } = surroundings;
  const transport = createTransport({ caCertificate: parsed.caCertificate });
  const shared = { clock, random, backOff: timing.backOff, timeoutMs: timing.requestMs, transport };
  let read: ServiceAccountKey | undefined;
  const key = (): ServiceAccountKey => (read ??= readServiceAccountKey(parsed.serviceAccountKey, parsed.privateKey));
  let tokens: HttpClient | undefined;
  const tokenClient: HttpClient = {
    get host() {
      return (tokens ??= createHttpClient({ ...shared, baseUrl: parsed.tokenUrl ?? key().tokenUrl ?? defaultTokenUrl }))
        .host;
    },
    // Made at its first use: the key says where its tokens come from, and a bad key is for the check to report.
    request: (request, signal) =>
      (tokens ??= createHttpClient({
        ...shared,
        baseUrl: parsed.tokenUrl ?? key().tokenUrl ?? defaultTokenUrl,
      })).request(request, signal),
  };
  const authorize = createKeyFlow({ key, client: tokenClient, clock, random, backOff: timing.backOff });
  let client: HttpClient | undefined;
  const projects = new Map<string, Iaas>();
  return {
    ...surroundings,
    connection: parsed,
    context,
    key,
    iaas(projectId = parsed.projectId) {
      client ??= createHttpClient({ ...shared, baseUrl: parsed.iaasUrl, authorize });
      const iaas = projects.get(projectId) ?? createIaas(client, projectId, parsed.region);
      projects.set(projectId, iaas);
      return iaas;
    },
    async signIn(signal) {
      await authorize(false, signal);
    },
    close: () => transport.close(),
  };
}
