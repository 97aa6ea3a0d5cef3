import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cutRequests } from './cut-requests.ts';

const received: string[] = [];
const server = createServer((incoming, response) => {
  received.push(incoming.url ?? '');
  response.end('done');
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

const calls = cutRequests();

function ask(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path }, (response) => {
      let text = '';
      response
        .on('error', reject)
        .setEncoding('utf8')
        .on('data', (part: string) => (text += part))
        .on('end', () => resolve(text));
    });
    asked.on('error', reject).end();
  });
}

test('one call is cut before it is sent, or after it was carried out, and those around it are not', async () => {
  calls.failCall(2, 'cut-before');
  calls.failCall(3, 'cut-after');
  expect(await ask('/1')).toBe('done');
  await expect(ask('/2')).rejects.toThrow('the link was cut');
  await expect(ask('/3')).rejects.toThrow('the link was cut');
  expect(await ask('/4')).toBe('done');
  expect(received).toEqual(['/1', '/3', '/4']);
  expect([calls.callCount(), calls.callName(3), calls.callChanges(3)]).toEqual([4, 'GET /3', false]);
});

test('a process that is killed at a call sends nothing from then on', async () => {
  received.length = 0;
  let told = 0;
  calls.cutOff(1, 'after', () => (told += 1));
  for (const path of ['/5', '/6', '/7']) await expect(ask(path)).rejects.toThrow('the link was cut');
  expect([received, told]).toEqual([['/5'], 3]);
  calls.clearFaults();
  expect(await ask('/8')).toBe('done');
});
