import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { isLoopbackHost } from '../../../shared/model/ip-address.ts';
import { proxies } from './proxies.ts';
import { trustSystemCertificates } from './system-certificates.ts';

/** What a server is trusted by, instead of the authorities of Node and of the operating system. */
interface AgentTrust {
  readonly caCertificate?: string | undefined;
  readonly allowUntrusted?: boolean | undefined;
}

/** Until a proxy has opened a connection. */
const openMs = 30_000;

/** What every TLS connection towards a platform goes through: the proxies in effect, and what it trusts. */
export function httpsAgent({ caCertificate, allowUntrusted = false }: AgentTrust, options: AgentOptions = {}): Agent {
  trustSystemCertificates();
  return new RoutedAgent({
    ...options,
    minVersion: 'TLSv1.2',
    ...(caCertificate === undefined ? {} : { ca: caCertificate, allowPartialTrustChain: true }),
    ...(allowUntrusted ? { rejectUnauthorized: false } : {}),
  });
}

/** Asks for each new connection which way leads to its host. Errors are those of `proxies.open`. */
class RoutedAgent extends Agent {
  #closing = new AbortController();

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const host = options.host ?? '';
    if (isLoopbackHost(host) || callback === undefined) return super.createConnection(options, callback);
    const open = async (): Promise<Duplex> => {
      const { socket } = await proxies.open(host, options.port ?? 443, openMs, this.#closing.signal);
      const over: ConnectionOptions = socket === undefined ? options : { ...options, socket };
      return super.createConnection(over) as Duplex;
    };
    open().then(
      (stream) => callback(null, stream),
      (error: unknown) => callback(error as Error, undefined as unknown as Duplex),
    );
    return undefined;
  }

  override destroy(): void {
    this.#closing.abort();
    // An agent can be used again.
    this.#closing = new AbortController();
    super.destroy();
  }
}
