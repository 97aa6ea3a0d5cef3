/** One project's view of the rig's services, for setting it up and for looking behind the product's back in tests. */
export interface RigApi {
  readonly projectId: string;
  /** Calls `path` below the endpoint of a service type. Rejects with what the service said; 404 of a DELETE is fine. */
  call<T = Record<string, unknown>>(
    service: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
  /** Sends bytes, e.g. an image's. */
  upload(service: string, path: string, bytes: Uint8Array): Promise<void>;
}

export interface RigLogin {
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly projectName: string;
}

/** Microversions that give the fields that the rig and its specs look at. */
const versions: Readonly<Record<string, string>> = {
  'X-OpenStack-Nova-API-Version': '2.79',
  'OpenStack-API-Version': 'volume 3.70',
};

interface Catalog {
  readonly type: string;
  readonly endpoints: readonly { readonly interface: string; readonly url: string }[];
}

/** Logs in. The token lasts a day, longer than any rig. */
export async function logIn(login: RigLogin): Promise<RigApi> {
  const domain = { name: 'Default' };
  const response = await fetch(`${login.authUrl}/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: login.username, password: login.password, domain } },
        },
        scope: { project: { name: login.projectName, domain } },
      },
    }),
  });
  if (!response.ok) throw new Error(`the rig's identity service answered ${response.status}: ${await response.text()}`);
  const token = response.headers.get('X-Subject-Token') ?? '';
  const { token: body } = (await response.json()) as { token: { project: { id: string }; catalog: Catalog[] } };
  const base = (service: string): string => {
    const entry = body.catalog.find((one) => one.type === service);
    const url = entry?.endpoints.find((endpoint) => endpoint.interface === 'public')?.url;
    if (url === undefined) throw new Error(`the rig has no service ${service}`);
    return url;
  };
  const send = async (service: string, method: string, path: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(base(service) + path, {
      ...init,
      method,
      headers: { 'X-Auth-Token': token, ...versions, ...init.headers },
    });
    if (answer.ok || (method === 'DELETE' && answer.status === 404)) return answer;
    throw new Error(`${method} ${service}${path} answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
  };
  return {
    projectId: body.project.id,
    async call<T>(
      service: string,
      method: string,
      path: string,
      content?: unknown,
      headers?: Readonly<Record<string, string>>,
    ) {
      const sent = content === undefined ? {} : { body: JSON.stringify(content) };
      const answer = await send(service, method, path, {
        ...sent,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
      const text = await answer.text();
      return (text === '' || !/json/.test(answer.headers.get('Content-Type') ?? '') ? {} : JSON.parse(text)) as T;
    },
    async upload(service, path, bytes) {
      await send(service, 'PUT', path, {
        body: bytes as Uint8Array<ArrayBuffer>,
        headers: { 'Content-Type': 'application/octet-stream' },
      });
    },
  };
}
