import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Extent } from '../../../shared/model/extent.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import { NbdClient } from './nbd-client.ts';
import { NbdDiskReader } from './nbd-disk-reader.ts';
import { Chunk, Option, OptionReply } from './protocol.ts';
import {
  chunk,
  exportInfo,
  offsetField,
  optionReply,
  scriptedServer,
  simpleReply,
  type Script,
  type ScriptedServer,
  type SeenRequest,
} from './scripted-server.ts';

const signal = new AbortController().signal;
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await scriptedServer(script);
  open.unshift(() => server.close());
  return server;
}

async function connect(
  script: Script,
  options: { readonly contexts?: readonly string[]; readonly inactivityMs?: number } = {},
): Promise<NbdClient> {
  const server = await serve(script);
  const client = await NbdClient.connect(
    {
      address: { kind: 'tcp', host: '127.0.0.1', port: server.port },
      exportName: '',
      handshakeTimeoutMs: 60_000,
      ...options,
    },
    signal,
  );
  open.unshift(() => client.close());
  return client;
}

const answerWith =
  (make: (request: SeenRequest) => readonly Buffer[]): NonNullable<Script['onRequest']> =>
  (request, socket) => {
    for (const part of make(request)) socket.write(part);
  };
const filled = (length: number, byte: number) => Buffer.alloc(length, byte);
const errorPayload = (number: number, text = 'bad', tail: Buffer = Buffer.alloc(0)) => {
  const head = Buffer.alloc(6);
  head.writeUInt32BE(number, 0);
  head.writeUInt16BE(text.length, 4);
  return Buffer.concat([head, Buffer.from(text), tail]);
};

