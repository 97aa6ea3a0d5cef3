import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHastyClock, type HastyClock } from '../time/testing/hasty-clock.ts';
import { openStackHints, textIn } from '../cloud-resources/vm-hints.ts';
import { thisComputer, type ThisComputerPlaces } from './this-computer.ts';

const never = new AbortController().signal;
const [one, other] = ['5d2bf37d-8cb2-454c-85b5-a22a5e98c8db', '9e107d9d-0000-4000-8000-00000000000a'];
let folder: string;
let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let places: ThisComputerPlaces;
let clock: HastyClock;

beforeEach(async () => {
  clock = createHastyClock();
  folder = mkdtempSync(join(tmpdir(), 'causeway-here-'));
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  answer = (_request, response) => response.writeHead(404).end();
  places = {
    metadataUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    patienceMs: 2_000,
    clock,
    cloudInitId: join(folder, 'instance-id'),
    productUuid: join(folder, 'product_uuid'),
    asRoot: [join(folder, 'sudo'), '-n', 'cat'],
  };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('what this computer knows of itself', () => {
  it('reads a document of the metadata service, with the headers that clouds ask for', async () => {
    answer = ({ url, headers }, response) => response.end(JSON.stringify({ url, metadata: headers['metadata'] }));
    const text = await thisComputer(places).metadata('/metadata/instance?x=1', { metadata: 'true' }, never);
    expect(JSON.parse(text ?? '')).toEqual({ url: '/metadata/instance?x=1', metadata: 'true' });
  });

  it.each([
    ['refuses', (_: IncomingMessage, response: ServerResponse) => void response.writeHead(403).end('{}')],
    [
      'sends elsewhere',
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['never answers', () => clock.advance(2_000)],
    [
      'never ends',
      (_: IncomingMessage, response: ServerResponse) => void response.write('{', () => clock.advance(2_000)),
    ],
    [
      'breaks off',
      (_: IncomingMessage, response: ServerResponse) => (
        response.writeHead(200, { 'content-length': '100' }).write('{'),
        void setImmediate(() => response.destroy())
      ),
    ],
    [
      'sends without end',
      (_: IncomingMessage, response: ServerResponse) => void response.end(Buffer.alloc(2 ** 20, 'a')),
    ],
  ])('takes none from what %s', async (_how, answering) => {
    answer = answering;
    expect(await thisComputer(places).metadata('/', {}, never)).toBeUndefined();
  });

  it('gives up when it is asked to, and where nobody listens', async () => {
    answer = () => undefined;
    const stop = new AbortController();
    const asked = thisComputer(places).metadata('/', {}, stop.signal);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: 'CausewayError', code: 'general.cancelled' });
    expect(
      await thisComputer({ ...places, metadataUrl: 'http://127.0.0.1:9' }).metadata('/', {}, never),
    ).toBeUndefined();
  });

  it('asks no proxy', async () => {
    answer = (_request, response) => response.end('{}');
    for (const name of ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY'])
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:9';
    try {
      expect(await thisComputer(places).metadata('/', {}, never)).toBe('{}');
    } finally {
      for (const name of ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY']) delete process.env[name];
    }
  });

  it('reads what cloud-init kept, and the product UUID, the latter as root where it must', async () => {
    expect([await thisComputer(places).cloudInitId(never), await thisComputer(places).productUuid(never)]).toEqual([
      undefined,
      undefined,
    ]);
    write('instance-id', `${one}\n`);
    write(
      'sudo',
      `#!/bin/sh\n[ "$1 $2 $3" = "-n cat ${join(folder, 'product_uuid')}" ] && echo ${other.toUpperCase()}\n`,
    );
    chmodSync(join(folder, 'sudo'), 0o755);
    const here = thisComputer(places);
    expect([
      await here.cloudInitId(never),
      process.platform === 'linux' ? await here.productUuid(never) : other,
    ]).toEqual([one, other]);
    write('product_uuid', one.toUpperCase());
    expect(await here.productUuid(never)).toBe(one);
    write('instance-id', 'two words');
    expect(await here.cloudInitId(never)).toBeUndefined();
  });
});

describe('which server of OpenStack this computer is', () => {
  it('is told by what has an id in its form, and by nothing else', async () => {
    answer = ({ url }, response) =>
      url === '/openstack/latest/meta_data.json'
        ? response.end(JSON.stringify({ uuid: one, name: 'mover' }))
        : response.writeHead(404).end();
    write('instance-id', 'i-0123456789');
    write('product_uuid', one);
    expect(await openStackHints(thisComputer(places), never)).toEqual([
      { vmId: one, by: 'metadata-service' },
      { vmId: one, by: 'product-uuid' },
    ]);
    answer = (_request, response) => response.end(JSON.stringify({ uuid: '../../../v3/projects' }));
    write('instance-id', other);
    expect(await openStackHints(thisComputer(places), never)).toEqual([
      { vmId: other, by: 'cloud-init' },
      { vmId: one, by: 'product-uuid' },
    ]);
  });

  it.each(['', 'no JSON', '[]', 'null', '{"uuid":7}', `{"uuid":{"uuid":"${one}"}}`, `{"uuid":"${one}\\n"}`])(
    'takes no id from %j',
    (document) => {
      expect(textIn(document, 'uuid', /^[0-9a-f-]{36}$/)).toBeUndefined();
    },
  );
});
