import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { proxies } from '../http/proxies.ts';
import { trustSystemCertificates } from '../http/system-certificates.ts';

/** Longer answers do not come from a mail server. */
const longestAnswer = 64 * 1024;
const answerMs = 60_000;

export interface SmtpAnswer {
  readonly code: number;
  /** One for each line, without the code. */
  readonly lines: readonly string[];
}

/** One connection to a mail server: commands and their answers, in the clear or over TLS. */
export class SmtpLink {
  #socket: Socket;
  #buffer = '';
  #lines: string[] = [];
  #waiting: PromiseWithResolvers<SmtpAnswer> | undefined;
  #ended: Error | undefined;
  readonly #answers: SmtpAnswer[] = [];
  readonly #host: string;
  readonly #ca: string | undefined;

  private constructor(host: string, ca: string | undefined, socket: Socket) {
    this.#host = host;
    this.#ca = ca;
    this.#socket = socket;
    this.#listen();
  }

  /** Through the proxy in effect. @throws CausewayError `notification.mail-not-sent` */
  static async open(
    {
      host,
      port,
      isTls,
      ca,
    }: { readonly host: string; readonly port: number; readonly isTls: boolean; readonly ca: string | undefined },
    signal: AbortSignal,
  ): Promise<SmtpLink> {
    try {
      const { socket: tunnel } = await proxies.open(host, port, answerMs, signal);
      const plain = tunnel ?? connectPlain({ host, port });
      if (tunnel === undefined) await settled(plain, 'connect', signal);
      return new SmtpLink(host, ca, isTls ? await secured(plain, host, ca, signal) : plain);
    } catch (error) {
      signal.throwIfAborted();
      throw notSent(error);
    }
  }

  /** The answer to what was sent before; or the greeting. */
  async answer(signal: AbortSignal): Promise<SmtpAnswer> {
    const first = this.#answers.shift();
    if (first !== undefined) return first;
    if (this.#ended !== undefined) throw notSent(this.#ended);
    this.#waiting = Promise.withResolvers();
    const within = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    const stop = (): void => this.#fail(new Error('no answer in time'));
    within.addEventListener('abort', stop, { once: true });
    try {
      return await this.#waiting.promise;
    } catch (error) {
      signal.throwIfAborted();
      throw notSent(error);
    } finally {
      within.removeEventListener('abort', stop);
      this.#waiting = undefined;
    }
  }

  async say(text: string, signal: AbortSignal): Promise<SmtpAnswer> {
    this.#socket.write(`${text}\r\n`);
    return this.answer(signal);
  }

  /** What the server said before TLS is forgotten: somebody in between may have said it. */
  async secure(signal: AbortSignal): Promise<void> {
    this.#socket.removeAllListeners();
    this.#buffer = '';
    this.#lines = [];
    this.#answers.length = 0;
    try {
      this.#socket = await secured(this.#socket, this.#host, this.#ca, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw notSent(error);
    }
    this.#listen();
  }

  close(): void {
    this.#socket.removeAllListeners();
    this.#socket.on('error', () => undefined);
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (piece: string) => this.#take(piece));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  #take(piece: string): void {
    this.#buffer += piece;
    if (this.#buffer.length > longestAnswer) return this.#fail(new Error('the answer is too long'));
    for (let end = this.#buffer.indexOf('\n'); end >= 0; end = this.#buffer.indexOf('\n')) {
      const line = this.#buffer.slice(0, end).replace(/\r$/, '');
      this.#buffer = this.#buffer.slice(end + 1);
      const found = /^(\d{3})([ -]?)(.*)$/.exec(line);
      if (found === null) return this.#fail(new Error('the answer is not that of a mail server'));
      this.#lines.push(found[3] ?? '');
      if (this.#lines.length > 500) return this.#fail(new Error('the answer is too long'));
      if (found[2] === '-') continue;
      const answer = { code: Number(found[1]), lines: this.#lines };
      this.#lines = [];
      if (this.#waiting === undefined) this.#answers.push(answer);
      else this.#waiting.resolve(answer);
    }
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.reject(error);
    this.#socket.destroy();
  }
}

async function secured(socket: Socket, host: string, ca: string | undefined, signal: AbortSignal): Promise<Socket> {
  trustSystemCertificates();
  const secure = connectTls({
    socket,
    minVersion: 'TLSv1.2',
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
  });
  await settled(secure, 'secureConnect', signal);
  return secure;
}

async function settled(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const stop = (): void => void socket.destroy(new Error('no connection in time'));
  within.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => socket.once(event, resolve).once('error', reject));
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    within.removeEventListener('abort', stop);
  }
}

function notSent(error: unknown): CausewayError {
  if (error instanceof CausewayError && error.code === 'notification.mail-not-sent') return error;
  return new CausewayError('notification.mail-not-sent', error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}