describe('reading over NBD', () => {
  it('puts data and hole chunks in their places, in any order', async () => {
    const client = await connect({
      onRequest: answerWith(({ cookie, offset }) => [
        chunk(cookie, Chunk.offsetData, false, offsetField(offset + 3000, filled(1096, 7))),
        chunk(cookie, Chunk.offsetHole, false, offsetField(offset + 1000, Buffer.from([0, 0, 0x07, 0xd0]))),
        chunk(cookie, Chunk.offsetData, false, offsetField(offset, filled(1000, 5))),
        chunk(cookie, Chunk.none, true),
      ]),
    });
    const into = filled(4096, 0xee);
    await client.read(8192, into, signal);
    expect(into.equals(Buffer.concat([filled(1000, 5), filled(2000, 0), filled(1096, 7)]))).toBe(true);
  });

  it('matches answers to requests by cookie, whatever their order and however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5000 }),
        async (lengths, cut) => {
          const seen: SeenRequest[] = [];
          const client = await connect({
            onRequest: (request, socket) => {
              if (request.command !== 0) return;
              seen.push(request);
              if (seen.length < lengths.length) return;
              const bytes = Buffer.concat(
                seen
                  .reverse()
                  .map(({ cookie, offset, length }) =>
                    chunk(cookie, Chunk.offsetData, true, offsetField(offset, filled(length, offset % 251))),
                  ),
              );
              for (let at = 0; at < bytes.length; at += cut) socket.write(bytes.subarray(at, at + cut));
            },
          });
          const results = await Promise.all(
            lengths.map(async (length, index) => {
              const into = filled(length, 0xee);
              await client.read(index * 10_007, into, signal);
              return into.equals(filled(length, (index * 10_007) % 251));
            }),
          );
          await client.close();
          expect(results).toEqual(lengths.map(() => true));
        },
      ),
      { numRuns: rounds(40) },
    );
  });

  it('understands simple replies where the server has no structured ones', async () => {
    const client = await connect({
      structured: false,
      onRequest: answerWith(({ cookie, length }) => [simpleReply(cookie, 0, filled(length, 9))]),
    });
    const into = filled(3000, 0);
    await client.read(5, into, signal);
    expect(into.equals(filled(3000, 9))).toBe(true);
    const extents: Extent[] = [];
    for await (const extent of new NbdDiskReader(client).extents(signal)) extents.push(extent);
    expect(extents).toEqual([{ offset: 0, length: 1 << 20, kind: 'data' }]);
  });

  it('cuts reads to the server’s limits and widens those that are not aligned', async () => {
    const blockSize = Buffer.alloc(14);
    blockSize.writeUInt16BE(3, 0);
    blockSize.writeUInt32BE(512, 2);
    blockSize.writeUInt32BE(4096, 6);
    blockSize.writeUInt32BE(8192, 10);
    const requests: SeenRequest[] = [];
    const client = await connect({
      options: {
        [Option.go]: () => [
          exportInfo(1n << 20n),
          optionReply(Option.go, OptionReply.info, blockSize),
          optionReply(Option.go, OptionReply.ack),
        ],
      },
      onRequest: answerWith((request) => {
        requests.push(request);
        return [
          chunk(
            request.cookie,
            Chunk.offsetData,
            true,
            offsetField(
              request.offset,
              Buffer.from(Array.from({ length: request.length }, (_, i) => (request.offset + i) % 253)),
            ),
          ),
        ];
      }),
    });
    const into = filled(20_001, 0);
    await client.read(777, into, signal);
    expect(into.every((byte, index) => byte === (777 + index) % 253)).toBe(true);
    expect(
      requests
        .filter(({ command }) => command === 0)
        .every(({ offset, length }) => offset % 512 === 0 && length % 512 === 0 && length <= 8192),
    ).toBe(true);
  });

  it('rejects with the server’s error and its place, and goes on', async () => {
    let failing = true;
    const client = await connect({
      onRequest: answerWith(({ cookie, offset, length }) =>
        failing
          ? [
              chunk(cookie, Chunk.offsetData, false, offsetField(offset, filled(512, 1))),
              chunk(cookie, Chunk.errorOffset, false, errorPayload(5, 'medium', offsetField(offset + 512))),
              chunk(cookie, Chunk.none, true),
            ]
          : [chunk(cookie, Chunk.offsetData, true, offsetField(offset, filled(length, 3)))],
      ),
    });
    await expect(client.read(4096, filled(1024, 0), signal)).rejects.toMatchObject({
      code: 'source.read-failed',
      details: { offset: 4608, nbdError: 5 },
    });
    failing = false;
    const into = filled(1024, 0);
    await client.read(4096, into, signal);
    expect(into.equals(filled(1024, 3))).toBe(true);
  });

  it('rejects all that is in flight when the connection is lost', async () => {
    let count = 0;
    const client = await connect({ onRequest: (_request, socket) => (++count === 5 ? socket.destroy() : undefined) });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => client.read(0, filled(100, 0), signal)));
    expect(results.map((result) => result.status === 'rejected' && (result.reason as { code: string }).code)).toEqual(
      Array(5).fill('source.connection-lost'),
    );
    await expect(client.read(0, filled(1, 0), signal)).rejects.toMatchObject({ code: 'source.connection-lost' });
  });

  it('gives up on a server that says nothing any more', async () => {
    const client = await connect({ onRequest: () => undefined }, { inactivityMs: 60 });
    await expect(client.read(0, filled(100, 0), signal)).rejects.toMatchObject({ code: 'source.connection-lost' });
  });

  it('never writes into the buffer of a cancelled read, and serves the next one', async () => {
    const waiting: (() => void)[] = [];
    let first = true;
    const client = await connect({
      onRequest: (request, socket) => {
        const bytes = chunk(
          request.cookie,
          Chunk.offsetData,
          true,
          offsetField(request.offset, filled(request.length, 4)),
        );
        if (!first) return void socket.write(bytes);
        first = false;
        waiting.push(() => socket.write(bytes));
      },
    });
    const cancel = new AbortController();
    const into = filled(600_000, 0xee);
    const read = client.read(0, into, cancel.signal);
    const asked = client.read(0, filled(1, 0), signal);
    await asked;
    cancel.abort();
    await expect(read).rejects.toMatchObject({ code: 'general.cancelled' });
    for (const send of waiting) send();
    const next = filled(1000, 0);
    await client.read(0, next, signal);
    expect(next.equals(filled(1000, 4))).toBe(true);
    expect(into.equals(filled(600_000, 0xee))).toBe(true);
  });

  it('lets more reads wait than may be in flight', async () => {
    let most = 0;
    let current = 0;
    const client = await connect({
      onRequest: (request, socket) => {
        most = Math.max(most, ++current);
        setImmediate(() => {
          current -= 1;
          socket.write(
            chunk(request.cookie, Chunk.offsetData, true, offsetField(request.offset, filled(request.length, 1))),
          );
        });
      },
    });
    await Promise.all(Array.from({ length: 300 }, (_, index) => client.read(index, filled(10, 0), signal)));
    expect(most).toBeLessThanOrEqual(64);
  });
});

