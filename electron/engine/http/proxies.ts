import { connect, type Socket } from 'node:net';
import { CausewayError, toErrorRecord } from '../../../shared/model/causeway-error.ts';
import { isLoopbackHost } from '../../../shared/model/ip-address.ts';
import { usualProxySettings, type ProxySettings } from '../../../shared/model/proxy-settings.ts';
import { abortable } from '../concurrency/abortable.ts';
import { loadScript } from './load-script.ts';
import { connectThroughProxy } from './proxy-connection.ts';
import { isExempt } from './proxy-exceptions.ts';
import { evaluateScript } from './proxy-script.ts';
import { parseProxy, parseScriptAnswer, shownProxy, type ProxyServer } from './proxy-server.ts';
import { readSystemProxy, type SystemProxy } from './system-proxy.ts';

/** One way to a host, in the order in which ways are tried. */
export type Way = ProxyServer | 'direct';

/** Where the choice of proxies comes from. */
export type ProxyOrigin = 'environment' | 'settings' | 'system' | 'none';

/** What leads to proxies: one server for all but the exceptions, a script, or nothing. */
export interface ProxySource {
  readonly from: ProxyOrigin;
  readonly server?: ProxyServer;
  readonly exceptions?: string;
  /** Addresses of scripts; the first one that can be loaded counts. */
  readonly scripts?: readonly string[];
  /** Whether a failing script fails connections. One that the system only hopes to find does not. */
  readonly isStrict?: boolean;
}

export interface ProxySettingsWithPassword extends ProxySettings {
  readonly password?: string | undefined;
}

/** What is used of the outside, replaced in tests. */
export interface ProxyParts {
  readonly environment: () => NodeJS.ProcessEnv;
  readonly readSystem: () => Promise<SystemProxy>;
  readonly load: (address: string, signal: AbortSignal) => Promise<string>;
  readonly evaluate: (script: string, host: string, port: number, signal: AbortSignal) => Promise<string>;
  readonly now: () => number;
}

/** Overrides every setting: `system`, `none`, an address of a proxy, or `pac+` and the address of a script. */
export const proxyVariable = 'CAUSEWAY_PROXY';
/** The proxy for connections to workers, SSH and the agent's port. */
export const workerProxyVariable = 'CAUSEWAY_SSH_PROXY';

/** A laptop moves between networks: what the system says is read again. */
const systemLastsMs = 60_000;
const scriptLastsMs = 10 * 60_000;
const answerLastsMs = 5 * 60_000;
/** How long a script that failed is not tried again: one that somebody has set, and any other. */
const strictFailureLastsMs = 5000;
const failureLastsMs = 5 * 60_000;
/** Of loading a script and asking it once, look-ups included. */
const evaluationMs = 60_000;
/** A proxy that did not respond is tried after the others for this long. */
const badLastsMs = 5 * 60_000;
const mostAnswers = 500;

interface Kept<T> {
  readonly value: Promise<T>;
  until: number;
}

/** Which proxies lead to which host, from the settings, the environment, the system and scripts. */
export class Proxies {
  readonly #parts: ProxyParts;
  #settings: ProxySettingsWithPassword = usualProxySettings;
  #system: Kept<SystemProxy> | undefined;
  #script: Kept<{ readonly address: string; readonly text: string }> | undefined;
  readonly #answers = new Map<string, Kept<readonly Way[]>>();
  readonly #bad = new Map<string, number>();
  #scriptFailure: CausewayError | undefined;

