import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of this machine in the cloud's external network. */
const outside = '198.51.100.1';

/** A plain proxy for package tools in the cloud, which has no way to the outside of its own. */
export async function startPackageProxy(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : undefined;
    if (url?.protocol !== 'http:') return void response.writeHead(400).end('only http:// is forwarded');
    const { host: _, connection: __, 'proxy-connection': ___, ...headers } = incoming.headers;
    const outgoing = request(url, { method: incoming.method, headers: { ...headers, host: url.host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer(forward);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, outside, resolve);
  });
  return {
    url: `http://${outside}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
