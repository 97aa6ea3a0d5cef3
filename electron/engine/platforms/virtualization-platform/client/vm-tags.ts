import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonValue } from '../../../../../shared/model/json.ts';
import { transportError } from '../../../http/http-error.ts';
import { createTransport, type Transport } from '../../../http/transport.ts';
import type { SessionOptions } from './session.ts';

/** As for the API that everything else is in; `timeoutMs` is for one request. */
export type TagOptions = Omit<SessionOptions, 'clock' | 'random' | 'backOff'>;

/** One of the two forms of the service that has tags: they are not in the API that everything else is in. */
interface TagApi {
  readonly session: string;
  readonly attached: string;
  readonly tag: string;
  readonly category: string;
  unwrap(answer: JsonValue): JsonValue | undefined;
}

/** Servers from 7.0 Update 2 on have the first; all others, and simulators, the second. */
const apis: readonly TagApi[] = [
  {
    session: '/api/session',
    attached: '/api/cis/tagging/tag-association?action=list-attached-tags-on-objects',
    tag: '/api/cis/tagging/tag/',
    category: '/api/cis/tagging/category/',
    unwrap: (answer) => answer,
  },
  {
    session: '/rest/com/vmware/cis/session',
    attached: '/rest/com/vmware/cis/tagging/tag-association?~action=list-attached-tags-on-objects',
    tag: '/rest/com/vmware/cis/tagging/tag/id:',
    category: '/rest/com/vmware/cis/tagging/category/id:',
    unwrap: (answer) => (isJsonObject(answer) ? answer['value'] : undefined),
  },
];

/** VMs that are asked about at a time, and tags. */
const vmsAtATime = 500;
const tagsAtATime = 8;
/** Nobody waits longer for tags: VMs are listed without them. */
const deadlineMs = 60_000;
const requestMs = 20_000;
const closingMs = 5000;

/**
 * The tags of VMs of a management server, each as `category: name`. Takes a session of its own, and ends it again.
 *
 * @returns by id of the VM; VMs without tags are not in it
 * @throws CausewayError source.unsupported where there is no such service, other `source.*` codes
 */
