import type * as Identity from '@azure/identity';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { statusError } from '../../../http/http-error.ts';
import type { SignInStore } from '../../../ports/platform-context.ts';
import type { AzureConnection, SignInWay } from './connection.ts';
import { personCredential } from './person-sign-in.ts';
import { anyOperation, type SdkHttp } from './sdk-http.ts';
import { vmIdentity } from './vm-identity.ts';

/** How the endpoint signs in. Loads the vendor's library; sends nothing yet. */
export async function credentialOf(
  connection: AzureConnection,
  http: SdkHttp,
  store?: SignInStore,
): Promise<Identity.TokenCredential> {
  const watched = watch(http);
  const credential = await open(connection, watched.http, store);
  return {
    async getToken(scopes, options) {
      watched.forget();
      try {
        return await credential.getToken(scopes, options);
      } catch (error) {
        throw watched.failure() ?? error;
      }
    },
  };
}

async function open(
  connection: AzureConnection,
  http: SdkHttp,
  store: SignInStore | undefined,
): Promise<Identity.TokenCredential> {
  const { signIn, clientId } = connection;
  if (signIn === 'device_code') return personCredential(connection, http, store);
  return signIn === 'managed_identity'
    ? vmIdentity(clientId, http)
    : made(await import('@azure/identity'), signIn, connection, http);
}

/** The library says no more than that there was a failure when a service of the directory was not reached or was out of order. */
function watch(http: SdkHttp): {
  readonly http: SdkHttp;
  readonly failure: () => CausewayError | undefined;
  readonly forget: () => void;
} {
  let failure: CausewayError | undefined;
  return {
    http: {
      async sendRequest(request) {
        try {
          const answer = await http.sendRequest(request);
          failure =
            answer.status >= 500 || answer.status === 429
              ? statusError({ operation: anyOperation, method: 'POST', path: '' }, answer.status, undefined)
              : undefined;
          return answer;
        } catch (error) {
          failure = error instanceof CausewayError ? error : undefined;
          throw error;
        }
      },
    },
    failure: () => failure,
    forget: () => {
      failure = undefined;
    },
  };
}

function made(
  identity: typeof Identity,
  way: Exclude<SignInWay, 'device_code' | 'managed_identity'>,
  connection: AzureConnection,
  httpClient: SdkHttp,
): Identity.TokenCredential {
  const { tenant = '', clientId = '', clientSecret, clientCertificate, profile } = connection;
  // A cloud of one's own is not on the vendor's list of clouds, which could not be reached from there anyway.
  const options = {
    authorityHost: profile.activeDirectory,
    disableInstanceDiscovery: connection.isCustomCloud,
    httpClient,
    retryOptions: { maxRetries: 0 },
  };
  switch (way) {
    case 'client_secret':
      return new identity.ClientSecretCredential(tenant, clientId, clientSecret ?? '', options);
    case 'client_certificate':
      requirePem(clientCertificate ?? '');
      return new identity.ClientCertificateCredential(
        tenant,
        clientId,
        { certificate: clientCertificate ?? '' },
        options,
      );
    case 'cli':
      // The vendor's command line tool is signed in by the person who runs Causeway.
      return new identity.AzureCliCredential({
        ...(connection.tenant === undefined ? {} : { tenantId: connection.tenant }),
        subscription: connection.subscriptionId,
      });
  }
}

function requirePem(text: string): void {
  if (/-----BEGIN CERTIFICATE-----/.test(text) && /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(text)) return;
  throw new CausewayError(
    'cloud.key-unreadable',
    'the client certificate needs a certificate and its private key, both as PEM',
    { details: { parameter: 'client_certificate' } },
  );
}
