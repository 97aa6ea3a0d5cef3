import { afterEach, expect, it } from 'vitest';
import { ApiError } from './call.ts';
import { soapProtocol, passOn } from './soap-protocol.ts';
import { SimulatedWorld, startSimulation } from './start.ts';
import type { Simulation } from './start.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const namespace = 'urn:vim25';
const running: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(running.splice(0).map((one) => one.close())));

async function upstream(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      response.writeHead(207, { 'set-cookie': ['a=1', 'b=2'], 'content-type': 'text/plain' });
      response.end(`${String(request.method)} ${String(request.url)} ${Buffer.concat(chunks).length} bytes`);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  running.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** In front of another server: it answers one method itself. */
async function interceptor(target: string): Promise<Simulation<SimulatedWorld>> {
  const simulation = await startSimulation(
    'interceptor',
    {},
    (ground) => new SimulatedWorld(ground),
    () => ({
      protocol: soapProtocol(namespace),
      operations: {
        QueryChangedDiskAreas: ({ body }) => {
          if (body['changeId'] === '*broken') throw new ApiError(500, 'a <bad> change id', { code: 'FileFault' });
          return {
            status: 200,
            body: `<returnval><startOffset>${String(body['startOffset'])}</startOffset></returnval>`,
          };
        },
      },
      fallback: passOn(target),
    }),
  );
  running.push(simulation);
  return simulation;
}

const envelope = (inner: string): string =>
  `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${inner}</s:Body></s:Envelope>`;
const post = (url: string, inner: string): Promise<Response> =>
  fetch(`${url}/sdk`, { method: 'POST', body: envelope(inner) });

it('answers its own methods, passes the others on, and counts them all', async () => {
  const { url, calls, faults } = await interceptor(await upstream());
  const own = await post(
    url,
    `<QueryChangedDiskAreas xmlns="${namespace}"><startOffset>512</startOffset></QueryChangedDiskAreas>`,
  );
  expect(await own.text()).toContain(
    '<QueryChangedDiskAreasResponse xmlns="urn:vim25"><returnval><startOffset>512</startOffset></returnval></QueryChangedDiskAreasResponse>',
  );
  const login = '<Login><userName>a</userName></Login>';
  const passed = await post(url, login);
  expect([passed.status, passed.headers.getSetCookie(), await passed.text()]).toEqual([
    207,
    ['a=1', 'b=2'],
    `POST /sdk ${envelope(login).length} bytes`,
  ]);
  expect(await (await fetch(`${url}/folder/disk.vmdk?dsName=x`)).text()).toBe('GET /folder/disk.vmdk?dsName=x 0 bytes');
  faults.add({ operation: 'Login', effect: '503' });
  expect((await post(url, login)).status).toBe(503);
  expect(calls.map(({ operation, status }) => [operation, status])).toEqual([
    ['QueryChangedDiskAreas', 200],
    ['Login', 207],
    ['unknown', 207],
    ['Login', 503],
  ]);
});

it("an error is a fault of the vendor's type", async () => {
  const { url } = await interceptor(await upstream());
  const answer = await post(
    url,
    `<QueryChangedDiskAreas xmlns="${namespace}"><changeId>*broken</changeId></QueryChangedDiskAreas>`,
  );
  expect(answer.status).toBe(500);
  expect(await answer.text()).toContain(
    '<faultstring>a &#60;bad&#62; change id</faultstring><detail><FileFaultFault xmlns="urn:vim25" xsi:type="FileFault"/></detail>',
  );
});
