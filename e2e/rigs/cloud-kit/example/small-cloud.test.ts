import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { faultCasesOf } from '../fault-cases.ts';
import type { MachineVolume, ServerMachines } from '../server-machines.ts';
import { noMachines } from '../server-machines.ts';
import type { Simulation, SimulationOptions } from '../start.ts';
import { makeCertificate } from '../../../../electron/engine/transport/certificates.ts';
import { startSmallCloud } from './small-cloud.ts';
import type { SmallCloudWorld } from './small-cloud.ts';

let cloud: Simulation<SmallCloudWorld>;
afterEach(() => cloud.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(cloud.url + path, {
    method,
    headers: { 'x-api-key': 'secret', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Answer['body']) : { text },
  };
}

const idIn = (answer: Answer, member: string): string => (answer.body[member] as { id: string }).id;

/** A cloud whose time the test moves. */
async function start(options: Parameters<typeof startSmallCloud>[0] & SimulationOptions = {}): Promise<ManualClock> {
  const clock = new ManualClock();
  cloud = await startSmallCloud({ clock, transitionMs: 1_000, ...options });
  return clock;
}

async function newDisk(clock: ManualClock, body: object = {}): Promise<string> {
  const answer = await call('POST', '/disks', { name: 'disk', sizeGiB: 1, ...body });
  expect(answer.status).toBe(202);
  await clock.advance(1_000);
  return idIn(answer, 'disk');
}

describe('a small simulated cloud', () => {
  it('accepts first and does later, refuses strangers and what is beyond the quota', async () => {
    const clock = await start();
    expect((await call('GET', '/disks', undefined, { 'x-api-key': 'wrong' })).status).toBe(401);
    expect((await call('GET', '/discs')).status).toBe(404);
    const made = await call('POST', '/disks', { name: 'a', sizeGiB: 2 });
    const operation = `/operations/${idIn(made, 'operation')}`;
    expect([
      (await call('GET', operation)).body['state'],
      (await call('GET', `/disks/${idIn(made, 'disk')}`)).body['state'],
    ]).toEqual(['running', 'creating']);
    await clock.advance(1_000);
    expect([
      (await call('GET', operation)).body['state'],
      (await call('GET', `/disks/${idIn(made, 'disk')}`)).body['state'],
    ]).toEqual(['succeeded', 'ready']);
    cloud.world.quotas['gigabytes'] = 3;
    expect(await call('POST', '/disks', { name: 'b', sizeGiB: 2 })).toMatchObject({
      status: 403,
      body: { code: 'QuotaExceeded' },
    });
    expect(await call('POST', '/disks', { name: 'b', sizeGiB: 0 })).toMatchObject({
      status: 400,
      body: { code: 'Invalid' },
    });
    await call('DELETE', `/disks/${idIn(made, 'disk')}`);
    await clock.advance(1_000);
    expect((await call('GET', `/disks/${idIn(made, 'disk')}`)).status).toBe(404);
  });

  it('lists in pages, and late where it is told so', async () => {
    const clock = await start();
    for (const name of ['a', 'b', 'c']) await newDisk(clock, { name });
    const names = ({ body }: Answer): string[] => (body['disks'] as { name: string }[]).map(({ name }) => name);
    const first = await call('GET', '/disks?limit=2');
    const second = await call('GET', `/disks?limit=2&page=${String(first.body['nextPage'])}`);
    expect([names(first), names(second), second.body['nextPage']]).toEqual([['a', 'b'], ['c'], undefined]);
    cloud.world.ground.lag.listings = 1;
    const late = await newDisk(clock, { name: 'd' });
    expect((await call('GET', `/disks/${late}`)).status).toBe(200);
    expect([names(await call('GET', '/disks')), names(await call('GET', '/disks'))]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ]);
  });

  it('does a request with a key once, however often it comes', async () => {
    await start();
    cloud.faults.add({ operation: 'CreateDisk', effect: 'connection-reset-after' });
    const key = { 'idempotency-key': 'k1' };
    await expect(call('POST', '/disks', { name: 'a', sizeGiB: 1 }, key)).rejects.toThrow();
    const again = await call('POST', '/disks', { name: 'a', sizeGiB: 1 }, key);
    expect({ status: again.status, disks: [...cloud.world.disks.keys()] }).toEqual({
      status: 202,
      disks: [idIn(again, 'disk')],
    });
    expect(await call('POST', '/disks', { name: 'b', sizeGiB: 1 }, key)).toMatchObject({
      status: 409,
      body: { code: 'KeyReused' },
    });
  });

  it('snapshots keep bytes, tell what changed, and become disks', async () => {
    const clock = await start();
    const disk = await newDisk(clock);
    const { files } = cloud.world.ground;
    const snapshot = async (): Promise<string> => {
      const id = idIn(await call('POST', `/disks/${disk}/snapshots`), 'snapshot');
      await clock.advance(1_000);
      return id;
    };
    await files.write(disk, 0, Buffer.from('first'));
    const first = await snapshot();
    await files.write(disk, 3 * 512 * 1024, Buffer.from('second'));
    const second = await snapshot();
    expect((await call('GET', `/snapshots/${first}/changes`)).body['blocks']).toEqual([{ index: 0, isZero: false }]);
    expect((await call('GET', `/snapshots/${second}/changes?since=${first}`)).body['blocks']).toEqual([
      { index: 3, isZero: false },
    ]);
    const copy = await newDisk(clock, { snapshotId: first, sizeGiB: 2 });
    expect([(await files.read(copy, 0, 5)).toString(), await files.sizeBytes(copy)]).toEqual(['first', 2 * 2 ** 30]);
  });

  it('gives machines their disks by a number on the bus', async () => {
    const attached: MachineVolume[] = [];
    const machines: ServerMachines = {
      ...noMachines,
      attach: (_, volume) => Promise.resolve(void attached.push(volume)),
    };
    const clock = await start({ machines: () => Promise.resolve(machines) });
    const server = idIn(await call('POST', '/servers', { name: 'worker' }), 'server');
    const disks = [await newDisk(clock), await newDisk(clock)];
    const luns = [];
    for (const disk of disks) luns.push((await call('PUT', `/servers/${server}/disks/${disk}`)).body['lun']);
    await clock.advance(1_000);
    expect({ luns, attached }).toEqual({
      luns: [0, 1],
      attached: disks.map((volumeId, lun) => ({
        volumeId,
        path: cloud.world.ground.files.path(volumeId),
        device: { lun },
      })),
    });
    expect((await call('DELETE', `/disks/${String(disks[0])}`)).status).toBe(409);
    await call('DELETE', `/servers/${server}/disks/${String(disks[0])}`);
    await clock.advance(1_000);
    expect(cloud.world.disks.get(disks[0] ?? '')?.state).toBe('ready');
  });

  it('speaks TLS', async () => {
    const { certPem, keyPem } = await makeCertificate('127.0.0.1');
    await start({ tls: { key: keyPem, cert: certPem } });
    const { request } = await import('node:https');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(
        `${cloud.url}/disks`,
        { ca: certPem, checkServerIdentity: () => undefined, headers: { 'x-api-key': 'secret' } },
        (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        },
      )
        .once('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
});

describe('faults on demand', () => {
  const wish = { name: 'a', sizeGiB: 1 };

  it('refuse before and after the effect, with the status, code and delay that are asked for', async () => {
    await start();
    cloud.faults.add({
      operation: 'CreateDisk',
      effect: 'refused',
      status: 503,
      code: 'SlowDown',
      retryAfterSeconds: 7,
    });
    cloud.faults.add({ operation: 'CreateDisk', nth: 2, effect: 'refused-after', status: 500 });
    cloud.faults.add({ operation: 'CreateDisk', nth: 3, effect: '429' });
    const [before, after, throttled] = [
      await call('POST', '/disks', wish),
      await call('POST', '/disks', wish),
      await call('POST', '/disks', wish),
    ];
    expect([before.status, before.body['code'], before.headers.get('retry-after')]).toEqual([503, 'SlowDown', '7']);
    expect([after.status, throttled.status, throttled.headers.get('retry-after')]).toEqual([500, 429, '1']);
    expect(cloud.world.disks.size).toBe(1);
    expect(cloud.faults.pending()).toEqual([]);
  });

  it('cut before, after, and in the middle of the answer', async () => {
    await start();
    cloud.faults.add({ operation: 'CreateDisk', effect: 'connection-reset' });
    await expect(call('POST', '/disks', wish)).rejects.toThrow();
    expect(cloud.world.disks.size).toBe(0);
    cloud.faults.add({ operation: 'CreateDisk', effect: 'answer-cut' });
    await expect(call('POST', '/disks', wish)).rejects.toThrow();
    expect(cloud.world.disks.size).toBe(1);
    expect(cloud.calls.map(({ status }) => status)).toEqual(['cut', 'cut']);
  });

  it('never answer, with the effect or without', async () => {
    await start();
    for (const [effect, disks] of [
      ['no-answer', 0],
      ['no-answer-after', 1],
    ] as const) {
      cloud.faults.add({ operation: 'CreateDisk', effect });
      const impatient = new AbortController();
      const asked = fetch(`${cloud.url}/disks`, {
        method: 'POST',
        headers: { 'x-api-key': 'secret' },
        body: JSON.stringify(wish),
        signal: impatient.signal,
      });
      await expect.poll(() => cloud.faults.pending().length).toBe(0);
      await expect.poll(() => cloud.world.disks.size).toBe(disks);
      impatient.abort();
      await expect(asked).rejects.toThrow();
    }
  });

  it('hit one path only, and end what was accepted in failure, or never', async () => {
    const clock = await start();
    const [disk, other] = [await newDisk(clock), await newDisk(clock)];
    cloud.faults.add({ operation: '*', method: 'GET', path: new RegExp(`^/disks/${other}$`), effect: '500' });
    expect([(await call('GET', `/disks/${disk}`)).status, (await call('GET', `/disks/${other}`)).status]).toEqual([
      200, 500,
    ]);
    cloud.faults.add({ operation: 'DeleteDisk', effect: 'status-error' });
    cloud.faults.add({ operation: 'DeleteDisk', nth: 2, effect: 'hang' });
    await call('DELETE', `/disks/${disk}`);
    await call('DELETE', `/disks/${other}`);
    await clock.advance(1_000_000);
    expect([disk, other].map((id) => cloud.world.disks.get(id)?.state)).toEqual(['failed', 'deleting']);
  });

  it('of every kind are made from the calls of a run without any', async () => {
    const clock = await start();
    const disk = await newDisk(clock);
    await call('GET', `/disks/${disk}`);
    const cases = faultCasesOf(cloud.calls, {
      isDoneLater: (operation) => operation === 'CreateDisk',
      isRead: ({ method }) => method === 'GET',
    });
    expect(cases.filter(({ operation }) => operation === 'CreateDisk').map(({ effect }) => effect)).toEqual([
      '500',
      '429',
      '502-before',
      '502-after',
      'connection-reset',
      'connection-reset-after',
      'no-answer',
      'status-error',
      'hang',
    ]);
    expect(cases.filter(({ operation }) => operation === 'GetDisk')).toHaveLength(5);
  });
});

it('a description is held against requests, and against the answers of the simulator itself', async () => {
  const disk = {
    type: 'object',
    required: ['id', 'colour'],
    properties: { id: { type: 'string' }, colour: { type: 'string' } },
  };
  await start({
    description: {
      paths: {
        '/disks': {
          post: {
            operationId: 'CreateDisk',
            requestBody: {
              content: {
                'application/json': {
                  schema: { type: 'object', properties: { name: { type: 'string' }, sizeGiB: { type: 'integer' } } },
                },
              },
            },
            responses: { 202: { content: { 'application/json': { schema: { properties: { disk } } } } } },
          },
        },
      },
    },
  });
  await call('POST', '/disks', { name: 'a', sizeGiB: 1, flavour: 'sweet' });
  expect(cloud.violations).toEqual([
    'CreateDisk: request/flavour: is not a property of the document',
    "CreateDisk: answer 202/disk: must have required property 'colour'",
  ]);
});
