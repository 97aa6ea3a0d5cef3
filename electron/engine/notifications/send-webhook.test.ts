// needs: openssl
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../time/clock.ts';
import { sendWebhook } from './send-webhook.ts';
import { certificateFor } from './testing/certificate.ts';

const signal = new AbortController().signal;
const message = {
  kind: 'wave-ended' as const,
  text: 'wave Night 1: cut-over completed: 3 of 3 completed',
  at: '2025-11-28T23:00:00.000Z',
  wave: 'Night 1',
};
const quick = { clock: { ...systemClock, sleep: async () => undefined } };
let close = async (): Promise<void> => undefined;
afterEach(() => close());

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function receiver(...statuses: number[]) {
  const tls = await certificateFor();
  const received: Received[] = [];
  const server = createServer(tls, (request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (piece: string) => (body += piece))
      .on('end', () => {
        received.push({ url: request.url ?? '', headers: request.headers, body });
        response.writeHead(statuses.shift() ?? 204).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { received, tls, address: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/abc?token=xyz` };
}

it('is posted with a signature that its receiver can compute, and with text that chat services show', async () => {
  const { received, tls, address } = await receiver();
  expect(
    await sendWebhook(
      { address, key: 'shared', caCertificate: tls.cert },
      'Web shop',
      { id: 'delivery-1', messages: [message] },
      signal,
    ),
  ).toBe('HTTP 204');
  const [{ url, headers, body }] = received as [Received];
  const [, time = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-causeway-signature'])) ?? [];
  expect([url, signature, headers['content-type']]).toEqual([
    '/hooks/abc?token=xyz',
    createHmac('sha256', 'shared').update(`${time}.${body}`).digest('hex'),
    'application/json',
  ]);
  expect(JSON.parse(body)).toMatchObject({
    text: 'Causeway, Web shop:\nwave Night 1: cut-over completed: 3 of 3 completed (2025-11-28T23:00:00.000Z)',
    project: 'Web shop',
    messages: [message],
  });
});

it('is tried again under the same delivery while the receiver is not there', async () => {
  const { received, tls, address } = await receiver(503, 429, 200);
  expect(
    await sendWebhook(
      { address, caCertificate: tls.cert },
      'Web shop',
      { id: 'delivery-1', messages: [message] },
      signal,
      quick,
    ),
  ).toBe('HTTP 200');
  expect(received.map(({ headers }) => headers['x-causeway-delivery'])).toEqual([
    'delivery-1',
    'delivery-1',
    'delivery-1',
  ]);
  expect(received[0]?.headers['x-causeway-signature']).toBeUndefined();
});

it('is sent to no server with another certificate, and an error names neither path nor token', async () => {
  const { received, address } = await receiver(403);
  const other = await certificateFor();
  await expect(
    sendWebhook(
      { address, caCertificate: other.cert },
      'Web shop',
      { id: 'delivery-1', messages: [message] },
      signal,
      quick,
    ),
  ).rejects.toThrow();
  expect(received).toEqual([]);
  const failed: unknown = await sendWebhook(
    { address, caCertificate: other.cert },
    'Web shop',
    { id: 'delivery-1', messages: [message] },
    signal,
    quick,
  ).catch((error: unknown) => error);
  expect(JSON.stringify(failed) + String(failed)).not.toMatch(/hooks|abc|xyz/);
  await expect(
    sendWebhook({ address: 'not a url' }, 'Web shop', { id: 'delivery-1', messages: [message] }, signal),
  ).rejects.toMatchObject({ code: 'notification.not-set-up' });
});
