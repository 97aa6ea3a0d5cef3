import type { ComputeManagementClient } from '@azure/arm-compute';
import type { NetworkManagementClient } from '@azure/arm-network';
import type { ResourceManagementClient } from '@azure/arm-resources';
import type { StorageManagementClient } from '@azure/arm-storage';
import type { TokenCredential } from '@azure/identity';
import type { ContainerClient, PageBlobClient } from '@azure/storage-blob';
import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import {
  pollPlan,
  retryContext,
  type RetryContext,
  type RetryContextOptions,
} from '../../../cloud-resources/retry-context.ts';
import { statusError, isStatus } from '../../../http/http-error.ts';
import { createTransport } from '../../../http/transport.ts';
import type { PersonSignIn, SignInStore } from '../../../ports/platform-context.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import { parseConnection, type AzureConnection, type CloudProfile } from './connection.ts';
import { sdkError } from './sdk-error.ts';
import { asStorageHttp, createSdkHttp, type AnswerPlace, type SdkHttp } from './sdk-http.ts';
import { withFreshTokens } from './fresh-tokens.ts';
import { startPersonSignIn } from './person-sign-in.ts';
import { credentialOf } from './sign-in.ts';

export interface AzureOptions extends RetryContextOptions {
  /** What a person's sign-in left, for endpoints that people sign in to. */
  readonly signIn?: SignInStore | undefined;
}

interface RequestOptions {
  readonly abortSignal: AbortSignal;
}

/** A long-running operation as the libraries give it. */
interface Poller<T> {
  readonly isDone: boolean;
  readonly result: T | undefined;
  submitted(): Promise<void>;
  poll(options: RequestOptions): Promise<unknown>;
}

/**
 * One subscription. The vendor's libraries are loaded when they are used for the first time. All calls throw `CausewayError` with
 * `cloud.*` codes, never what a library throws.
 */
