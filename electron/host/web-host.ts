import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { mostMessageBytes, type Channel } from '../../shared/contract/channel.ts';
import { requestPaths } from '../../shared/contract/request-channel.ts';
import { pageFile } from '../page/page-files.ts';
import { createAdmission, type Admission } from './admission.ts';
import { requestChannels, type RequestChannels } from './request-channels.ts';
import { socketChannel } from './socket-channel.ts';

/** The subprotocol that is spoken. */
const protocol = 'causeway.contract';

export interface WebHost {
  /** The address to open, with the one-time token. */
  readonly url: string;
  /** The address with a fresh token, for a browser that was closed; the previous one is no longer valid. */
  freshUrl(): string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the workbench on loopback: the built renderer, and one WebSocket under `/contract` for the calls and events, or requests below it
 * for pages that are kept from opening one.
 *
 * @param folder the built renderer
 * @param connect takes over each admitted channel
 */
export async function startWebHost(options: {
  readonly folder: string;
  readonly port?: number;
  readonly connect: (channel: Channel) => void;
}): Promise<WebHost> {
  const server = createServer((request, response) => {
    answer(request, response, admission, channels, options.folder).catch(() => refuse(response, 500, 'Internal error'));
  });
  const channels = requestChannels(options.connect);
  const admission = createAdmission(() => (server.address() as AddressInfo).port);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostMessageBytes,
    handleProtocols: (asked) => (asked.has(protocol) ? protocol : false),
  });
  server.on('upgrade', (request, socket, head) => {
    if (pathOf(request) !== '/contract' || !mayCall(request, admission)) return refuseUpgrade(socket);
    sockets.handleUpgrade(request, socket, head, (admitted) => options.connect(socketChannel(admitted)));
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const freshUrl = (): string => `http://127.0.0.1:${port}/?token=${admission.issue()}`;
  return {
    url: freshUrl(),
    freshUrl,
    port,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  admission: Admission,
  channels: RequestChannels,
  folder: string,
): Promise<void> {
  if (!admission.hostIsOurs(request)) return refuse(response, 421, 'Wrong host name');
  const path = pathOf(request);
  if (request.method === 'POST' && Object.values<string>(requestPaths).includes(path)) {
    return mayCall(request, admission)
      ? channels.answer(path, request, response)
      : refuse(response, 403, 'Open the link in the terminal.');
  }
  if (request.method !== 'GET') return refuse(response, 405, 'Only GET');
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const token = url.searchParams.get('token');
  if (url.pathname === '/' && token !== null) {
    const session = admission.redeem(token);
    if (session === undefined && !admission.hasSession(request)) {
      return refuse(response, 403, 'This link was already used or is out of date. Use the link in the terminal.');
    }
    // What follows # is sent to no server; the page keeps it for its own origin.
    const location = session === undefined ? '/' : `/#session=${session.pageSecret}`;
    response.writeHead(303, {
      location,
      'referrer-policy': 'no-referrer',
      ...(session === undefined ? {} : { 'set-cookie': session.cookie }),
    });
    response.end();
    return;
  }
  if (!admission.hasSession(request)) return refuse(response, 403, 'Open the link in the terminal.');
  const { status, headers, body } = await pageFile(folder, url.pathname, [
    `ws://${request.headers.host}`,
    `http://${request.headers.host}`,
  ]);
  response.writeHead(status, headers);
  response.end(body);
}

function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? '/', 'http://host').pathname;
}

/** Whether it is the page of a session that asks. */
function mayCall(request: IncomingMessage, admission: Admission): boolean {
  return admission.hostIsOurs(request) && admission.originIsOurs(request) && admission.hasPageSecret(request);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(`${text}\n`);
}

function refuseUpgrade(socket: Duplex): void {
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
