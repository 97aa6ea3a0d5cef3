import { z } from 'zod';
import type { HttpClient } from '../../../http/http-client.ts';
import type { HttpAnswer, HttpRequest } from '../../../http/http-request.ts';
import { createJsonApi, type JsonApi } from '../../../http/json-api.ts';

export interface ListRequest {
  readonly operation: string;
  readonly path: string;
  /** The key under which the answer has its items, e.g. `servers`. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** One service of the cloud as one project sees it. Paths follow the version in the service's URL. */
export interface ServiceApi extends JsonApi {
  /** All items of a list, over all of its pages. */
  list<S extends z.ZodType>(item: S, request: ListRequest, signal: AbortSignal): Promise<readonly z.infer<S>[]>;
  /** The same for a single resource that stands under a key, e.g. `{"server": {…}}`; undefined when it is not there. */
  findIn<S extends z.ZodType>(
    key: string,
    item: S,
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<z.infer<S> | undefined>;
  readIn<S extends z.ZodType>(key: string, item: S, request: HttpRequest, signal: AbortSignal): Promise<z.infer<S>>;
}

/** More pages than any project has: a server that links a page to itself must not keep us for ever. */
const mostPages = 1_000;

/**
 * @param headers sent with every request, e.g. the version of the interface
 */
export function createServiceApi(
  client: (signal: AbortSignal) => Promise<HttpClient>,
  headers: Readonly<Record<string, string>> = {},
): ServiceApi {
  const request = async (sent: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> =>
    (await client(signal)).request({ ...sent, headers: { ...headers, ...sent.headers } }, signal);
  const json = createJsonApi({ request });
  return {
    ...json,
    async list(item, { operation, path, key, query }, signal) {
      const page = z.looseObject({ [key]: z.array(item) });
      const all: z.infer<typeof item>[] = [];
      let next: Readonly<Record<string, string>> | undefined = query ?? {};
      for (let number = 0; next !== undefined && number < mostPages; number += 1) {
        const body: Readonly<Record<string, unknown>> = await json.read(
          page,
          { operation, method: 'GET', path, query: next },
          signal,
        );
        const items = body[key] as z.infer<typeof item>[];
        all.push(...items);
        // A page without items is the last one, whatever it links to.
        next = items.length === 0 ? undefined : nextPage(body, key);
      }
      return all;
    },
    findIn: async (key, item, sent, signal) =>
      (await json.find(z.looseObject({ [key]: item }), sent, signal))?.[key] as z.infer<typeof item> | undefined,
    readIn: async (key, item, sent, signal) =>
      (await json.read(z.looseObject({ [key]: item }), sent, signal))[key] as z.infer<typeof item>,
  };
}

const linksSchema = z.array(z.looseObject({ rel: z.string(), href: z.string() }));

/**
 * The query of the next page. Services link to it in three ways: `<key>_links`, `next` (images), `links.next`
 * (identity). Only the query is taken: behind proxies, hosts and paths of such links are often wrong, and a token must
 * not follow them.
 */
function nextPage(body: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, string>> | undefined {
  const links = linksSchema.safeParse(body[`${key}_links`]);
  const nested = z.looseObject({ next: z.string() }).safeParse(body['links']);
  const href =
    links.data?.find((link) => link.rel === 'next')?.href ??
    (typeof body['next'] === 'string' ? body['next'] : nested.data?.next);
  if (href === undefined) return undefined;
  const query = href.indexOf('?');
  return query === -1 ? undefined : Object.fromEntries(new URLSearchParams(href.slice(query + 1)));
}