export async function readVmTags(
  options: TagOptions,
  vmIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new TagClient(options, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
  try {
    for (const api of apis) {
      if (!(await client.open(api))) continue;
      try {
        return await tagsOf(client, api, vmIds);
      } finally {
        await client.end(api);
      }
    }
    throw new CausewayError('source.unsupported', `${options.host} has no service for tags`);
  } catch (error) {
    if (signal.aborted)
      throw signal.reason instanceof CausewayError
        ? signal.reason
        : new CausewayError('general.cancelled', 'reading tags was cancelled', { cause: error });
    throw error;
  } finally {
    client.close();
  }
}

async function tagsOf(
  client: TagClient,
  api: TagApi,
  vmIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const attached = new Map<string, readonly string[]>();
  for (const ids of chunks(vmIds, vmsAtATime)) {
    const listed = await client.ask(api, 'POST', api.attached, {
      object_ids: ids.map((id) => ({ id, type: 'VirtualMachine' })),
    });
    for (const entry of Array.isArray(listed) ? (listed as readonly JsonValue[]) : []) {
      if (!isJsonObject(entry) || !isJsonObject(entry['object_id'] ?? null)) continue;
      const id = (entry['object_id'] as Readonly<Record<string, JsonValue>>)['id'];
      const tags = Array.isArray(entry['tag_ids'])
        ? (entry['tag_ids'] as readonly JsonValue[]).filter((tag) => typeof tag === 'string')
        : [];
      if (typeof id === 'string' && tags.length > 0) attached.set(id, tags);
    }
  }
  const tags = await describeAll(client, api, api.tag, [...attached.values()].flat());
  const categories = await describeAll(
    client,
    api,
    api.category,
    [...tags.values()].flatMap(({ categoryId }) => categoryId ?? []),
  );
  const nameOf = (id: string): readonly string[] => {
    const tag = tags.get(id);
    const category = categories.get(tag?.categoryId ?? '');
    return tag === undefined ? [] : [category === undefined ? tag.name : `${category.name}: ${tag.name}`];
  };
  return new Map(
    [...attached].map(([vmId, ids]) => [vmId, ids.flatMap(nameOf).toSorted((one, other) => one.localeCompare(other))]),
  );
}

interface Described {
  readonly name: string;
  readonly categoryId: string | undefined;
}

/** Each tag, or category, once. One that is gone meanwhile, or that the account can't see, is missing. */
async function describeAll(
  client: TagClient,
  api: TagApi,
  path: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Described>> {
  const found = new Map<string, Described>();
  for (const some of chunks(
    [...new Set(ids)].filter((id) => /^[\w:.-]+$/.test(id)),
    tagsAtATime,
  )) {
    await Promise.all(
      some.map(async (id) => {
        const answer = await client.ask(api, 'GET', `${path}${id}`);
        if (answer === undefined || !isJsonObject(answer) || typeof answer['name'] !== 'string') return;
        const categoryId = answer['category_id'];
        found.set(id, { name: answer['name'], categoryId: typeof categoryId === 'string' ? categoryId : undefined });
      }),
    );
  }
  return found;
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

class TagClient {
  readonly #options: TagOptions;
  readonly #signal: AbortSignal;
  readonly #transport: Transport;
  #token: string | undefined;

  constructor(options: TagOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#transport =
      options.transport ??
      createTransport({ caCertificate: options.caCertificate, allowUntrusted: options.allowUntrusted });
  }

  /** False where the server does not have this form of the service. */
  async open(api: TagApi): Promise<boolean> {
    const { username, password } = this.#options;
    const basic = `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
    const { status, value } = await this.#send(
      api,
      'POST',
      api.session,
      { authorization: basic },
      undefined,
      this.#signal,
    );
    if (status === 404) return false;
    if (status >= 300 || typeof value !== 'string') throw refusal('signing in for tags', status);
    this.#token = value;
    return true;
  }

  /** Undefined for what the account can't see. */
  async ask(api: TagApi, method: 'GET' | 'POST', path: string, body?: JsonValue): Promise<JsonValue | undefined> {
    const { status, value } = await this.#send(api, method, path, this.#session, body, this.#signal);
    if (method === 'GET' && (status === 403 || status === 404)) return undefined;
    if (status >= 300) throw refusal('reading tags', status);
    return value;
  }

  /** As far as that is possible: the server ends it by itself some day. */
  async end(api: TagApi): Promise<void> {
    await this.#send(api, 'DELETE', api.session, this.#session, undefined, AbortSignal.timeout(closingMs)).catch(
      () => undefined,
    );
    this.#token = undefined;
  }

  close(): void {
    this.#transport.close();
  }

  get #session(): Readonly<Record<string, string>> {
    return { 'vmware-api-session-id': this.#token ?? '' };
  }

  async #send(
    api: TagApi,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: JsonValue | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly value: JsonValue | undefined }> {
    const { host, port, timeoutMs = requestMs } = this.#options;
    const url = new URL(`https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}${path}`);
    try {
      const { status, bytes } = await this.#transport.send(
        {
          url,
          method,
          body: body === undefined ? undefined : JSON.stringify(body),
          headers: {
            accept: 'application/json',
            'user-agent': 'causeway',
            ...headers,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
        },
        AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      );
      return {
        status,
        value:
          status < 300 && bytes.length > 0 ? api.unwrap(JSON.parse(bytes.toString('utf8')) as JsonValue) : undefined,
      };
    } catch (thrown) {
      if (thrown instanceof SyntaxError)
        throw new CausewayError('source.protocol', `${method} ${url.pathname}: not JSON`, { cause: thrown });
      const { message, details } = transportError(
        { operation: 'read tags', method, path: url.pathname },
        url.host,
        thrown,
      );
      const { arrived } = details;
      throw new CausewayError(arrived === false ? 'source.unreachable' : 'source.connection-lost', message, {
        details,
        cause: thrown,
      });
    }
  }
}

function refusal(what: string, status: number): CausewayError {
  const code =
    status === 401 ? 'source.login-refused' : status === 403 ? 'source.permission-denied' : 'source.request-refused';
  return new CausewayError(code, `${what}: HTTP ${status}`, { details: { status } });
}