  constructor(parts: Partial<ProxyParts> = {}) {
    this.#parts = {
      environment: () => process.env,
      readSystem: () => readSystemProxy(),
      load: loadScript,
      evaluate: (script, host, port, signal) => evaluateScript(script, host, port, signal),
      now: () => performance.now(),
      ...parts,
    };
  }

  /** From now on; connections that are open stay as they are. */
  use(settings: ProxySettingsWithPassword): void {
    this.#settings = settings;
    this.forget();
  }

  get settings(): ProxySettingsWithPassword {
    return this.#settings;
  }

  /** Everything that was read or found is read anew. */
  forget(): void {
    this.#system = this.#script = this.#scriptFailure = undefined;
    this.#answers.clear();
    this.#bad.clear();
  }

  /** @throws CausewayError general.invalid-input where a variable or a setting is no proxy */
  async source(): Promise<ProxySource> {
    const environment = this.#parts.environment();
    const variable = environment[proxyVariable] ?? '';
    if (variable === 'none') return { from: 'environment' };
    if (variable.startsWith('pac+'))
      return { from: 'environment', scripts: [variable.slice('pac+'.length)], isStrict: true };
    if (variable !== '' && variable !== 'system')
      return { from: 'environment', server: parseProxy(variable, proxyVariable), exceptions: noProxyOf(environment) };
    const { mode, script, server, exceptions } = variable === 'system' ? usualProxySettings : this.#settings;
    if (mode === 'none') return { from: 'settings' };
    if (mode === 'script') return { from: 'settings', scripts: [script], isStrict: true };
    if (mode === 'manual') return { from: 'settings', server: serverOfSettings(server), exceptions };
    const named = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].find(
      (name) => (environment[name] ?? '') !== '',
    );
    if (named !== undefined)
      return {
        from: 'environment',
        server: parseProxy(environment[named] ?? '', named),
        exceptions: noProxyOf(environment),
      };
    return this.#ofSystem();
  }

  async #ofSystem(): Promise<ProxySource> {
    if (this.#system === undefined || this.#system.until < this.#parts.now()) {
      this.#system = { value: this.#parts.readSystem().catch(() => ({})), until: this.#parts.now() + systemLastsMs };
    }
    const { server, exceptions, scripts = [] } = await this.#system.value;
    if (scripts.length > 0)
      return { from: 'system', scripts, ...(server === undefined ? {} : { server, exceptions: exceptions ?? '' }) };
    if (server !== undefined) return { from: 'system', server, exceptions: exceptions ?? '' };
    return { from: 'none' };
  }

  /**
   * The ways to a host and port, the first one first. Loopback is always direct.
   * @throws CausewayError cloud.proxy-script-failed, general.invalid-input
   */
  async waysTo(host: string, port: number, signal: AbortSignal): Promise<readonly Way[]> {
    if (isLoopbackHost(host)) return ['direct'];
    const source = await this.source();
    const ofServer = (): readonly Way[] =>
      source.server === undefined || isExempt(host, source.exceptions ?? '') ? ['direct'] : [source.server];
    if (source.scripts === undefined) return this.#inOrder(ofServer());
    try {
      const ways = await abortable(this.#ofScript(source.scripts, host, port, source.isStrict === true), signal);
      this.#scriptFailure = undefined;
      return this.#inOrder(ways);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CausewayError)) throw error;
      this.#scriptFailure = error;
      if (source.isStrict === true) throw error;
      // As browsers do: what only the system names, or what was guessed, does not cut off this computer.
      return this.#inOrder(ofServer());
    }
  }

  /** Several connections to a host ask once; none of them can cancel it for the others. */
  #ofScript(addresses: readonly string[], host: string, port: number, isStrict: boolean): Promise<readonly Way[]> {
    const key = `${host}:${port}`;
    const known = this.#answers.get(key);
    if (known !== undefined && known.until >= this.#parts.now()) return known.value;
    const kept = this.#keep(this.#evaluated(addresses, host, port, isStrict), answerLastsMs, isStrict);
    this.#answers.delete(key);
    this.#answers.set(key, kept);
    if (this.#answers.size > mostAnswers) this.#answers.delete(this.#answers.keys().next().value ?? key);
    return kept.value;
  }

  /** A failure is kept for a shorter time: not every connection waits for it anew. */
  #keep<T>(value: Promise<T>, lastsMs: number, isStrict: boolean): Kept<T> {
    const kept = { value, until: this.#parts.now() + lastsMs };
    value.catch(() => (kept.until = this.#parts.now() + (isStrict ? strictFailureLastsMs : failureLastsMs)));
    return kept;
  }

  async #evaluated(
    addresses: readonly string[],
    host: string,
    port: number,
    isStrict: boolean,
  ): Promise<readonly Way[]> {
    const signal = AbortSignal.timeout(evaluationMs);
    const { address, text } = await this.#loaded(addresses, isStrict, signal);
    const answer = await this.#parts.evaluate(text, host, port, signal);
    const ways = parseScriptAnswer(answer);
    if (ways.length === 0)
      throw new CausewayError(
        'cloud.proxy-script-failed',
        `${address} names no proxy of a kind that is spoken here: ${answer.slice(0, 200)}`,
      );
    return ways;
  }

  #loaded(
    addresses: readonly string[],
    isStrict: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly address: string; readonly text: string }> {
    if (this.#script === undefined || this.#script.until < this.#parts.now())
      this.#script = this.#keep(this.#firstThatLoads(addresses, signal), scriptLastsMs, isStrict);
    return this.#script.value;
  }

  async #firstThatLoads(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly address: string; readonly text: string }> {
    let failure: unknown;
    for (const address of addresses) {
      try {
        return { address, text: await this.#parts.load(address, signal) };
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
      }
    }
    throw failure;
  }

  /** Those that did not respond lately come last; and each gets the sign-in of the settings if it has none of its own. */
  #inOrder(ways: readonly Way[]): readonly Way[] {
    const { username, password } = this.#settings;
    const signedIn = ways.map((way) =>
      way === 'direct' || way.username !== undefined || username === ''
        ? way
        : { ...way, username, password: password ?? '' },
    );
    const isBad = (way: Way): boolean => way !== 'direct' && (this.#bad.get(shownProxy(way)) ?? 0) > this.#parts.now();
    return [...signedIn.filter((way) => !isBad(way)), ...signedIn.filter(isBad)];
  }

  /** To be called when a proxy did not respond. */
  failed(proxy: ProxyServer): void {
    this.#bad.set(shownProxy(proxy), this.#parts.now() + badLastsMs);
  }

  /** Why the script could not be used last; undefined if it could, or if there is none. */
  get scriptFailure(): CausewayError | undefined {
    return this.#scriptFailure;
  }

  /**
   * Opens a connection by the first way that leads somewhere. A proxy that says no is the end: others would be asked against its will.
   *
   * @returns undefined when the way is direct: the caller connects by itself
   * @throws CausewayError transport.unreachable, transport.proxy-refused, transport.proxy-not-trusted, cloud.proxy-script-failed
   */
  async open(
    host: string,
    port: number,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly socket: Socket | undefined; readonly way: Way; readonly passed: readonly string[] }> {
    const ways = await this.waysTo(host, port, signal);
    const passed: string[] = [];
    for (const [index, way] of ways.entries()) {
      const isLast = index === ways.length - 1;
      if (way === 'direct' && isLast) return { socket: undefined, way, passed };
      try {
        const socket =
          way === 'direct'
            ? await connectDirectly(host, port, timeoutMs, signal)
            : await connectThroughProxy(way, host, port, timeoutMs, signal);
        return { socket, way, passed };
      } catch (error) {
        if (!(error instanceof CausewayError) || error.code !== 'transport.unreachable' || signal.aborted) throw error;
        if (way !== 'direct') this.failed(way);
        passed.push(toErrorRecord(error).message);
        if (isLast)
          throw passed.length === 1
            ? error
            : new CausewayError('transport.unreachable', passed.join('; '), { cause: error });
      }
    }
    throw new CausewayError('transport.unreachable', `${host}:${port}: no way`);
  }

  /**
   * The proxy that leads to a worker; undefined: the connection is direct.
   * @throws CausewayError general.invalid-input, cloud.proxy-script-failed
   */
  async toWorker(host: string, port: number, signal: AbortSignal): Promise<ProxyServer | undefined> {
    const environment = this.#parts.environment();
    const own = environment[workerProxyVariable] ?? '';
    if (isLoopbackHost(host)) return undefined;
    if (own !== '')
      return own === 'none' || isExempt(host, noProxyOf(environment))
        ? undefined
        : parseProxy(own, workerProxyVariable);
    if (!this.#settings.forWorkers) return undefined;
    const [first] = await this.waysTo(host, port, signal);
    return first === 'direct' ? undefined : first;
  }
}

function noProxyOf(environment: NodeJS.ProcessEnv): string {
  return environment['NO_PROXY'] ?? environment['no_proxy'] ?? '';
}

function connectDirectly(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError).off('connect', onConnect);
    };
    const fail = (error: unknown): void => {
      settle();
      socket.on('error', () => undefined).destroy();
      reject(error as Error);
    };
    const unreachable = (why: string, cause?: unknown): void =>
      fail(new CausewayError('transport.unreachable', `${host}:${port}, connected directly, ${why}`, { cause }));
    const timer = setTimeout(() => unreachable(`did not respond within ${timeoutMs} ms`), timeoutMs);
    const onError = (error: NodeJS.ErrnoException): void =>
      unreachable(`does not respond (${error.code ?? error.message})`, error);
    const onAbort = (): void => fail(signal.reason);
    const onConnect = (): void => {
      settle();
      resolve(socket);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError).once('connect', onConnect);
  });
}

/**
 * Whether the settings can be used at all.
 * @throws CausewayError general.invalid-input
 */
export function checkProxySettings({ mode, script, server }: ProxySettings): void {
  if (mode === 'manual') serverOfSettings(server);
  const url = URL.canParse(script) ? new URL(script) : undefined;
  if (mode === 'script' && !['http:', 'https:', 'file:'].includes(url?.protocol ?? '')) {
    throw new CausewayError(
      'general.invalid-input',
      'the address of the proxy script must begin with http://, https:// or file://',
    );
  }
}

function serverOfSettings(text: string): ProxyServer {
  const server = parseProxy(text.includes('://') ? text : `http://${text}`, 'the proxy');
  if (server.username === undefined) return server;
  // Settings are no place for a password.
  throw new CausewayError(
    'general.invalid-input',
    'the proxy must be written without user and password: these have fields of their own',
  );
}

/** Those of this process. */
export const proxies = new Proxies();
