import type { AccessToken, TokenCredential } from '@azure/identity';
import type * as Msal from '@azure/msal-node';
import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { abortable } from '../../../concurrency/abortable.ts';
import type { PersonSignIn, SignInStore } from '../../../ports/platform-context.ts';
import type { AzureConnection } from './connection.ts';
import { safeText } from './sdk-error.ts';
import type { SdkHttp } from './sdk-http.ts';
import { jsonOf, signInHttp } from './sign-in-http.ts';

/** What people sign in to when the endpoint names no application: that of the vendor's own command line tool, which every directory knows. */
const usualClientId = '04b07795-8ddb-461a-bbee-02f9e1bf7b46';

/**
 * What a sign-in leaves: the account and what renews its tokens. It is for one directory and one application, and of no use to
 * an endpoint that was changed to another one.
 */
const sessionSchema = z.object({ authority: z.string(), clientId: z.string(), cache: z.string() });

/** Tokens of the person who signed in by a device code. The session is read from the store when it is first needed. */
export function personCredential(
  connection: AzureConnection,
  http: SdkHttp,
  store: SignInStore | undefined,
): TokenCredential {
  let opened: Promise<{ readonly app: Msal.PublicClientApplication; readonly account: Msal.AccountInfo }> | undefined;
  let pending: Promise<AccessToken> | undefined;

  async function open() {
    const cache = await readSession(connection, store);
    // A renewed session that cannot be kept, e.g. in a vault that was locked since, is good for this process; the former one stays good as well.
    const app = await application(connection, http, {
      signal: undefined,
      cache,
      changed: (text) => saveSession(connection, store, text).catch(() => undefined),
    });
    const [account] = await app.getTokenCache().getAllAccounts();
    if (account === undefined) throw signInNeeded('nobody has signed in');
    return { app, account };
  }

  async function token(scopes: readonly string[]): Promise<AccessToken> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    const { app, account } = await opened;
    try {
      const answer = await app.acquireTokenSilent({ account, scopes: [...scopes] });
      return { token: answer.accessToken, expiresOnTimestamp: answer.expiresOn?.getTime() ?? Date.now() };
    } catch (error) {
      throw sessionEnded(error) ?? error;
    }
  }

  return {
    async getToken(scopes, options) {
      // Shared by all requests that need one at the same time: each renewal replaces what the next one is made with.
      pending ??= token([scopes].flat()).finally(() => {
        pending = undefined;
      });
      return abortable(
        pending,
        options?.abortSignal instanceof AbortSignal ? options.abortSignal : new AbortController().signal,
      );
    },
  };
}

