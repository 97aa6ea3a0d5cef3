import type { RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import { retryContext, type RetryContext } from '../../../cloud-resources/retry-context.ts';
import { createHttpClient } from '../../../http/http-client.ts';
import { createTransport } from '../../../http/transport.ts';
import { withApiErrors } from './api-error.ts';
import { blockStorageOf, type BlockStorage } from './block-storage.ts';
import { computeOf, type Compute } from './compute.ts';
import { parseConnection, type OciConnection, type ServiceName } from './connection.ts';
import {
  identityServiceOf,
  limitsOf,
  workRequestsOf,
  type IdentityService,
  type Limits,
  type WorkRequests,
} from './identity.ts';
import { imagesOf, objectsOf, type Images, type Objects } from './images.ts';
import { networkOf, type Network } from './network.ts';
import { signingTransport } from './request-signature.ts';
import { createServiceApi, type ServiceApi } from './service-api.ts';
import { identityOf } from './sign-in.ts';
import { volumeBackupsOf, type VolumeBackups } from './volume-backups.ts';

/** One tenancy in one region. All calls throw `CausewayError` with `cloud.*` codes. */
export interface Oci extends RetryContext {
  readonly connection: OciConnection;
  readonly volumes: BlockStorage;
  readonly backups: VolumeBackups;
  readonly compute: Compute;
  readonly network: Network;
  readonly images: Images;
  readonly objects: Objects;
  readonly identity: IdentityService;
  readonly limits: Limits;
  readonly workRequests: WorkRequests;
  tenancy(signal: AbortSignal): Promise<string>;
  /** Makes the key that requests are signed with, to see whether the credentials can be read. Its id, without a token. */
  signIn(signal: AbortSignal): Promise<string>;
  close(): void;
}

export interface OpenOciOptions extends RetryContextOptions {
  /** Where an instance finds its certificate, for tests. */
  readonly metadataUrl?: string;
}

/**
 * Opens nothing yet.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function openOci(connection: unknown, options: OpenOciOptions = {}): Oci {
  const parsed = parseConnection(connection);
  const around = retryContext(options);
  const { clock, random, timing } = around;
  const transport = createTransport({ caCertificate: parsed.caCertificate });
  const identity = identityOf(parsed, transport, around, options.metadataUrl);
  const signed = signingTransport(transport, identity.keys, clock);
  const service = (name: ServiceName): ServiceApi =>
    createServiceApi(
      withApiErrors(
        createHttpClient({
          baseUrl: parsed.serviceUrl(name),
          transport: signed,
          clock,
          random,
          backOff: timing.backOff,
          timeoutMs: timing.requestMs,
        }),
      ),
    );
  const core = service('iaas');
  return {
    ...around,
    connection: parsed,
    volumes: blockStorageOf(core),
    backups: volumeBackupsOf(core),
    compute: computeOf(core),
    network: networkOf(core),
    images: imagesOf(core),
    workRequests: workRequestsOf(core),
    objects: objectsOf(service('objectstorage')),
    identity: identityServiceOf(service('identity')),
    limits: limitsOf(service('limits')),
    tenancy: identity.tenancy,
    async signIn(signal) {
      const { keyId } = await identity.keys(false, signal);
      return keyId.startsWith('ST$') ? 'a session token' : `key ${keyId.split('/').at(-1) ?? ''}`;
    },
    close: () => transport.close(),
  };
}
