import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { defaultBackOff, parseRetryAfter, retryDelayMs } from '../../../http/retry-after.ts';
import { createTransport, type Transport, type TransportAnswer } from '../../../http/transport.ts';
import { isPassingStatus, transportError } from '../../../http/http-error.ts';
import type { BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import { answerFault, isFault } from './fault.ts';
import { envelope, objectOf, value, type ManagedObject, type Part } from './request.ts';
import { childOf, parseXml, textAt, type XmlElement } from './xml.ts';

export interface SessionOptions {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** PEM of the one authority that is trusted, or of the server's own certificate. */
  readonly caCertificate?: string | undefined;
  readonly allowUntrusted?: boolean | undefined;
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backOff?: BackOff;
  /** For one attempt of a request. */
  readonly timeoutMs?: number;
}

/** What the server says of itself, and the managed objects that everything starts at. */
export interface ServiceContent {
  /** `VirtualCenter`, or `HostAgent` for a single host. */
  readonly apiType: string;
  readonly apiVersion: string;
  readonly fullName: string;
  readonly instanceUuid: string | undefined;
  object(name: string): ManagedObject;
  find(name: string): ManagedObject | undefined;
}

export interface CallOptions {
  /** Sending it twice does no more than sending it once, so that it is repeated after a lost answer. Default: by the method's name. */
  readonly repeatable?: boolean;
}

const serviceInstance: ManagedObject = { type: 'ServiceInstance', id: 'ServiceInstance' };
const readOnly =
  /^(Retrieve|ContinueRetrieve|Query|CurrentTime$|WaitForUpdates|CreateFilter$|CreateContainerView$|CreatePropertyCollector$|Destroy(View|PropertyCollector|PropertyFilter)$|CancelRetrieve|HasPrivilege|HasUserPrivilege|FetchUserPrivilege|Log(in|out)$|FindBy|NfcGetVmFiles$)/;
const usualTimeoutMs = 120_000;
/** How often an open session says that it is alive while nothing else is asked. Servers end idle ones after 30 minutes. */
const keepAliveMs = 5 * 60_000;

/**
 * A session with a server: signs in when first needed, and again when the server has ended it. Only one sign-in at a time.
 * A request that the server refused for want of a session was not carried out, whatever it was, and is sent once more.
 */
export class VimSession {
  readonly #options: SessionOptions;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backOff: BackOff;
  readonly #url: URL;
  #content: ServiceContent | undefined;
  #cookie: string | undefined;
  #sessionKey: string | undefined;
  #signingIn: Promise<void> | undefined;
  /** Grows with each sign-in: who met a refusal knows whether somebody else has signed in since. */
  #generation = 0;
  #held = 0;
  #stopKeepAlive: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#backOff = options.backOff ?? defaultBackOff;
    const host = options.host.includes(':') && !options.host.startsWith('[') ? `[${options.host}]` : options.host;
    if (!URL.canParse(`https://${host}:${options.port}/sdk`))
      throw new CausewayError('general.invalid-input', `${options.host} is not a host name or address`, {
        details: { parameter: 'host' },
      });
    this.#url = new URL(`https://${host}:${options.port}/sdk`);
    this.#transport =
      options.transport ??
      createTransport({ caCertificate: options.caCertificate, allowUntrusted: options.allowUntrusted });
  }

  get host(): string {
    return this.#options.host;
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** How long one attempt of a request may take. */
  get timeoutMs(): number {
    return this.#options.timeoutMs ?? usualTimeoutMs;
  }

  get backOff(): BackOff {
    return this.#backOff;
  }

  get random(): () => number {
    return this.#random;
  }

  /** Key of the signed-in session, by which the server names its privileges. */
  get sessionKey(): string | undefined {
    return this.#sessionKey;
  }

  /** What the server is. Needs no sign-in. */
  async content(signal: AbortSignal): Promise<ServiceContent> {
    this.#content ??= contentOf(await this.#send('RetrieveServiceContent', serviceInstance, [], {}, signal));
    return this.#content;
  }

  /**
   * Calls a method, signed in.
   *
   * @returns the children of the answer, most often one `returnval`
   * @throws CausewayError: `details.fault` names the server's fault; `details.ambiguous` is true when it may have been carried out all the same
   */
  async call(
    method: string,
    target: ManagedObject,
    parts: readonly Part[],
    signal: AbortSignal,
    options: CallOptions = {},
  ): Promise<readonly XmlElement[]> {
    await this.#signIn(this.#generation, false, signal);
    const generation = this.#generation;
    try {
      return await this.#send(method, target, parts, options, signal);
    } catch (error) {
      if (!isFault(error, 'NotAuthenticated')) throw error;
      await this.#signIn(generation, true, signal);
      return this.#send(method, target, parts, options, signal);
    }
  }

  /** A method that answers with one value. @throws `source.protocol` when it did not */
  async callFor(
    method: string,
    target: ManagedObject,
    parts: readonly Part[],
    signal: AbortSignal,
    options: CallOptions = {},
  ): Promise<XmlElement> {
    const answer = (await this.call(method, target, parts, signal, options)).find(({ name }) => name === 'returnval');
    if (answer === undefined)
      throw new CausewayError('source.protocol', `${method}: the server answered without a value`, {
        details: { operation: method },
      });
    return answer;
  }

  /** A method that answers with a managed object, e.g. a task. */
  async callForObject(
    method: string,
    target: ManagedObject,
    parts: readonly Part[],
    signal: AbortSignal,
    options: CallOptions = {},
  ): Promise<ManagedObject> {
    const object = objectOf(await this.callFor(method, target, parts, signal, options));
    if (object === undefined)
      throw new CausewayError('source.protocol', `${method}: the server answered without an object`, {
        details: { operation: method },
      });
    return object;
  }

  /** Signs in anew, for those who learn in another way than by a fault that the session has ended. */
  renew(signal: AbortSignal): Promise<void> {
    return this.#signIn(this.#generation, true, signal);
  }

  /** The session as other requests to the same server carry it. */
  async cookie(renew: boolean, signal: AbortSignal): Promise<string> {
    await this.#signIn(this.#generation, renew, signal);
    return this.#cookie ?? '';
  }

  /** The server's own clock. */
  async currentTime(signal: AbortSignal): Promise<string> {
    return (await this.callFor('CurrentTime', serviceInstance, [], signal)).text;
  }

  /** Keeps the session alive until it is released as often as it was held: reading disks sends nothing over it. */
  hold(): () => void {
    this.#held += 1;
    if (this.#held === 1) this.#scheduleKeepAlive();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#held -= 1;
      if (this.#held === 0) this.#stopKeepAlive();
    };
  }

  /** Signs out, as far as that is possible, and closes all connections. */
  async close(): Promise<void> {
    this.#stopKeepAlive();
    this.#held = 0;
    if (this.#cookie !== undefined && this.#content !== undefined) {
      const cookie = this.#cookie;
      const message = envelope('Logout', this.#content.object('sessionManager'), []);
      this.#cookie = undefined;
      // Nobody waits long for a server that no longer answers: it ends the session by itself.
      await this.#transport
        .send(
          { url: this.#url, method: 'POST', headers: this.#headers(cookie), body: message },
          AbortSignal.timeout(5000),
        )
        .catch(() => undefined);
    }
    this.#transport.close();
  }

  #scheduleKeepAlive(): void {
    this.#stopKeepAlive = this.#clock.after(keepAliveMs, () => {
      if (this.#held === 0) return;
      this.currentTime(AbortSignal.timeout(60_000))
        .catch(() => undefined)
        .finally(() => {
          if (this.#held > 0) this.#scheduleKeepAlive();
        });
    });
  }

  async #signIn(generation: number, again: boolean, signal: AbortSignal): Promise<void> {
    if (this.#cookie !== undefined && (!again || generation !== this.#generation)) return;
    // The signal of whoever came first ends the sign-in for all: those who still want one start their own.
    for (;;) {
      signal.throwIfAborted();
      if (this.#signingIn === undefined) {
        this.#signingIn = this.#logIn(signal).finally(() => {
          this.#signingIn = undefined;
        });
        return this.#signingIn;
      }
      try {
        return await this.#signingIn;
      } catch (error) {
        if (error instanceof CausewayError && error.code !== 'general.cancelled') throw error;
      }
    }
  }

  async #logIn(signal: AbortSignal): Promise<void> {
    const content = await this.content(signal);
    this.#cookie = undefined;
    const { username, password } = this.#options;
    const answer = await this.#send(
      'Login',
      content.object('sessionManager'),
      [value('userName', username), value('password', password)],
      {},
      signal,
    );
    this.#sessionKey = textAt(
      answer.find(({ name }) => name === 'returnval'),
      'key',
    );
    this.#generation += 1;
  }

  #headers(cookie: string | undefined): Record<string, string> {
    return {
      'content-type': 'text/xml; charset="utf-8"',
      soapaction: `"urn:vim25${this.#content === undefined ? '' : `/${this.#content.apiVersion}`}"`,
      'user-agent': 'causeway',
      ...(cookie === undefined ? {} : { cookie }),
    };
  }

  async #send(
    method: string,
    target: ManagedObject,
    parts: readonly Part[],
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<readonly XmlElement[]> {
    const repeatable = options.repeatable ?? readOnly.test(method);
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      let failure: unknown;
      let retryAfterMs: number | undefined;
      try {
        const answer = await this.#attempt(method, envelope(method, target, parts), this.timeoutMs, signal);
        retryAfterMs = parseRetryAfter(answer.headers.get('retry-after'), this.#clock.wallTime());
        const read = readAnswer(method, answer);
        this.#keepCookie(answer);
        if (read.failure === undefined) return read.values;
        failure = read.failure;
      } catch (thrown) {
        failure = thrown;
      }
      if (!(failure instanceof CausewayError)) throw failure;
      const { ambiguous, arrived } = failure.details;
      const again = failure.retryable && (arrived === false || (repeatable && ambiguous === true));
      if (!again || attempt >= this.#backOff.attempts) throw failure;
      await this.#clock.sleep(retryDelayMs(this.#backOff, attempt, retryAfterMs, this.#random), signal);
    }
  }

  async #attempt(method: string, body: string, timeoutMs: number, signal: AbortSignal): Promise<TransportAnswer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await this.#transport.send(
        { url: this.#url, method: 'POST', headers: this.#headers(this.#cookie), body },
        AbortSignal.any([signal, timeout]),
      );
    } catch (thrown) {
      if (signal.aborted) throw cancelled(signal);
      const { message, details } = transportError(
        { operation: method, method: 'POST', path: '/sdk' },
        this.#url.host,
        timeout.aborted ? new Error(`no response within ${timeoutMs / 1000} s`) : thrown,
      );
      const { network, arrived } = details;
      const isTls = arrived === false && /CERT|SIGNATURE|ERR_TLS|ERR_SSL|EPROTO/.test(String(network));
      throw new CausewayError(
        isTls ? 'source.tls-refused' : arrived === false ? 'source.unreachable' : 'source.connection-lost',
        message,
        { details, cause: thrown },
      );
    }
  }

  #keepCookie({ headers }: TransportAnswer): void {
    const given = /vmware_soap_session=("[^"]*"|[^;,\s]*)/.exec(headers.get('set-cookie') ?? '')?.[0];
    if (given !== undefined) this.#cookie = given;
  }
}

