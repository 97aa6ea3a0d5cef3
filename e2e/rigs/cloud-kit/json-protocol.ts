import { ApiError, notFound } from './call.ts';
import type { KitRequest, Reply, Route } from './call.ts';

/** How requests and answers of an API are written. */
export interface Protocol {
  /** Which operation a request is for; undefined when there is none. */
  route(request: KitRequest): Route | undefined;
  /** The body as operations see it; undefined when the request has none. Throws what the API answers to one that it can't read. */
  decode(request: KitRequest, route: Route): Readonly<Record<string, unknown>> | undefined;
  /** An operation's reply as it is sent: `body` becomes a buffer, a string or undefined. */
  encode(reply: Reply, route: Route | undefined, requestId: string): Reply;
  /** An error in the API's own form, still to be encoded. */
  error(error: ApiError, requestId: string, route?: Route | undefined): Reply;
}

/** Operations as `METHOD path` → operation id; a path may begin with one of the `prefixes`' short names. */
export type RouteTable = Readonly<Record<string, string>>;

interface CompiledRoute {
  readonly method: string;
  readonly segments: readonly string[];
  readonly pathTemplate: string;
  readonly operation: string;
}

/** Finds a route by method and path. A segment `{name}` takes any text; fixed segments are compared as the API does. */
export function compileRoutes(
  table: RouteTable,
  prefixes: Readonly<Record<string, string>> = {},
  options: { readonly ignoreCase?: boolean } = {},
): { readonly operationIds: readonly string[]; find(method: string, path: string): Route | undefined } {
  const compiled = Object.entries(table).map(([key, operation]): CompiledRoute => {
    const [method = '', path = ''] = key.split(' ');
    const [first = '', ...rest] = path.split('/');
    const pathTemplate = prefixes[first] === undefined ? path : [prefixes[first], ...rest].join('/');
    return { method, segments: pathTemplate.split('/'), pathTemplate, operation };
  });
  const fold = (text: string): string => (options.ignoreCase === true ? text.toLowerCase() : text);
  return {
    operationIds: compiled.map((route) => route.operation),
    find(method, path) {
      const given = path.split('/');
      for (const route of compiled) {
        if (route.method !== method || route.segments.length !== given.length) continue;
        const params: Record<string, string> = {};
        const fits = route.segments.every((segment, index) => {
          const value = given[index] ?? '';
          if (!segment.startsWith('{')) return fold(segment) === fold(value);
          params[segment.slice(1, -1)] = decoded(value);
          return value !== '';
        });
        if (fits) return { operation: route.operation, pathTemplate: route.pathTemplate, params };
      }
      return undefined;
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface JsonProtocolOptions {
  readonly prefixes?: Readonly<Record<string, string>>;
  /** Whether `/Disks/a` is `/disks/a`, as on Azure. */
  readonly ignoreCase?: boolean;
  /** Operations whose body is a form instead of JSON. */
  readonly forms?: readonly string[];
  /** Operations whose body is data: they read `call.raw`. */
  readonly data?: readonly string[];
  /** The body of an error. Default `{code, message}`. */
  readonly errorBody?: (error: ApiError, requestId: string) => unknown;
}

/** Paths and JSON bodies, as most clouds have them. */
export function jsonProtocol(
  table: RouteTable,
  options: JsonProtocolOptions = {},
): Protocol & { readonly operationIds: readonly string[] } {
  const routes = compileRoutes(table, options.prefixes, options);
  const errorBody =
    options.errorBody ?? ((error) => ({ code: error.code ?? String(error.status), message: error.message }));
  return {
    operationIds: routes.operationIds,
    route: ({ method, url }) => routes.find(method, url.pathname),
    decode({ raw }, { operation }) {
      if (raw.length === 0 || options.data?.includes(operation) === true) return undefined;
      const text = raw.toString('utf8');
      if (options.forms?.includes(operation) === true) return Object.fromEntries(new URLSearchParams(text));
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        throw new ApiError(400, 'request body is not JSON');
      }
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new ApiError(400, 'request body is not an object');
      return body as Record<string, unknown>;
    },
    encode: encodeJson,
    error: (error, requestId) => ({ status: error.status, headers: error.headers, body: errorBody(error, requestId) }),
  };
}

export function encodeJson(reply: Reply): Reply {
  const { status, body, headers = {} } = reply;
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return reply;
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** The route's operation is not one that the API has. */
export const noSuchRoute = (): ApiError => notFound('route');
