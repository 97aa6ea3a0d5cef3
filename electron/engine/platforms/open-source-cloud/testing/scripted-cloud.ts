import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it came in. */
export interface SeenRequest {
  readonly method: string;
  /** Service and path, e.g. `compute/servers?limit=2`. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ScriptedCloud {
  readonly connection: Readonly<Record<string, unknown>>;
  readonly requests: SeenRequest[];
  /** All but signing in. */
  calls(): readonly string[];
  /** How often somebody signed in. */
  signIns(): number;
  url: string;
  close(): void;
}

const serviceTypes: Readonly<Record<string, string>> = { compute: 'compute', volume: 'volumev3', network: 'network', image: 'image', objectstore: 'object-store' };

/**
 * A cloud of one loopback server: it signs everybody in with tokens `token-1`, `token-2`… and asks `answer` for the rest.
 * What `answer` gives nothing for is "not found".
 */
export async function startScriptedCloud(
  answer: (request: SeenRequest, number: number) => ScriptedAnswer | undefined,
  options: { readonly tokenLifeMs?: number; readonly now?: () => number; readonly catalog?: (url: string) => unknown; readonly signIn?: () => ScriptedAnswer } = {},
): Promise<ScriptedCloud> {
  const requests: SeenRequest[] = [];
  let signIns = 0;
  let url = '';
  const now = options.now ?? Date.now;
  const catalog = (): unknown => options.catalog?.(url) ?? Object.entries(serviceTypes).map(([name, type]) => ({
    type, name, endpoints: [{ interface: 'public', region: 'RegionOne', region_id: 'RegionOne', url: `${url}/${name}` }],
  }));
  const signIn = (): ScriptedAnswer => options.signIn?.() ?? {
    status: 201,
    headers: { 'x-subject-token': `token-${signIns}` },
    body: {
      token: {
        expires_at: new Date(now() + (options.tokenLifeMs ?? 3_600_000)).toISOString(), user: { id: 'u1', name: 'migration' }, project: { id: 'p1', name: 'production' },
        roles: [{ name: 'member' }], catalog: catalog(),
      },
    },
  };
  const server: Server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.once('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      // Versions in paths are the client's to add; they say nothing here.
      const target = (incoming.url ?? '').slice(1).replace(/^(compute|network|image)\/v2(\.[01])?(?=\/)/, '$1');
      const request: SeenRequest = { method: incoming.method ?? '', target, headers: incoming.headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
      requests.push(request);
      const isSignIn = target === 'identity/v3/auth/tokens';
      if (isSignIn) signIns += 1;
      const { status = 200, headers = {}, body } = (isSignIn ? signIn() : answer(request, requests.length)) ?? { status: 404, body: { itemNotFound: { code: 404, message: 'not found' } } };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? undefined : Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    connection: { auth_url: `${url}/identity`, username: 'migration', password: 'pass word', project_name: 'production' },
    calls: () => requests.filter(({ target }) => !target.startsWith('identity/')).map(({ method, target }) => `${method} ${target}`),
    signIns: () => signIns,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
