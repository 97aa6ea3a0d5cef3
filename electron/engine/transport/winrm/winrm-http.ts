import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { abortReason } from '../../concurrency/abortable.ts';
import { KerberosLogin } from '../kerberos/kerberos-login.ts';
import { authenticateMessage, channelBindings, negotiateMessage, ntlmAccount } from './ntlm.ts';

/** `auto` signs in by NTLM where the server offers Negotiate, else by Basic. */
export type WinrmAuthentication = 'auto' | 'basic' | 'ntlm' | 'kerberos';

export interface WinrmTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** SHA-256 of the certificates that the server may have, in hex. Nothing else about its certificate matters then. */
  readonly certificateSha256?: string | readonly string[] | undefined;
  /** PEM of the authority that is trusted, where no certificate is pinned. Default: those of the system. */
  readonly caCertificate?: string | undefined;
  /** No certificate is verified at all. Only when a person chose it. */
  readonly allowUntrusted?: boolean | undefined;
  /** Default: basic. */
  readonly authentication?: WinrmAuthentication | undefined;
  /** A domain controller for Kerberos, `host` or `host:port`. Default: those that DNS names. */
  readonly kerberosKdc?: string | undefined;
}

export interface WinrmAnswer {
  readonly status: number;
  readonly text: string;
}

interface HttpAnswer extends WinrmAnswer {
  readonly offers: string;
  readonly socket: TLSSocket;
}

/** How long a server may take for one answer. */
const connectTimeoutMs = 30_000;

/**
 * The HTTPS side of Windows Remote Management. Nothing is sent, the password least of all, before the server's certificate is
 * verified. NTLM and Kerberos sign in a connection, not a request, so that their requests go through one connection, one by one.
 */
export class WinrmHttp {
  readonly #target: WinrmTarget;
  readonly #timeoutMs: number;
  readonly #largestAnswerBytes: number;
  readonly #agent: Agent;
  readonly #pins: readonly string[];
  /** Of each connection, as it was verified. */
  readonly #certificates = new WeakMap<TLSSocket, Buffer>();
  readonly #kerberos: KerberosLogin;
  #scheme: Exclude<WinrmAuthentication, 'auto'> | undefined;
  #signedIn: TLSSocket | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(target: WinrmTarget, options: { readonly timeoutMs: number; readonly largestAnswerBytes: number }) {
    this.#target = target;
    this.#timeoutMs = options.timeoutMs;
    this.#largestAnswerBytes = options.largestAnswerBytes;
    this.#pins = [target.certificateSha256 ?? []].flat().map((pin) => pin.replaceAll(':', '').toLowerCase());
    const { authentication = 'basic' } = target;
    this.#kerberos = new KerberosLogin({ ...target, kdc: target.kerberosKdc });
    this.#scheme = authentication === 'auto' ? undefined : authentication;
    this.#agent = new Agent({ keepAlive: true, maxSockets: authentication === 'basic' ? 2 : 1 });
    this.#agent.createConnection = (options_, callback) => {
      this.#connect(options_ as RequestOptions).then(
        (socket) => callback?.(null, socket),
        (error: Error) => callback?.(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
  }

