import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiDescriptions } from './api-descriptions/api-descriptions.ts';

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
  /** How often a client signed in. */
  signIns(): number;
  url: string;
  /** @throws when a request was not as the services' descriptions want it, where the environment names those */
  close(): void;
}

/** By name: the type and what follows the name in the URL. Versions that are left out are the client's to add. */
const services: Readonly<Record<string, readonly [type: string, path: string]>> = {
  compute: ['compute', ''],
  volume: ['volumev3', '/v3/p1'],
  network: ['network', ''],
  image: ['image', ''],
  objectstore: ['object-store', '/v1/AUTH_p1'],
};
/** Versions and projects in paths say nothing to those who answer. */
const versionInPath = /^(compute|network|image|volume|objectstore)\/v\d+(?:\.\d+)?(?:\/p1|\/AUTH_p1)?(?=[/?]|$)/;

/**
 * A cloud of one loopback server: it signs everybody in with tokens `token-1`, `token-2`… and asks `answer` for the rest.
 * What `answer` gives nothing for is "not found".
 */
export async function startScriptedCloud(
  answer: (request: SeenRequest, number: number) => ScriptedAnswer | undefined,
  options: {
    readonly tokenLifeMs?: number;
    readonly now?: () => number;
    readonly catalog?: (url: string) => unknown;
    readonly signIn?: () => ScriptedAnswer;
  } = {},
): Promise<ScriptedCloud> {
  const requests: SeenRequest[] = [];
  let signIns = 0;
  let url = '';
  const now = options.now ?? Date.now;
  const descriptions = ApiDescriptions.ofEnvironment();
  const catalog = (): unknown =>
    options.catalog?.(url) ??
    Object.entries(services).map(([name, [type, path]]) => ({
      type,
      name,
      endpoints: [{ interface: 'public', region: 'RegionOne', region_id: 'RegionOne', url: `${url}/${name}${path}` }],
    }));
  const signIn = (): ScriptedAnswer =>
    options.signIn?.() ?? {
      status: 201,
      headers: { 'x-subject-token': `token-${signIns}` },
      body: {
        token: {
          expires_at: new Date(now() + (options.tokenLifeMs ?? 3_600_000)).toISOString(),
          user: { id: 'u1', name: 'migration' },
          project: { id: 'p1', name: 'production' },
          roles: [{ name: 'member' }],
          catalog: catalog(),
        },
      },
    };
  const server: Server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.once('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      const target = (incoming.url ?? '').slice(1).replace(versionInPath, '$1');
      const request: SeenRequest = {
        method: incoming.method ?? '',
        target,
        headers: incoming.headers,
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      };
      requests.push(request);
      descriptions?.check({ ...request, url: new URL(incoming.url ?? '/', url) });
      const isSignIn = target === 'identity/v3/auth/tokens';
      if (isSignIn) signIns += 1;
      const {
        status = 200,
        headers = {},
        body,
      } = (isSignIn ? signIn() : answer(request, requests.length)) ?? {
        status: 404,
        body: { itemNotFound: { code: 404, message: 'not found' } },
      };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? undefined : Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    connection: {
      auth_url: `${url}/identity`,
      username: 'migration',
      password: 'pass word',
      project_name: 'production',
    },
    calls: () =>
      requests
        .filter(({ target }) => !target.startsWith('identity/'))
        .map(({ method, target }) => `${method} ${target}`),
    signIns: () => signIns,
    close() {
      server.close();
      server.closeAllConnections();
      if (descriptions !== undefined && descriptions.violations.length > 0)
        throw new Error(`requests that the services do not describe:\n${descriptions.violations.join('\n')}`);
    },
  };
}
