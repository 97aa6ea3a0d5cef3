import type * as Msal from '@azure/msal-node';
import type { SdkHttp } from './sdk-http.ts';

type SdkRequest = Parameters<SdkHttp['sendRequest']>[0];

/** Of one request, where nobody can call it off. */
const deadlineMs = 60_000;

/**
 * The vendor's sign-in library over the same requests as its other libraries.
 *
 * @param isInsecureAllowed for the address of the machine itself, which has no TLS
 */
export function signInHttp(
  http: SdkHttp,
  signal: AbortSignal | undefined,
  isInsecureAllowed = false,
): Msal.INetworkModule {
  async function send<T>(
    method: 'GET' | 'POST',
    url: string,
    given: Msal.NetworkRequestOptions = {},
  ): Promise<Msal.NetworkResponse<T>> {
    const sent = given.headers ?? {};
    const request = {
      url,
      method,
      headers: { toJSON: () => sent },
      timeout: 0,
      withCredentials: false,
      requestId: '',
      abortSignal: signal ?? AbortSignal.timeout(deadlineMs),
      allowInsecureConnection: isInsecureAllowed,
      ...(given.body === undefined ? {} : { body: given.body }),
    };
    const { status, headers, bodyAsText } = await http.sendRequest(request as unknown as SdkRequest);
    return { status, headers: headers.toJSON(), body: (jsonOf(bodyAsText ?? '') ?? {}) as T };
  }
  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  };
}

/** Undefined: it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