export interface AzureCloud extends RetryContext {
  readonly connection: AzureConnection;
  readonly profile: CloudProfile;
  compute(): Promise<ComputeManagementClient>;
  network(): Promise<NetworkManagementClient>;
  resources(): Promise<ResourceManagementClient>;
  storage(): Promise<StorageManagementClient>;
  /** One request. `operation` is what is done, in a few words with names: it stands in every error. */
  call<T>(operation: string, work: (options: RequestOptions) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The same for a single resource; undefined when there is none. */
  find<T>(
    operation: string,
    work: (options: RequestOptions) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | undefined>;
  /** All pages of a list. A resource group that is gone has nothing: what was in it went along. */
  list<T>(
    operation: string,
    work: (options: RequestOptions) => AsyncIterable<T>,
    signal: AbortSignal,
  ): Promise<readonly T[]>;
  /** Asks for a long-running operation and does not wait for its end. */
  submit(operation: string, work: (options: RequestOptions) => Poller<unknown>, signal: AbortSignal): Promise<void>;
  /** Asks for a deletion and does not wait for its end. What is not there is gone, be it with its whole resource group. */
  remove(operation: string, work: (options: RequestOptions) => Poller<unknown>, signal: AbortSignal): Promise<void>;
  /** Asks for a long-running operation and waits for its end. @throws `cloud.operation-failed`, `cloud.not-ready` */
  finish<T>(
    operation: string,
    work: (options: RequestOptions) => Poller<T>,
    signal: AbortSignal,
    deadlineMs?: number,
  ): Promise<T>;
  /** The page blob at a signed address. @param place where the one part goes that is asked for */
  pageBlob(signedUrl: string, place?: AnswerPlace): Promise<PageBlobClient>;
  /** A container of a storage account, by the identity that is signed in. */
  blobContainer(endpoint: string, container: string): Promise<ContainerClient>;
  /** All pages of a list of the resource manager that none of the libraries has. */
  armList<S extends z.ZodType>(
    operation: string,
    schema: S,
    path: string,
    apiVersion: string,
    signal: AbortSignal,
  ): Promise<readonly z.infer<S>[]>;
  /** Fetches an access token, to see whether the credentials are accepted. */
  signIn(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Of the data in storage accounts, in all clouds. */
const storageScope = 'https://storage.azure.com/.default';
const pageSchema = z.looseObject({ value: z.array(z.unknown()), nextLink: z.string().nullish() });

/**
 * Opens nothing yet.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function openAzure(connection: unknown, options: AzureOptions = {}): AzureCloud {
  const parsed = parseConnection(connection);
  const { profile, subscriptionId } = parsed;
  const around = retryContext(options);
  const transport = createTransport({ caCertificate: parsed.caCertificate });
  const plain = createSdkHttp(transport, around);
  let credential = once(() => credentialOf(parsed, plain, options.signIn));
  const scope = `${profile.audience}/.default`;
  const http = withFreshTokens(plain, async (within) => {
    // With a memory of its own: the one before would answer with the token that was refused.
    credential = once(() => credentialOf(parsed, plain, options.signIn));
    return tokenOf(await credential(), scope, within);
  });
  const storageHttp = withFreshTokens(plain, async (within) => {
    credential = once(() => credentialOf(parsed, plain, options.signIn));
    return tokenOf(await credential(), storageScope, within);
  });
  const clientOptions = clientOptionsOf(profile, http);
  const current: TokenCredential = {
    getToken: async (scopes, options) => (await credential()).getToken(scopes, options),
  };

  const compute = once(
    async () =>
      new (await import('@azure/arm-compute')).ComputeManagementClient(current, subscriptionId, clientOptions),
  );
  const network = once(
    async () =>
      new (await import('@azure/arm-network')).NetworkManagementClient(current, subscriptionId, clientOptions),
  );
  const resources = once(
    async () =>
      new (await import('@azure/arm-resources')).ResourceManagementClient(current, subscriptionId, clientOptions),
  );
  const storage = once(
    async () =>
      new (await import('@azure/arm-storage')).StorageManagementClient(current, subscriptionId, clientOptions),
  );

  async function call<T>(
    operation: string,
    work: (options: RequestOptions) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    try {
      return await work({ abortSignal: signal });
    } catch (thrown) {
      throw sdkError(operation, thrown, signal);
    }
  }

  return {
    ...around,
    connection: parsed,
    profile,
    compute,
    network,
    resources,
    storage,
    call,
    async find(operation, work, signal) {
      try {
        return await call(operation, work, signal);
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw error;
      }
    },
    async list(operation, work, signal) {
      try {
        return await call(operation, (inner) => collected(work(inner)), signal);
      } catch (error) {
        if (error instanceof CausewayError && error.details['code'] === 'ResourceGroupNotFound') return [];
        throw error;
      }
    },
    submit: (operation, work, signal) => call(operation, (inner) => work(inner).submitted(), signal),
    async remove(operation, work, signal) {
      try {
        await call(operation, (inner) => work(inner).submitted(), signal);
      } catch (error) {
        if (!isStatus(error, 404)) throw error;
      }
    },
    finish: <T>(
      operation: string,
      work: (inner: RequestOptions) => Poller<T>,
      signal: AbortSignal,
      deadlineMs = around.timing.serverMs,
    ) =>
      call(
        operation,
        async (inner) => {
          const poller = work(inner);
          await poller.submitted();
          return waitForState<T>(
            { operation },
            async (within) => {
              if (!poller.isDone) await poller.poll({ abortSignal: within });
              return poller.isDone ? { done: true, value: poller.result as T } : { done: false, state: 'running' };
            },
            pollPlan(around.timing, deadlineMs),
            around.clock,
            signal,
          );
        },
        signal,
      ),
    async pageBlob(signedUrl, place) {
      const { AnonymousCredential, PageBlobClient } = await import('@azure/storage-blob');
      return new PageBlobClient(signedUrl, new AnonymousCredential(), {
        httpClient: asStorageHttp(http, place),
        retryOptions: { maxTries: 1 },
      });
    },
    async blobContainer(endpoint, container) {
      const { ContainerClient } = await import('@azure/storage-blob');
      return new ContainerClient(`${endpoint.replace(/\/+$/, '')}/${container}`, current, {
        httpClient: asStorageHttp(storageHttp),
        retryOptions: { maxTries: 1 },
      });
    },
    armList: (operation, schema, path, apiVersion, signal) =>
      call(
        operation,
        async (inner) => {
          const all: z.infer<typeof schema>[] = [];
          let url = new URL(`${profile.resourceManager}${path}`);
          url.searchParams.set('api-version', apiVersion);
          for (;;) {
            const token = await tokenOf(await credential(), scope, inner);
            const page = pageSchema.safeParse(await getJson(http, url, token, operation, inner));
            const items = z.array(schema).safeParse(page.data?.value);
            if (!page.success || !items.success)
              throw new CausewayError(
                'cloud.unexpected-answer',
                `${operation}: the answer has another form than expected`,
                { details: { operation } },
              );
            all.push(...items.data);
            const { nextLink } = page.data;
            if (nextLink === undefined || nextLink === null || nextLink === '') return all;
            const next = new URL(nextLink);
            // The token is for this service alone.
            if (next.origin !== url.origin)
              throw new CausewayError(
                'cloud.unexpected-answer',
                `${operation}: the next page is on another host: ${next.host}`,
                { details: { operation } },
              );
            url = next;
          }
        },
        signal,
      ),
    signIn: (signal) =>
      call('sign in', async (inner) => void (await tokenOf(await credential(), scope, inner)), signal),
    close: () => transport.close(),
  };
}

/** Asks for the code that a person signs in with; keeps what comes of it in the store. */
export async function signInToAzure(
  connection: unknown,
  store: SignInStore,
  signal: AbortSignal,
  options: RetryContextOptions = {},
): Promise<PersonSignIn> {
  const parsed = parseConnection(connection);
  const transport = createTransport({ caCertificate: parsed.caCertificate });
  try {
    const started = await startPersonSignIn(parsed, createSdkHttp(transport, retryContext(options)), store, signal);
    const finished = started.finished.catch((error: unknown) => Promise.reject(sdkError('sign in', error, signal)));
    void finished.then(
      () => transport.close(),
      () => transport.close(),
    );
    return { ...started, finished };
  } catch (error) {
    transport.close();
    throw sdkError('sign in', error, signal);
  }
}

async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function clientOptionsOf(profile: CloudProfile, httpClient: SdkHttp) {
  return {
    endpoint: profile.resourceManager,
    credentials: { scopes: [`${profile.audience}/.default`] },
    httpClient,
    // Repeated below the libraries; and a token must not go to another host.
    retryOptions: { maxRetries: 0 },
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: 'causeway' },
  };
}

async function tokenOf(credential: TokenCredential, scope: string, options: RequestOptions): Promise<string> {
  const token = await credential.getToken(scope, options);
  if (token === null) throw new CausewayError('cloud.authentication-failed', 'sign-in: no token was given');
  return token.token;
}

type SdkRequest = Parameters<SdkHttp['sendRequest']>[0];

/** Through the same client as the libraries' requests, so that it is repeated like them. */
async function getJson(
  http: SdkHttp,
  url: URL,
  token: string,
  operation: string,
  { abortSignal }: RequestOptions,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const request = {
    url: url.href,
    method: 'GET',
    headers: { toJSON: () => headers },
    timeout: 0,
    abortSignal,
    withCredentials: false,
    requestId: '',
  };
  const { status, bodyAsText } = await http.sendRequest(request as unknown as SdkRequest);
  const body: unknown =
    bodyAsText === undefined || bodyAsText === null || bodyAsText === '' ? undefined : JSON.parse(bodyAsText);
  if (status < 200 || status > 299) throw statusError({ operation, method: 'GET', path: '' }, status, body);
  return body;
}

/** Made at the first call, shared by all; a failure is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
