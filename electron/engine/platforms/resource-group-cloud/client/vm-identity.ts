import { AsyncLocalStorage } from 'node:async_hooks';
import type { TokenCredential } from '@azure/identity';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { SdkHttp } from './sdk-http.ts';
import { signInHttp } from './sign-in-http.ts';

/**
 * The library sends the requests of all endpoints through what the first one of the process gave it, which may be closed by then. So that
 * each goes its own way, that is a switch to the endpoint that is asking.
 */
const asking = new AsyncLocalStorage<SdkHttp>();
const switched: SdkHttp = {
  sendRequest: (request) =>
    asking.getStore()?.sendRequest(request) ??
    Promise.reject(new CausewayError('general.bug', 'nobody asks for the identity of this VM')),
};

/** The identity of the VM that this runs on, or the one with a client ID that is assigned to it. */
export async function vmIdentity(clientId: string | undefined, http: SdkHttp): Promise<TokenCredential> {
  const { ManagedIdentityApplication } = await import('@azure/msal-node');
  const identity = new ManagedIdentityApplication({
    ...(clientId === undefined ? {} : { managedIdentityIdParams: { userAssignedClientId: clientId } }),
    // Passing failures are repeated with all other requests.
    system: { networkClient: signInHttp(switched, undefined, true), disableInternalRetries: true },
  });
  return {
    async getToken(scopes) {
      const [scope = ''] = [scopes].flat();
      const { accessToken, expiresOn } = await asking.run(http, () => identity.acquireToken({ resource: scope }));
      return { token: accessToken, expiresOnTimestamp: expiresOn?.getTime() ?? Date.now() };
    },
  };
}
