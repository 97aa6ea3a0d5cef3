import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { createHttpClient } from './http-client.ts';
import { underCondition } from './request-condition.ts';
import { createTransport } from './transport.ts';

let server: Server;
let url: string;
let calls = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    calls += 1;
    response.writeHead(200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const signal = new AbortController().signal;
const refused = expect.objectContaining({ code: 'fleet.claim-lost' }) as Error;

/** A client, and a condition that can be asked so often before it no longer holds. */
function lab(holds: number) {
  const transport = createTransport();
  const client = createHttpClient({ baseUrl: url, transport });
  let asked = 0;
  const condition = (): void => {
    if (++asked > holds) throw new CausewayError('fleet.claim-lost', 'over');
  };
  const create = () => client.request({ operation: 'create thing', method: 'POST', path: '/', json: {} }, signal);
  return { transport, create, condition };
}

it('sends nothing once the condition does not hold: at once, and when the connection was made', async () => {
  for (const holds of [0, 1]) {
    const { transport, create, condition } = lab(holds);
    const before = calls;
    await expect(underCondition(condition, create)).rejects.toThrow(refused);
    expect(calls).toBe(before);
    transport.close();
  }
});

it('asks for each request of what began under it, and for no other one', async () => {
  const { transport, create, condition } = lab(2);
  const before = calls;
  await expect(
    underCondition(condition, async () => {
      await create();
      await new Promise(setImmediate);
      await create();
    }),
  ).rejects.toThrow(refused);
  expect(calls).toBe(before + 1);
  await create();
  expect(calls).toBe(before + 2);
  transport.close();
});
