import type { BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import { createHttpClient, type HttpClient } from '../../../http/http-client.ts';
import { defaultBackOff } from '../../../http/retry-after.ts';
import { createTokenKeeper } from '../../../http/token-keeper.ts';
import { createTransport } from '../../../http/transport.ts';
import { computeOf, type Compute } from './compute.ts';
import { parseConnection, type OpenStackConnection, type ServiceKind } from './connection.ts';
import { signIn, type Identity } from './identity.ts';
import { imageServiceOf, type ImageService } from './image.ts';
import { networkServiceOf, type NetworkService } from './network.ts';
import { objectStoreOf, type ObjectStore } from './object-store.ts';
import { createServiceApi, type ServiceApi } from './service-api.ts';
import { serviceUrl } from './service-catalog.ts';
import { volumeServiceOf, type VolumeService } from './volume.ts';

/** The versions of the interfaces that are spoken, those of the Stein release (2019): every cloud since then has them. */
export const spokenVersions = { compute: '2.72', volume: '3.59' } as const;

export interface CloudOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backOff?: BackOff;
  /** Milliseconds for one attempt of a request. */
  readonly requestMs?: number;
}

/** One project of an OpenStack cloud, signed in at its first use. */
export interface OpenStackCloud {
  readonly connection: OpenStackConnection;
  readonly compute: Compute;
  readonly volume: VolumeService;
  readonly network: NetworkService;
  readonly image: ImageService;
  readonly objectStore: ObjectStore;
  /** Who is signed in, to which project, with which roles and services. */
  identity(signal: AbortSignal): Promise<Identity>;
  /** The URL of a service. @throws `cloud.service-missing` */
  url(service: ServiceKind, signal: AbortSignal): Promise<string>;
  close(): void;
}

/**
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function openCloud(connection: unknown, options: CloudOptions = {}): OpenStackCloud {
  const parsed = parseConnection(connection);
  const clock = options.clock ?? systemClock;
  const shared = {
    clock,
    random: options.random ?? Math.random,
    backOff: options.backOff ?? defaultBackOff,
    timeoutMs: options.requestMs ?? 60_000,
  };
  const { caCertificate } = parsed;
  const transport = createTransport({ caCertificate, allowUntrusted: parsed.allowUntrusted });
  const objectTransport = createTransport({ caCertificate, allowUntrusted: parsed.allowUntrustedObjectStore });
  let identityClient: HttpClient | undefined;
  const keeper = createTokenKeeper({
    clock,
    async fetch(signal) {
      identityClient ??= createHttpClient({ ...shared, transport, baseUrl: parsed.identityUrl });
      const token = await signIn(identityClient, parsed.credentials, clock, signal);
      return { token, lifeMs: token.lifeMs };
    },
  });
  const authorize = async (renew: boolean, signal: AbortSignal): Promise<string> => (await keeper(renew, signal)).token;
  const identity = (signal: AbortSignal): Promise<Identity> => keeper(false, signal);
  const url = async (kind: ServiceKind, signal: AbortSignal): Promise<string> =>
    serviceUrl(await identity(signal), parsed, kind);

  function service(kind: ServiceKind, headers: Readonly<Record<string, string>> = {}): ServiceApi {
    let client: HttpClient | undefined;
    return createServiceApi(async (signal) => {
      client ??= createHttpClient({
        ...shared,
        authorize,
        authorizationHeader: 'x-auth-token',
        baseUrl: await url(kind, signal),
        transport: kind === 'objectstore' ? objectTransport : transport,
      });
      return client;
    }, headers);
  }

  return {
    connection: parsed,
    compute: computeOf(service('compute', { 'openstack-api-version': `compute ${spokenVersions.compute}` })),
    volume: volumeServiceOf(service('volume', { 'openstack-api-version': `volume ${spokenVersions.volume}` })),
    network: networkServiceOf(service('network')),
    image: imageServiceOf(service('image')),
    objectStore: objectStoreOf(service('objectstore')),
    identity,
    url,
    close() {
      transport.close();
      objectTransport.close();
    },
  };
}