  /** @throws `transport.login-refused`, `transport.certificate-mismatch`, the signal's reason, or whatever the network threw */
  async post(message: string, signal: AbortSignal): Promise<WinrmAnswer> {
    if (this.#target.authentication === undefined || this.#target.authentication === 'basic')
      return this.#refused(await this.#send(message, this.#basic(), signal));
    const turn = this.#turn.then(() => this.#signedInPost(message, signal));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #signedInPost(message: string, signal: AbortSignal): Promise<WinrmAnswer> {
    if (signal.aborted) throw abortReason(signal);
    this.#scheme ??= await this.#choose(signal);
    if (this.#scheme === 'basic') return this.#refused(await this.#send(message, this.#basic(), signal));
    if (this.#signedIn !== undefined && !this.#signedIn.destroyed) {
      const answer = await this.#send(message, undefined, signal);
      // A closed connection is replaced by a new one, which is not authenticated yet.
      if (answer.status !== 401) return answer;
    }
    this.#signedIn = undefined;
    const answer =
      this.#scheme === 'ntlm'
        ? await this.#signInByNtlm(message, signal)
        : await this.#signInByKerberos(message, signal);
    this.#refused(answer);
    this.#signedIn = answer.socket;
    return answer;
  }

  async #choose(signal: AbortSignal): Promise<'basic' | 'ntlm'> {
    const { status, offers } = await this.#send('', undefined, signal);
    if (/\bnegotiate\b/i.test(offers)) return 'ntlm';
    if (/\bbasic\b/i.test(offers)) {
      if (this.#isUnverified)
        throw new CausewayError(
          'transport.login-refused',
          `${this.#where()} offers only Basic, which shows the password to the host, and its certificate is not verified. Give its fingerprint (certificate_sha256), or set authentication to basic to send it all the same`,
        );
      return 'basic';
    }
    // A server that is busy offers nothing: what it says is the answer to the request as well.
    if (status !== 401) return 'ntlm';
    throw new CausewayError(
      'transport.login-refused',
      `${this.#where()} offers neither Negotiate nor Basic: ${offers === '' ? 'no way to sign in' : offers}`,
    );
  }

  async #signInByNtlm(message: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { host, username, password } = this.#target;
    for (let attempt = 1; ; attempt += 1) {
      const negotiate = negotiateMessage();
      const first = await this.#send('', `Negotiate ${negotiate.toString('base64')}`, signal);
      if (first.status !== 401) return first;
      const challenge = /\bNegotiate ([A-Za-z0-9+/=]+)/i.exec(first.offers)?.[1];
      if (challenge === undefined)
        throw new CausewayError(
          'transport.login-refused',
          `${this.#where()} does not take NTLM; it offers ${first.offers === '' ? 'nothing' : first.offers}`,
        );
      const certificate = this.#certificates.get(first.socket) ?? Buffer.alloc(0);
      const proof = authenticateMessage(
        negotiate,
        Buffer.from(challenge, 'base64'),
        ntlmAccount(username, password),
        certificate,
        `HTTP/${host}`,
      );
      const second = await this.#send(message, `Negotiate ${proof.toString('base64')}`, signal);
      // The server closed the connection in between: the proof was for another one.
      if (second.socket === first.socket || second.status !== 401 || attempt === 3) return second;
    }
  }

  /** A first request opens the connection, whose certificate is bound into what is shown to the host. */
  async #signInByKerberos(message: string, signal: AbortSignal): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const first = await this.#send('', undefined, signal);
      if (first.status !== 401) return first;
      if (!/\b(negotiate|kerberos)\b/i.test(first.offers))
        throw new CausewayError(
          'transport.login-refused',
          `${this.#where()} does not take Kerberos; it offers ${first.offers === '' ? 'nothing' : first.offers}`,
        );
      const token = await this.#kerberos.token(
        channelBindings(this.#certificates.get(first.socket) ?? Buffer.alloc(0)),
        signal,
      );
      const second = await this.#send(message, `Negotiate ${token}`, signal);
      if (second.status === 401 && second.socket === first.socket)
        throw new CausewayError(
          'transport.login-refused',
          `${this.#where()} refused the Kerberos ticket of ${this.#target.username}`,
        );
      // The server closed the connection in between: the next one may have another certificate.
      if (second.status !== 401 || attempt === 3) return second;
    }
  }

  #refused(answer: HttpAnswer): HttpAnswer {
    if (answer.status === 401 || answer.status === 403)
      throw new CausewayError('transport.login-refused', `${this.#where()} answered ${answer.status}`);
    return answer;
  }

  #basic(): string {
    const { username, password } = this.#target;
    return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
  }

  /** Anybody may have answered. */
  get #isUnverified(): boolean {
    return this.#pins.length === 0 && this.#target.allowUntrusted === true;
  }

  #where(): string {
    return `WinRM on ${this.#target.host}:${this.#target.port}`;
  }

  #send(message: string, authorization: string | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    const { host, port } = this.#target;
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const outgoing = httpsRequest(
      {
        host,
        port,
        path: '/wsman',
        method: 'POST',
        agent: this.#agent,
        signal,
        headers: {
          'content-type': 'application/soap+xml;charset=UTF-8',
          'content-length': String(Buffer.byteLength(message)),
          ...(authorization === undefined ? {} : { authorization }),
        },
      },
      (answer) => {
        const socket = answer.socket as TLSSocket;
        const parts: Buffer[] = [];
        let length = 0;
        answer.on('data', (part: Buffer) => {
          length += part.length;
          if (length <= this.#largestAnswerBytes) parts.push(part);
          else
            answer.destroy(
              new CausewayError(
                'transport.winrm-protocol',
                `${this.#where()} sent a response of more than ${this.#largestAnswerBytes} bytes`,
              ),
            );
        });
        answer.once('error', reject);
        answer.once('close', () => {
          if (answer.complete)
            resolve({
              status: answer.statusCode ?? 0,
              text: Buffer.concat(parts).toString('utf8'),
              offers: [answer.headers['www-authenticate'] ?? []].flat().join(', '),
              socket,
            });
          else reject(new Error('the response was cut off'));
        });
      },
    );
    outgoing.setTimeout(this.#timeoutMs, () => outgoing.destroy(new Error('no answer')));
    outgoing.once('error', reject);
    outgoing.end(message);
    return promise;
  }

  /** A connection with a verified certificate. Nothing is sent before the verification. */
  #connect(options: RequestOptions): Promise<TLSSocket> {
    const { host, port, caCertificate, allowUntrusted = false } = this.#target;
    const isPinned = this.#pins.length > 0;
    const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
    const socket = tlsConnect({
      host,
      port,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: !isPinned && !allowUntrusted,
      ...(caCertificate === undefined ? {} : { ca: caCertificate, allowPartialTrustChain: true }),
      ...(typeof options.servername === 'string' && options.servername !== ''
        ? { servername: options.servername }
        : {}),
    });
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('no answer')));
    socket.once('error', (error: Error & { code?: string }) => {
      if (isCertificateError(error.code))
        reject(
          new CausewayError('transport.certificate-mismatch', `${this.#where()}: ${error.message}`, { cause: error }),
        );
      else if (isWithoutTls(error.code))
        reject(
          new CausewayError(
            'transport.unreachable',
            `${this.#where()} does not speak TLS. Port 5985 is WinRM over HTTP, which is not used: the host needs a listener with HTTPS, by default on port 5986`,
            { cause: error },
          ),
        );
      else reject(error);
    });
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      const shown = certificate?.fingerprint256.replaceAll(':', '').toLowerCase() ?? 'none';
      if (certificate !== undefined) this.#certificates.set(socket, certificate.raw);
      if (isPinned && !this.#pins.includes(shown)) {
        reject(
          new CausewayError(
            'transport.certificate-mismatch',
            `${this.#where()}: expected ${this.#pins.join(' or ')}, received ${shown}`,
          ),
        );
        socket.destroy();
        return;
      }
      socket.setTimeout(0);
      resolve(socket);
    });
    return promise;
  }
}

/** What answers is a server of something else. */
function isWithoutTls(code: string | undefined): boolean {
  return (
    code === 'EPROTO' ||
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
    code === 'ERR_SSL_HTTP_REQUEST'
  );
}

function isCertificateError(code: string | undefined): boolean {
  return code !== undefined && (/CERT|SIGNATURE|UNABLE_TO|SELF_SIGNED/.test(code) || code.startsWith('ERR_TLS'));
}
