import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, notFound } from './api-error.ts';
import type { Reply } from './call.ts';
import type { Conformance } from './conformance.ts';
import type { Fault, FaultPlan } from './faults.ts';
import { operations } from './operations/all.ts';
import { findRoute } from './routes.ts';
import type { Route } from './routes.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import { newRequestId } from './world.ts';
import type { World } from './world.ts';

/** One call as the simulator saw it, for tests that go through all of them. */
export interface CallRecord {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly at: number;
  status: number | 'cut';
  readonly fault?: Fault;
}

export interface CloudServerParts {
  readonly world: World;
  readonly tokens: TokenEndpoint;
  readonly faults: FaultPlan;
  readonly conformance: Conformance;
  readonly onCall: (call: CallRecord) => void;
}

const maximumBody = 1_000_000;

/** The HTTP side: token endpoint, authentication, faults, routing, request ids, errors in the API's own shape. */
export function createCloudServer(parts: CloudServerParts): Server {
  const server = createServer((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      send(response, 500, { code: 500, msg: error instanceof Error ? error.message : 'internal server error' });
    });
  });
  // Connections are cut by faults only, not because a test was busy for some seconds.
  server.keepAliveTimeout = 120_000;
  return server;
}

async function handle(parts: CloudServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method ?? 'GET';
  const url = new URL(request.url ?? '/', 'http://cloud.invalid');
  const text = await readBody(request);
  const isToken = method === 'POST' && url.pathname === '/token';
  const route = isToken ? undefined : findRoute(method, url.pathname);
  const operation = isToken ? 'CreateShortLivedAccessToken' : (route?.operation ?? 'unknown');
  const fault = parts.faults.take(operation);
  const call: CallRecord = {
    operation, method, path: url.pathname, at: Date.now(), status: 'cut', ...(fault === undefined ? {} : { fault }),
  };
  parts.onCall(call);
  response.once('finish', () => { call.status = response.statusCode; });

  if (fault?.effect === 'slow') await delay(fault.delayMs ?? 1000);
  if (fault?.effect === 'connection-reset') return void request.socket.destroy();
  if (fault?.effect === 'no-answer') return;
  const refusal = { '429': 429, '500': 500, '502-before': 502 }[fault?.effect as '429'];
  if (refusal !== undefined) return sendFault(response, refusal);

  const requestId = newRequestId();
  let reply: Reply;
  try {
    reply = isToken
      ? { status: 200, body: parts.tokens.issue(new URLSearchParams(text)) }
      : await perform(parts, request, { route, url, text, requestId, fault });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    reply = { status: error.status, body: { code: error.status, msg: error.message } };
  }
  if (route !== undefined) parts.conformance.checkAnswer(route, method, reply.status, reply.body);
  if (fault?.effect === '502-after') return sendFault(response, 502);
  if (fault?.effect === 'connection-reset-after') return void request.socket.destroy();
  send(response, reply.status, reply.body, { 'x-request-id': requestId });
}

interface Incoming {
  readonly route: Route | undefined;
  readonly url: URL;
  readonly text: string;
  readonly requestId: string;
  readonly fault: Fault | undefined;
}

async function perform(parts: CloudServerParts, request: IncomingMessage, incoming: Incoming): Promise<Reply> {
  const { world, tokens, conformance } = parts;
  const { route, url } = incoming;
  if (!tokens.accepts(request.headers.authorization)) throw new ApiError(401, 'Unauthorized');
  if (route === undefined) throw notFound('route');
  const { projectId, region } = route.params;
  if (projectId !== undefined && projectId !== world.setup.projectId) throw new ApiError(403, 'Forbidden');
  if (region !== undefined && region !== world.setup.region) throw notFound('region');
  const body = parseBody(incoming.text);
  conformance.checkRequest(route, request.method ?? 'GET', url.searchParams, body);
  const operation = operations[route.operation];
  if (operation === undefined) throw new ApiError(501, 'not implemented');
  return operation({
    world, params: route.params, query: url.searchParams, body: body ?? {}, requestId: incoming.requestId, fault: incoming.fault,
  });
}

function parseBody(text: string): Record<string, unknown> | undefined {
  if (text === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError(400, 'request body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new ApiError(400, 'request body is not an object');
  return body as Record<string, unknown>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maximumBody) throw new Error('request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a gateway in front of the API says: not the API's own error shape for 502. */
function sendFault(response: ServerResponse, status: number): void {
  if (status === 502) {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>502 Bad Gateway</body></html>');
    return;
  }
  const msg = status === 429 ? 'Too Many Requests' : 'internal server error';
  send(response, status, { code: status, msg }, status === 429 ? { 'retry-after': '1' } : {});
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
