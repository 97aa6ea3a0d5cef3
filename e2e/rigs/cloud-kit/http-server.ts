import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Clock } from './clock.ts';
import { ApiError } from './call.ts';
import type { KitRequest, Operation, Reply, Route } from './call.ts';
import type { DescriptionCheck } from './descriptions/description.ts';
import { refusalBy } from './faults.ts';
import type { Fault, FaultPlan, Refusal } from './faults.ts';
import { noSuchRoute } from './json-protocol.ts';
import type { Protocol } from './json-protocol.ts';

/** One call as the simulator saw it, for tests that go through all of them. */
export interface CallRecord {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly at: number;
  status: number | 'cut';
  readonly fault?: Fault;
}

/** What makes an API out of a world. */
export interface ApiParts<World> {
  readonly world: World;
  readonly protocol: Protocol;
  readonly operations: Readonly<Record<string, Operation<World>>>;
  readonly faults: FaultPlan;
  readonly check: DescriptionCheck;
  readonly clock: Clock;
  readonly onCall: (call: CallRecord) => void;
  /** Throws the API's answer to who may not ask. Called before the route is known to exist, as gateways do. */
  readonly authenticate?: ((request: KitRequest, operation: string) => void | Promise<void>) | undefined;
  /** Throws the API's answer when what is asked for lies outside of what the caller has, e.g. in another project. */
  readonly admit?: ((world: World, route: Route, request: KitRequest) => void) | undefined;
  /** Answers what is no operation of this simulator, e.g. by passing it on; the default is an error 404. */
  readonly fallback?: ((request: KitRequest) => Promise<Reply>) | undefined;
  /** A refusal by a fault in the form of what stands in front of the API; the default is the API's own form, but HTML for 502. */
  readonly refuse?: ((refusal: Refusal) => Reply) | undefined;
  readonly newRequestId: () => string;
  /** The header with the id of the request. Default `x-request-id`. */
  readonly requestIdHeader?: string | undefined;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Of a request's body, bytes. Default 16 MiB. */
  readonly maximumBody?: number | undefined;
}

/** The HTTP side of a simulated cloud: faults, authentication, routing, request ids, checks against the description. */
export function createApiServer<World>(parts: ApiParts<World>): Server {
  const listener: RequestListener = (request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      const failure = new ApiError(500, error instanceof Error ? error.message : 'internal server error');
      send(response, parts.protocol.encode(parts.protocol.error(failure, '', undefined), undefined, ''));
    });
  };
  const server = parts.tls === undefined ? createHttpServer(listener) : createHttpsServer(parts.tls, listener);
  // Connections are cut by faults only, not because a test was busy for some seconds.
  server.keepAliveTimeout = 120_000;
  return server;
}

async function handle<World>(
  parts: ApiParts<World>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request: KitRequest = {
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', 'http://cloud.invalid'),
    headers: incoming.headers,
    raw: await readBody(incoming, parts.maximumBody ?? 16 * 1024 * 1024),
  };
  const {
    method,
    url: { pathname },
  } = request;
  const route = parts.protocol.route(request);
  const operation = route?.operation ?? 'unknown';
  const fault = parts.faults.take(operation, method, pathname);
  const call: CallRecord = {
    operation,
    method,
    path: pathname,
    at: Date.now(),
    status: 'cut',
    ...(fault === undefined ? {} : { fault }),
  };
  parts.onCall(call);
  response.once('finish', () => {
    call.status = response.statusCode;
  });

  if (fault?.effect === 'slow')
    await new Promise<void>((resolve) => {
      parts.clock.after(fault.delayMs ?? 1000, resolve);
    });
  if (fault?.effect === 'connection-reset') return void incoming.socket.destroy();
  if (fault?.effect === 'no-answer') return;
  const refusal = refusalBy(fault, 'before');
  const requestId = parts.newRequestId();
  if (refusal !== undefined) return send(response, refused(parts, refusal, requestId, route));

  const reply = await answer(parts, request, route, requestId, fault);
  const lost = refusalBy(fault, 'after');
  if (lost !== undefined) return send(response, refused(parts, lost, requestId, route));
  if (fault?.effect === 'connection-reset-after') return void incoming.socket.destroy();
  if (fault?.effect === 'no-answer-after') return;
  const whole = { ...reply, headers: { [parts.requestIdHeader ?? 'x-request-id']: requestId, ...reply.headers } };
  if (fault?.effect === 'answer-cut') return cut(incoming, response, whole);
  send(response, whole);
}

async function answer<World>(
  parts: ApiParts<World>,
  request: KitRequest,
  route: Route | undefined,
  requestId: string,
  fault: Fault | undefined,
): Promise<Reply> {
  const { protocol, check } = parts;
  let reply: Reply;
  try {
    await parts.authenticate?.(request, route?.operation ?? 'unknown');
    if (parts.fallback !== undefined && (route === undefined || parts.operations[route.operation] === undefined))
      return await parts.fallback(request);
    if (route === undefined) throw noSuchRoute();
    reply = await perform(parts, request, route, requestId, fault);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    reply = protocol.error(error, requestId, route);
  }
  if (route !== undefined) {
    check.answer({
      operation: route.operation,
      pathTemplate: route.pathTemplate,
      method: request.method,
      status: reply.status,
      headers: reply.headers ?? {},
      body: reply.body,
    });
  }
  return protocol.encode(reply, route, requestId);
}

async function perform<World>(
  parts: ApiParts<World>,
  request: KitRequest,
  route: Route,
  requestId: string,
  fault: Fault | undefined,
): Promise<Reply> {
  const { world, protocol, check } = parts;
  const { operation, pathTemplate, params } = route;
  parts.admit?.(world, route, request);
  const body = protocol.decode(request, route);
  const query = request.url.searchParams;
  check.request({ operation, pathTemplate, method: request.method, query, headers: request.headers, body });
  const perform = parts.operations[operation];
  if (perform === undefined) throw new ApiError(501, 'not implemented');
  return perform({
    world,
    operation,
    params,
    query,
    headers: request.headers,
    body: body ?? {},
    raw: request.raw,
    requestId,
    fault,
  });
}

function refused<World>(parts: ApiParts<World>, refusal: Refusal, requestId: string, route: Route | undefined): Reply {
  if (parts.refuse !== undefined) return parts.refuse(refusal);
  const { status, message, code, headers } = refusal;
  // What a gateway in front of the API says is not in the API's own form.
  if (status === 502)
    return {
      status,
      headers: { 'content-type': 'text/html', ...headers },
      body: '<html><body>502 Bad Gateway</body></html>',
    };
  const error = new ApiError(status, message, { headers, ...(code === undefined ? {} : { code }) });
  return parts.protocol.encode(parts.protocol.error(error, requestId, route), route, requestId);
}

async function readBody(request: IncomingMessage, maximum: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maximum) throw new Error('request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const bytesOf = (reply: Reply): Buffer =>
  Buffer.isBuffer(reply.body) ? reply.body : Buffer.from(String(reply.body ?? ''));

function send(response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(reply.status, reply.headers);
  if (reply.body === undefined) response.end();
  else response.end(bytesOf(reply));
}

/** Half of the answer, then nothing more. */
function cut(incoming: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const bytes = bytesOf(reply);
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(bytes.length) });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
}