/** Asks for a code. A person enters it in a browser, on whatever computer; `finished` resolves once that has happened. */
export async function startPersonSignIn(
  connection: AzureConnection,
  http: SdkHttp,
  store: SignInStore,
  signal: AbortSignal,
): Promise<PersonSignIn> {
  if (connection.signIn !== 'device_code')
    throw new CausewayError('general.invalid-input', 'the endpoint signs in without a person', {
      details: { parameter: 'sign_in' },
    });
  let session: string | undefined;
  const app = await application(connection, http, {
    signal,
    cache: undefined,
    changed: async (text) => void (session = text),
  });
  const code = Promise.withResolvers<Omit<PersonSignIn, 'finished'>>();
  const request: Msal.DeviceCodeRequest = {
    scopes: [`${connection.profile.audience}/.default`],
    deviceCodeCallback: ({ userCode, verificationUri, expiresIn }) => {
      if (!isWebAddress(verificationUri))
        return code.reject(
          new CausewayError('cloud.unexpected-answer', 'sign in: the address for the code is not an https:// address'),
        );
      code.resolve({
        code: userCode,
        address: verificationUri,
        expiresAt: new Date(Date.now() + expiresIn * 1000).toISOString(),
      });
    },
  };
  const stop = (): void => {
    request.cancel = true;
  };
  signal.addEventListener('abort', stop, { once: true });
  const finish = async (): Promise<{ readonly account: string }> => {
    try {
      const answer = await app.acquireTokenByDeviceCode(request);
      signal.throwIfAborted();
      const account = answer?.account;
      if (account === undefined || account === null || session === undefined)
        throw new CausewayError('cloud.unexpected-answer', 'sign in: no account came with the token');
      await saveSession(connection, store, session);
      return { account: account.username };
    } catch (error) {
      throw signal.aborted ? signal.reason : (notCompleted(error) ?? error);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  // The library looks at a cancellation only before its next question.
  const finished = abortable(finish(), signal);
  finished.catch((error: unknown) => code.reject(error));
  return { ...(await abortable(code.promise, signal)), finished };
}

interface Memory {
  /** Ends all requests; without one, each has a deadline of its own. */
  readonly signal: AbortSignal | undefined;
  readonly cache: string | undefined;
  changed(cache: string): Promise<void>;
}

async function application(
  { tenant, clientId, profile, isCustomCloud }: AzureConnection,
  http: SdkHttp,
  { signal, cache, changed }: Memory,
): Promise<Msal.PublicClientApplication> {
  const { PublicClientApplication } = await import('@azure/msal-node');
  let isRead = false;
  let kept = cache;
  return new PublicClientApplication({
    auth: {
      clientId: clientId ?? usualClientId,
      authority: authorityOf({ tenant, profile }),
      // A cloud of one's own is not on the vendor's list of clouds, which could not be reached from there anyway.
      ...(isCustomCloud ? { knownAuthorities: [new URL(profile.activeDirectory).host] } : {}),
    },
    cache: {
      cachePlugin: {
        async beforeCacheAccess({ tokenCache }) {
          // Once: access tokens are only in memory, and reading again would lose them.
          if (!isRead && cache !== undefined) tokenCache.deserialize(cache);
          isRead = true;
        },
        async afterCacheAccess({ cacheHasChanged, tokenCache }) {
          const now = cacheHasChanged ? withoutAccessTokens(tokenCache.serialize()) : kept;
          if (now === undefined || now === kept) return;
          kept = now;
          await changed(now);
        },
      },
    },
    system: { networkClient: signInHttp(http, signal) },
  });
}

/** Those expire within the hour; what is kept is what gets new ones. */
function withoutAccessTokens(cache: string): string {
  const { AccessToken: _short, ...rest } = JSON.parse(cache) as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest);
}

function authorityOf({ tenant, profile }: Pick<AzureConnection, 'tenant' | 'profile'>): string {
  return `${profile.activeDirectory}/${tenant ?? 'organizations'}`;
}

async function readSession(connection: AzureConnection, store: SignInStore | undefined): Promise<string | undefined> {
  const text = await store?.read();
  if (text === undefined) return undefined;
  const parsed = sessionSchema.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const { authority, clientId, cache } = parsed.data;
  return authority === authorityOf(connection) && clientId === (connection.clientId ?? usualClientId)
    ? cache
    : undefined;
}

async function saveSession(connection: AzureConnection, store: SignInStore | undefined, cache: string): Promise<void> {
  await store?.save(
    JSON.stringify({ authority: authorityOf(connection), clientId: connection.clientId ?? usualClientId, cache }),
  );
}

const isWebAddress = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === 'https:';

function signInNeeded(evidence: string): CausewayError {
  return new CausewayError('cloud.sign-in-needed', `sign-in: ${evidence}`);
}

/** The directory wants the person again: the session is too old, its password was changed, an administrator ended it. */
function sessionEnded(error: unknown): CausewayError | undefined {
  if (!(error instanceof Error) || !('errorCode' in error)) return undefined;
  const ended =
    error.name === 'InteractionRequiredAuthError' ||
    error.errorCode === 'invalid_grant' ||
    error.errorCode === 'no_tokens_found';
  return ended
    ? signInNeeded(
        /AADSTS\d+[^\r\n]*?(?= Trace ID| - Correlation|[\r\n]|$)/.exec(safeText(error.message))?.[0] ??
          'the session has ended',
      )
    : undefined;
}

const outcomes: readonly (readonly [RegExp, string])[] = [
  [/authorization_declined/, 'the sign-in was declined in the browser'],
  [/expired_token|code_expired|device_code_expired/, 'the code was not used in time'],
  [/bad_verification_code/, 'the directory does not know the code any more'],
];

function notCompleted(error: unknown): CausewayError | undefined {
  if (!(error instanceof Error) || error instanceof CausewayError) return undefined;
  const said = `${'errorCode' in error ? String(error.errorCode) : ''} ${'subError' in error ? String(error.subError) : ''} ${error.message}`;
  const outcome = outcomes.find(([pattern]) => pattern.test(said));
  return outcome === undefined ? undefined : new CausewayError('cloud.sign-in-incomplete', outcome[1]);
}
