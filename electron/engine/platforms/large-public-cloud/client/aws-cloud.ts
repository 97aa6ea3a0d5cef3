import { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { EBSClient } from '@aws-sdk/client-ebs';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { STSClient } from '@aws-sdk/client-sts';
import { httpsAgent } from '../../../http/https-agent.ts';
import { conditionHere } from '../../../http/request-condition.ts';
import { asAwsError, isAwsCode } from './aws-error.ts';
import { serviceHost, type AwsConnection, type Service } from './connection.ts';
import { credentialsOf, endedCodes, type AwsSdk, type CredentialFiles } from './credentials.ts';

/** The SDK's clients of one endpoint. */
export interface AwsClients {
  readonly sdk: AwsSdk;
  /** Repeats requests with the SDK's adaptive back-off: for what may be sent twice. */
  readonly ec2: EC2Client;
  /** Sends each request once: for what creates something. Repeating it is left to those who look first. */
  readonly ec2Once: EC2Client;
  /** Sends each request once: how many are under way adapts to throttling elsewhere. */
  readonly ebs: EBSClient;
  readonly sts: STSClient;
}

export interface AwsCloudOptions {
  /** Of one request. */
  readonly timeoutMs?: number;
  /** Attempts in all of what may be sent twice. */
  readonly attempts?: number;
  /** In place of the user's own configuration files. */
  readonly files?: CredentialFiles;
}

const usualTimeoutMs = 60_000;
const usualAttempts = 8;
const mostConnections = 128;

/** One account and region. Loads the SDK and signs in at the first request. */
export class AwsCloud {
  readonly connection: AwsConnection;
  /** Of one request. */
  readonly timeoutMs: number;
  readonly #options: AwsCloudOptions;
  readonly #agents: {
    readonly httpAgent: HttpAgent;
    readonly httpsAgent: HttpsAgent;
    readonly publicAgent: HttpsAgent;
  };
  #clients: Promise<AwsClients> | undefined;

  constructor(connection: AwsConnection, options: AwsCloudOptions = {}) {
    this.connection = connection;
    this.#options = options;
    this.timeoutMs = options.timeoutMs ?? usualTimeoutMs;
    const { caCertificate, allowUntrusted } = connection;
    this.#agents = {
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: mostConnections }),
      // A proxy leads to the cloud; what goes to loopback without TLS is never proxied.
      httpsAgent: httpsAgent({ caCertificate, allowUntrusted }, { keepAlive: true, maxSockets: mostConnections }),
      // Single sign-on is the vendor's own service, whatever the endpoint trusts.
      publicAgent: httpsAgent({}),
    };
  }

  /**
   * Sends one request.
   *
   * @param action what a policy has to allow for it; it begins with the service's name
   * @param limitMs until the end of the answer, repetitions of the SDK included
   * @throws `cloud.*`
   */
  async ask<T>(
    operation: string,
    action: string,
    send: (clients: AwsClients, options: { readonly abortSignal: AbortSignal }) => Promise<T>,
    signal: AbortSignal,
    limitMs = this.timeoutMs * 10,
  ): Promise<T> {
    const used = this.clients();
    try {
      return await this.#askOnce(used, operation, action, send, signal, limitMs);
    } catch (error) {
      // Refused before anything was done. Another program may have signed in again meanwhile.
      if (!isAwsCode(error, ...endedCodes)) throw error;
      if (this.#clients === used) this.#clients = undefined;
      return this.#askOnce(this.clients(), operation, action, send, signal, limitMs);
    }
  }

  async #askOnce<T>(
    clients: Promise<AwsClients>,
    operation: string,
    action: string,
    send: (clients: AwsClients, options: { readonly abortSignal: AbortSignal }) => Promise<T>,
    signal: AbortSignal,
    limitMs: number,
  ): Promise<T> {
    const service = action.slice(0, action.indexOf(':')) as Service;
    const limit = new AbortController();
    const callOff = (): void => limit.abort(signal.reason);
    // The SDK waits for the beginning of an answer only so long, but for its end without limit.
    const timer = setTimeout(callOff, limitMs);
    signal.addEventListener('abort', callOff, { once: true });
    try {
      signal.throwIfAborted();
      return await send(await clients, { abortSignal: limit.signal });
    } catch (error) {
      throw asAwsError(error, { operation, action, host: serviceHost(this.connection, service) }, signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', callOff);
    }
  }

  clients(): Promise<AwsClients> {
    this.#clients ??= this.#open();
    return this.#clients;
  }

  async close(): Promise<void> {
    const clients = await this.#clients?.catch(() => undefined);
    for (const client of [clients?.ec2, clients?.ec2Once, clients?.ebs, clients?.sts]) client?.destroy();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #open(): Promise<AwsClients> {
    const sdk = await import('./sdk.ts');
    const { region, endpoints, fips } = this.connection;
    const timeout = this.timeoutMs;
    const { httpAgent, httpsAgent } = this.#agents;
    const requestHandler = {
      httpAgent,
      httpsAgent,
      connectionTimeout: timeout,
      requestTimeout: timeout,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: 2 ** 31 - 1,
    };
    const settings = (service: Service) => ({
      // An address that was given is the one that is meant; the SDK takes none together with FIPS.
      region,
      requestHandler,
      ...(endpoints[service] === undefined
        ? { useFipsEndpoint: fips }
        : { useFipsEndpoint: false, endpoint: endpoints[service] }),
    });
    const singleSignOn = {
      requestHandler: { httpsAgent: this.#agents.publicAgent, requestTimeout: timeout, throwOnRequestTimeout: true },
    };
    const credentials = credentialsOf(
      sdk,
      this.connection,
      { sts: settings('sts'), singleSignOn },
      this.#options.files,
    );
    const patient = { maxAttempts: this.#options.attempts ?? usualAttempts, retryMode: 'adaptive' };
    const once = { maxAttempts: 1 };
    const clients = {
      sdk,
      ec2: new sdk.EC2Client({ ...settings('ec2'), credentials, ...patient }),
      ec2Once: new sdk.EC2Client({ ...settings('ec2'), credentials, ...once }),
      ebs: new sdk.EBSClient({ ...settings('ebs'), credentials, ...once }),
      sts: new sdk.STSClient({ ...settings('sts'), credentials, ...patient }),
    };
    for (const { middlewareStack } of [clients.ec2, clients.ec2Once]) {
      // The last thing before an attempt is sent.
      middlewareStack.add(
        (next) => (args) => {
          conditionHere()();
          return next(args);
        },
        { step: 'deserialize', priority: 'low', name: 'requestCondition' },
      );
    }
    return clients;
  }
}

const mostPages = 10_000;

/** All pages of a listing. @throws `cloud.unexpected-answer` when it does not get to its end */
export async function allPages<Item>(
  page: (token: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let token: string | undefined;
  for (let count = 0; count < mostPages; count += 1) {
    const { items: found, next } = await page(token);
    items.push(...found);
    if (next === undefined || next === '') return items;
    if (next === token) break;
    token = next;
  }
  // What is missing from a listing would be taken for gone.
  throw new CausewayError(
    'cloud.unexpected-answer',
    `a listing does not end: it gives the same page again, or more than ${mostPages}`,
  );
}