describe('a server that lies', () => {
  const lies: Readonly<Record<string, (request: SeenRequest) => readonly Buffer[]>> = {
    'with an unknown cookie': () => [chunk(Buffer.alloc(8, 0xab), Chunk.none, true)],
    'with another magic': () => [Buffer.alloc(20, 0x41)],
    'with a gap in the data': ({ cookie, offset }) => [
      chunk(cookie, Chunk.offsetData, true, offsetField(offset, filled(512, 1))),
    ],
    'with nothing at all': ({ cookie }) => [chunk(cookie, Chunk.none, true)],
    'with data twice': ({ cookie, offset }) => [
      chunk(cookie, Chunk.offsetData, false, offsetField(offset, filled(512, 1))),
      chunk(cookie, Chunk.offsetData, true, offsetField(offset, filled(512, 1))),
    ],
    'with data beyond the request': ({ cookie, offset, length }) => [
      chunk(cookie, Chunk.offsetData, true, offsetField(offset + length, filled(1, 1))),
    ],
    'with data before the request': ({ cookie }) => [
      chunk(cookie, Chunk.offsetData, true, offsetField(0, filled(1, 1))),
    ],
    'with an offset of 2^64 - 1': ({ cookie }) => [
      chunk(cookie, Chunk.offsetData, true, offsetField(0xffff_ffff_ffff_ffffn, filled(1, 1))),
    ],
    'with a hole of no length': ({ cookie, offset }) => [
      chunk(cookie, Chunk.offsetHole, true, offsetField(offset, Buffer.alloc(4))),
    ],
    'with a hole of 4 GiB': ({ cookie, offset }) => [
      chunk(cookie, Chunk.offsetHole, true, offsetField(offset, Buffer.alloc(4, 0xff))),
    ],
    'with a chunk type that nobody knows': ({ cookie }) => [chunk(cookie, 77, true, filled(4, 1))],
    'with an error text longer than its chunk': ({ cookie }) => [
      chunk(cookie, Chunk.error, true, Buffer.from([0, 0, 0, 5, 0xff, 0xff])),
    ],
    'with an error of 4 GiB': ({ cookie }) => [chunk(cookie, Chunk.error, true, Buffer.alloc(0), 0xffff_ffff)],
    'with an error that is none': ({ cookie }) => [chunk(cookie, Chunk.error, true, errorPayload(0))],
    'with a block status to a read': ({ cookie }) => [chunk(cookie, Chunk.blockStatus, true, filled(12, 1))],
    'with a simple reply to a structured read': ({ cookie, length }) => [simpleReply(cookie, 0, filled(length, 1))],
  };
  for (const [how, answer] of Object.entries(lies)) {
    it(`${how} is not believed`, async () => {
      const client = await connect({ onRequest: answerWith(answer) });
      await expect(client.read(4096, filled(1024, 0), signal)).rejects.toMatchObject({ code: 'source.protocol' });
      expect(client.failed).toMatchObject({ code: 'source.protocol' });
    });
  }

  it('about block status is not believed', async () => {
    for (const payload of [
      Buffer.alloc(4),
      Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from([0, 0, 0, 9, 0, 0, 1, 0, 0, 0, 0, 0]),
    ]) {
      const client = await connect(
        { onRequest: answerWith(({ cookie }) => [chunk(cookie, Chunk.blockStatus, true, payload)]) },
        { contexts: ['base:allocation'] },
      );
      await expect(client.blockStatus(0, 4096, signal)).rejects.toMatchObject({ code: 'source.protocol' });
    }
    const silent = await connect(
      { onRequest: answerWith(({ cookie }) => [chunk(cookie, Chunk.none, true)]) },
      { contexts: ['base:allocation'] },
    );
    await expect(silent.blockStatus(0, 4096, signal)).rejects.toMatchObject({ code: 'source.protocol' });
  });

  it('in the handshake is refused, and one that hangs is left', async () => {
    const scripts: readonly Script[] = [
      { greeting: Buffer.alloc(18, 0x58) },
      { options: { [Option.go]: () => [optionReply(Option.go, OptionReply.ack)] } },
      { options: { [Option.go]: () => [exportInfo(0xffff_ffff_ffff_ffffn), optionReply(Option.go, OptionReply.ack)] } },
      {
        options: {
          [Option.go]: () => [exportInfo(1024n), optionReply(Option.go, OptionReply.ack), Buffer.from('early')],
        },
      },
      { options: { [Option.structuredReply]: () => [optionReply(99, OptionReply.ack)] } },
      { options: { [Option.structuredReply]: () => [Buffer.alloc(20, 1)] } },
    ];
    for (const script of scripts) await expect(connect(script)).rejects.toMatchObject({ code: 'source.protocol' });
    const server = await serve({ greeting: Buffer.alloc(0) });
    const address = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
    await expect(NbdClient.connect({ address, exportName: '', handshakeTimeoutMs: 50 }, signal)).rejects.toMatchObject({
      code: 'source.unreachable',
    });
    await expect(NbdClient.connect({ address, exportName: '' }, AbortSignal.timeout(50))).rejects.toMatchObject({
      code: 'general.cancelled',
    });
  });

  it('can’t talk us out of TLS', async () => {
    const server = await serve({});
    const address = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
    await expect(NbdClient.connect({ address, exportName: '', tls: {} }, signal)).rejects.toMatchObject({
      code: 'source.tls-refused',
    });
    const injecting = await serve({
      options: {
        [Option.startTls]: () => [
          optionReply(Option.startTls, OptionReply.ack),
          optionReply(Option.go, OptionReply.ack),
        ],
      },
    });
    await expect(
      NbdClient.connect({ address: { ...address, port: injecting.port }, exportName: '', tls: {} }, signal),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^source\.(protocol|tls-refused)$/) });
  });
});