function cancelled(signal: AbortSignal): unknown {
  return signal.reason instanceof CausewayError
    ? signal.reason
    : new CausewayError('general.cancelled', 'the request was cancelled', { cause: signal.reason });
}

/** The values of a good answer, or why it is none. A fault is an answer of the server; anything else with a failure status is what stands before it. */
function readAnswer(
  method: string,
  { status, bytes }: TransportAnswer,
): { readonly values: readonly XmlElement[]; readonly failure?: CausewayError } {
  // The API answers with 200 or 500 alone: other statuses are of what stands before it, whatever it says.
  if (status !== 500 && (isPassingStatus(status) || status > 500))
    return { values: [], failure: unavailable(method, status) };
  const text = bytes.toString('utf8');
  let body: XmlElement | undefined;
  let problem = 'no SOAP message';
  if (text.includes('Envelope')) {
    try {
      body = childOf(parseXml(text), 'Body');
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  const [content] = body?.children ?? [];
  if (content?.name === 'Fault') return { values: [], failure: answerFault(method, content) };
  if (content?.name === `${method}Response` && status === 200) return { values: content.children };
  if (status === 500) return { values: [], failure: unavailable(method, status) };
  return {
    values: [],
    failure: new CausewayError('source.protocol', `${method}: HTTP ${status}: ${problem}`, {
      details: { operation: method, status, ambiguous: true },
    }),
  };
}

function unavailable(method: string, status: number): CausewayError {
  return new CausewayError('source.connection-lost', `${method}: HTTP ${status}`, {
    details: { operation: method, status, ambiguous: true },
  });
}

function contentOf(answer: readonly XmlElement[]): ServiceContent {
  const content = answer.find(({ name }) => name === 'returnval');
  const about = childOf(content, 'about');
  const apiType = textAt(about, 'apiType');
  const apiVersion = textAt(about, 'apiVersion') ?? '';
  if (content === undefined || apiType === undefined || !/^\d+(\.\d+){1,3}$/.test(apiVersion)) {
    throw new CausewayError('source.protocol', 'RetrieveServiceContent: the server does not say which API it has', {
      details: { operation: 'RetrieveServiceContent' },
    });
  }
  const find = (name: string): ManagedObject | undefined => objectOf(childOf(content, name));
  return {
    apiType,
    apiVersion,
    fullName: textAt(about, 'fullName') ?? 'unknown',
    instanceUuid: textAt(about, 'instanceUuid'),
    find,
    object(name) {
      const object = find(name);
      if (object === undefined)
        throw new CausewayError('source.unsupported', `the server has no ${name}`, { details: { missing: name } });
      return object;
    },
  };
}
