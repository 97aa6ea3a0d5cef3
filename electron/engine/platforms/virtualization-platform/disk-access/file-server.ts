import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request, type AgentOptions } from 'node:https';
import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { httpsAgent } from '../../../http/https-agent.ts';
import type { Trust } from '../../../http/transport.ts';

/** How the certificate of a server is verified: like the endpoint's, or by the thumbprint that the platform gave for this server. */
export type FileServerTrust = Trust | { readonly sslThumbprint: string };

export interface FileServerAddress {
  readonly host: string;
  readonly port: number;
  readonly trust: FileServerTrust;
}

export interface FileRequest {
  readonly method: 'GET' | 'HEAD';
  /** With its query, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A connection without a byte for this long is lost. */
const INACTIVITY_MS = 60_000;

/**
 * An HTTPS server that files are downloaded from. Unlike the API client it hands bodies out as they arrive: a disk fits into
 * no memory. Connections are kept and reused; no redirect is followed.
 */
export class FileServer {
  readonly name: string;
  readonly #address: FileServerAddress;
  readonly #agent: Agent;
  readonly #inactivityMs: number;

  constructor(address: FileServerAddress, inactivityMs = INACTIVITY_MS) {
    this.#address = address;
    this.#inactivityMs = inactivityMs;
    this.name = `${address.host}:${address.port}`;
    this.#agent = agentFor(address.trust, this.name, inactivityMs);
  }

  /**
   * Resolves with the head of the response; its body is read, or destroyed, by the caller.
   * @throws CausewayError source.unreachable, source.tls-refused, source.connection-lost, general.cancelled
   */
  async send({ method, path, headers = {} }: FileRequest, signal: AbortSignal): Promise<IncomingMessage> {
    throwIfCancelled(signal);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { host, port } = this.#address;
    const outgoing = request(
      { host, port, path, method, headers: { 'user-agent': 'causeway', ...headers }, agent: this.#agent, signal },
      resolve,
    );
    outgoing.setTimeout(this.#inactivityMs, () => outgoing.destroy(new Error(`no data for ${this.#inactivityMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end();
    try {
      return await promise;
    } catch (error) {
      throwIfCancelled(signal);
      throw linkFailure(this.name, error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A failed connection, or one that broke while a body was read, as an error of the source. */
export function linkFailure(server: string, thrown: unknown): CausewayError {
  if (thrown instanceof CausewayError)
    return thrown.code === 'transport.unreachable'
      ? new CausewayError('source.unreachable', `${server}: ${thrown.message}`, { cause: thrown })
      : thrown;
  const code = thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  const why = `${server}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  if (/CERT|SIGNATURE|^ERR_TLS/.test(code)) return new CausewayError('source.tls-refused', why, { cause: thrown });
  const isUnreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code);
  return new CausewayError(isUnreachable ? 'source.unreachable' : 'source.connection-lost', why, { cause: thrown });
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw signal.reason instanceof CausewayError
    ? signal.reason
    : new CausewayError('general.cancelled', 'reading from the source was cancelled');
}

function agentFor(trust: FileServerTrust, server: string, handshakeMs: number): Agent {
  const options: AgentOptions = { keepAlive: true, minVersion: 'TLSv1.2' };
  if ('sslThumbprint' in trust) return new PinnedAgent(options, trust.sslThumbprint, server, handshakeMs);
  const { caCertificate, allowUntrusted } = trust;
  return httpsAgent({ caCertificate, allowUntrusted }, options);
}

/** Hands a connection out only after its certificate was compared: no header, and so no session, reaches another server. */
class PinnedAgent extends Agent {
  readonly #thumbprint: Buffer;
  readonly #server: string;
  readonly #handshakeMs: number;
  /** Connections that are not handed out yet: the agent knows nothing of them. */
  readonly #pending = new Set<TLSSocket>();

  constructor(options: AgentOptions, thumbprint: string, server: string, handshakeMs: number) {
    super(options);
    this.#handshakeMs = handshakeMs;
    this.#thumbprint = Buffer.from(thumbprint.replaceAll(':', ''), 'hex');
    this.#server = server;
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const host = options.host ?? '';
    const socket = connect({
      ...options,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const timer = setTimeout(
      () => socket.destroy(new Error(`no TLS handshake within ${this.#handshakeMs} ms`)),
      this.#handshakeMs,
    );
    const settled = (): void => {
      clearTimeout(timer);
      this.#pending.delete(socket);
    };
    const fail = (error: Error): void => {
      settled();
      callback?.(error, socket);
    };
    this.#pending.add(socket);
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      settled();
      socket.off('error', fail);
      const refusal = this.#refusal(socket);
      if (refusal === undefined) return callback?.(null, socket);
      socket.on('error', () => undefined).destroy();
      fail(refusal);
    });
    return undefined;
  }

  override destroy(): void {
    for (const socket of this.#pending) socket.destroy(new Error('the connection was closed'));
    super.destroy();
  }

  #refusal(socket: TLSSocket): CausewayError | undefined {
    const shown = socket.getPeerX509Certificate()?.fingerprint ?? '';
    const seen = Buffer.from(shown.replaceAll(':', ''), 'hex');
    if (seen.length === 20 && this.#thumbprint.length === 20 && timingSafeEqual(seen, this.#thumbprint))
      return undefined;
    return new CausewayError(
      'source.tls-refused',
      `${this.#server}: the certificate has the thumbprint ${shown || '(none)'}, which is not the one that the platform gave for this host`,
    );
  }
}
