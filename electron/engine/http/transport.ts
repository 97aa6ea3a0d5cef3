import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { copyBytes } from '../concurrency/copy-bytes.ts';
import { httpsAgent } from './https-agent.ts';
import { isCertificateCode } from './http-error.ts';
import { conditionHere } from './request-condition.ts';
import { certificateIssuers } from './server-certificates.ts';

export interface TransportRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** A body that is no text, in place of one that is. */
  readonly bytes?: Uint8Array | undefined;
  /** Where the bytes of the part (206) go that the request's range asks for, exactly as long as this. The answer says whether they did; nothing writes there after it or after a failure. */
  readonly into?: Uint8Array | undefined;
}

export interface TransportAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The body is where the request wanted it, and `bytes` is empty. */
  readonly isInPlace?: true;
}

/** The CA or pin that a connection trusts instead of the system's authorities. */
export interface Trust {
  /** PEM of the one authority that is trusted; it may be the server's own certificate. */
  readonly caCertificate?: string | undefined;
  /** No certificate is verified at all: anyone in between can read and change everything. Only when a person chose it. */
  readonly allowUntrusted?: boolean | undefined;
}

/** Carries one request to its server and its whole answer back. Follows no redirect: a token must not go to another host. */
export interface Transport {
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer>;
  close(): void;
}

/** Larger answers do not come from an API. */
const largestAnswerBytes = 64 * 2 ** 20;

/**
 * The transport over Node's own HTTP stack, which, unlike `fetch`, takes a certificate authority for one server alone.
 * Connections are kept and reused.
 */
export function createTransport({ caCertificate, allowUntrusted = false }: Trust = {}): Transport {
  const plain = new HttpAgent({ keepAlive: true });
  // Proxies lead to clouds; what goes to loopback without TLS is never proxied.
  const secure = httpsAgent({ caCertificate, allowUntrusted }, { keepAlive: true });
  return {
    async send({ url, method, headers, body: text, bytes, into }, signal) {
      const mayBegin = conditionHere();
      mayBegin();
      const { promise, resolve, reject } = Promise.withResolvers<TransportAnswer>();
      const onAnswer = (answer: IncomingMessage): void => {
        const facts = { status: answer.statusCode ?? 0, headers: headersOf(answer) };
        const isPart =
          into !== undefined &&
          facts.status === 206 &&
          answer.headers['content-length'] === String(into.length) &&
          beginsAsAsked(answer, headers);
        const whole = isPart
          ? fill(answer, into).then((): TransportAnswer => ({ ...facts, bytes: nothing, isInPlace: true }))
          : readBytes(answer).then((all) => ({ ...facts, bytes: all }));
        whole.then(resolve, reject);
      };
      const body = bytes ?? text;
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...headers, ...length }, signal };
      const outgoing =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, agent: secure }, onAnswer)
          : httpRequest(url, { ...options, agent: plain }, onAnswer);
      // On a new connection nothing was sent yet.
      outgoing.once(
        'socket',
        (socket) =>
          socket.connecting &&
          socket.once('connect', () => {
            try {
              mayBegin();
            } catch (error) {
              outgoing.destroy(error as Error);
            }
          }),
      );
      outgoing.once('error', (error: NodeJS.ErrnoException) => void withIssuers(error, url, signal).then(reject));
      outgoing.end(body);
      return promise;
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** An untrusted certificate says who issued it: a TLS-inspecting proxy is recognised by that. */
async function withIssuers(error: NodeJS.ErrnoException, url: URL, signal: AbortSignal): Promise<Error> {
  if (!isCertificateCode(error.code ?? '') || signal.aborted) return error;
  const issuers = await certificateIssuers(url.host, signal).catch(() => []);
  return issuers.length === 0 ? error : Object.assign(error, { issuers });
}

async function readBytes(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > largestAnswerBytes) throw new Error(`a response of more than ${largestAnswerBytes} bytes`);
    parts.push(part);
  }
  if (!answer.complete) throw new Error('the response was cut off');
  return Buffer.concat(parts);
}

const nothing = Buffer.alloc(0);

/** A cache on the way may answer with another part of the same length. */
function beginsAsAsked(answer: IncomingMessage, asked: Readonly<Record<string, string>>): boolean {
  const range = Object.entries(asked).find(([name]) => /^(x-ms-)?range$/i.test(name))?.[1] ?? '';
  const [, first] = /^bytes=(\d+)-/.exec(range) ?? [];
  return first !== undefined && (answer.headers['content-range'] ?? '').startsWith(`bytes ${first}-`);
}

/** A disk is read in megabytes: no copy of them is made on the way. */
function fill(answer: IncomingMessage, into: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let at = 0;
  answer.on('data', (part: Buffer) => {
    copyBytes(part, into, at);
    at += part.length;
  });
  answer.once('error', reject);
  // Node ends a body at its announced length, and closes one that was cut off.
  answer.once('close', () =>
    answer.complete && at === into.length ? resolve() : reject(new Error('the response was cut off')),
  );
  return promise;
}

function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  return headers;
}
