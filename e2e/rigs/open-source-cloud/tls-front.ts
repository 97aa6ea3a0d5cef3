import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { run } from '../machines/child-process.ts';

/** The services as whoever stands in front of them knows them: by their ports. */
const servicePorts = {
  identity: 15_000,
  compute: 18_774,
  volume: 18_776,
  image: 19_292,
  network: 19_696,
  objectstore: 18_080,
} as const;
type Service = keyof typeof servicePorts;

/** The rig's services behind TLS, as most clouds have them. */
export interface TlsFront {
  readonly authUrl: string;
  /** PEM of the authority that signed the servers' certificates. */
  readonly authority: string;
  /** Requests that came through, as `<service> <method> <path>`. */
  readonly seen: readonly string[];
  /** From now on, lists come in pages of so many items; undefined: as the services like it. */
  pageBy(items: number | undefined): void;
  close(): Promise<void>;
}

/**
 * Ends TLS in front of every service, with certificates of an authority of its own, and has all addresses in answers lead
 * here again: the catalogue's, and those of next pages.
 *
 * @param folder for keys
 * @param stranger a service whose certificate another authority signed
 */
export async function startTlsFront(folder: string, stranger?: Service): Promise<TlsFront> {
  const own = await makeAuthority(folder, 'rig');
  const other = stranger === undefined ? own : await makeAuthority(folder, 'stranger');
  const seen: string[] = [];
  let pageSize: number | undefined;
  const ports = new Map<number, number>();
  await using stack = new AsyncDisposableStack();
  const outward = (text: string): string =>
    text.replaceAll(/http:\/\/127\.0\.0\.1:(\d+)/g, (all, port: string) => {
      const front = ports.get(Number(port));
      return front === undefined ? all : `https://localhost:${front}`;
    });
  for (const [name, port] of Object.entries(servicePorts)) {
    const { key, cert } = name === stranger ? other : own;
    const server = createServer({ key, cert }, (incoming, response) => {
      seen.push(`${name} ${incoming.method ?? ''} ${incoming.url ?? ''}`);
      forward(incoming, response, { port, path: paged(incoming, pageSize), outward });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    ports.set(port, (server.address() as AddressInfo).port);
    stack.defer(() => {
      server.close();
      server.closeAllConnections();
    });
  }
  const opened = stack.move();
  return {
    authUrl: `https://localhost:${ports.get(servicePorts.identity)}/v3`,
    authority: own.authority,
    seen,
    pageBy(items) {
      pageSize = items;
    },
    close: () => opened.disposeAsync(),
  };
}

const lists =
  /\/(servers\/detail|flavors\/detail|volumes\/detail|v2\/images|v2\.0\/(networks|subnets|ports|security-groups))(\?|$)/;

function paged({ method, url = '' }: IncomingMessage, pageSize: number | undefined): string {
  if (pageSize === undefined || method !== 'GET' || !lists.test(url)) return url;
  const [path = '', query] = url.split('?');
  const asked = new URLSearchParams(query);
  asked.set('limit', String(pageSize));
  return `${path}?${asked.toString()}`;
}

interface Way {
  readonly port: number;
  readonly path: string;
  readonly outward: (text: string) => string;
}

function forward(incoming: IncomingMessage, response: ServerResponse, { port, path, outward }: Way): void {
  const { host: _, connection: __, ...headers } = incoming.headers;
  const outgoing = request(
    {
      host: '127.0.0.1',
      port,
      path,
      method: incoming.method,
      headers: { ...headers, host: `127.0.0.1:${port}`, 'user-agent': 'tls-front' },
    },
    (answer) => {
      if (!/json/.test(answer.headers['content-type'] ?? '')) {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        return;
      }
      const parts: Buffer[] = [];
      answer
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const body = outward(Buffer.concat(parts).toString());
          const { 'transfer-encoding': ___, ...kept } = answer.headers;
          response
            .writeHead(answer.statusCode ?? 502, { ...kept, 'content-length': String(Buffer.byteLength(body)) })
            .end(body);
        });
    },
  );
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

async function makeAuthority(
  folder: string,
  name: string,
): Promise<{ readonly authority: string; readonly key: string; readonly cert: string }> {
  const at = (file: string): string => join(folder, `${name}-${file}`);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-subj',
    `/CN=${name} authority`,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
  ]);
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost,IP:127.0.0.1',
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    '-CA',
    at('ca.pem'),
    '-CAkey',
    at('ca.key'),
    '-keyout',
    at('server.key'),
    '-out',
    at('server.pem'),
  ]);
  const [authority, serverKey, cert] = await Promise.all(
    ['ca.pem', 'server.key', 'server.pem'].map((file) => readFile(at(file), 'utf8')),
  );
  return { authority: authority ?? '', key: serverKey ?? '', cert: cert ?? '' };
}
