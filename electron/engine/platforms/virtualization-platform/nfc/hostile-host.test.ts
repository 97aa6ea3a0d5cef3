import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { rounds } from '../../../../../shared/testing/rounds.ts';
import { ReceivedRuns } from './received-runs.ts';
import { NfcSession } from './session.ts';

const signal = new AbortController().signal;
const READ = 128 * 1024;
const bufferBytes = 65_536;

function classic(type: number, ...words: number[]): Buffer {
  const message = Buffer.alloc(264);
  [type, ...words].forEach((word, index) => message.writeUInt32LE(word, 4 * index));
  return message;
}

function aio(type: number, opId: number, payload: Buffer, extra = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(16);
  [0xa100da7a, type, payload.length, opId].forEach((word, index) => head.writeUInt32LE(word, 4 * index));
  return Buffer.concat([head, payload, extra]);
}

function opened(): Buffer {
  const payload = Buffer.alloc(60);
  payload.writeUInt32LE(2, 16);
  payload.writeUInt32LE(2 ** 24, 28);
  return payload;
}

function fragment(opId: number, place: number, plain: number): Buffer {
  const payload = Buffer.alloc(44);
  payload.writeUInt32LE(1, 8);
  payload.writeUInt32LE(READ, 24);
  payload.writeUInt32LE(place, 28);
  payload.writeUInt32LE(plain, 32);
  payload.writeUInt32LE(plain, 36);
  return aio(7, opId, payload, Buffer.alloc(plain, 0x5a));
}

/** What a good host says until two fragments of a read have come. */
const good: readonly Buffer[] = [
  Buffer.concat([classic(36), classic(51, 11)]),
  classic(52),
  aio(2, 0, Buffer.alloc(16)),
  aio(9, 1, Buffer.alloc(12)),
  aio(22, 2, Buffer.alloc(4)),
  aio(4, 3, opened()),
  Buffer.concat([fragment(4, 65_536, 65_536), fragment(4, 0, 65_536)]),
];

/** Plays the host's part; each answer goes out once the client waits, and the end of the script ends the connection. */
async function play(
  script: readonly Buffer[],
): Promise<{ readonly outcome: 'read' | CausewayError; readonly guard: boolean }> {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done(), autoDestroy: false });
  const whole = Buffer.alloc(READ + 128, 0xa5);
  const into = whole.subarray(64, 64 + READ);
  const data = {
    stream,
    onData: (listener: (bytes: Uint8Array) => void) => stream.on('data', listener),
    token: 'token',
    isEncrypted: true,
    destroy: () => stream.destroy(),
  };
  const outcome = (async (): Promise<'read' | CausewayError> => {
    try {
      const session = await NfcSession.open(
        data,
        { path: '[a] b', bufferBytes, bufferCount: 1, silenceMs: 60_000, requestMs: 60_000 },
        signal,
      );
      return await new Promise((resolve) => {
        session.onEnded(resolve);
        session.read({ offset: 0, into, isWanted: true, done: (error) => resolve(error ?? 'read') }, 0);
      });
    } catch (error) {
      return error as CausewayError;
    }
  })();
  for (const answer of script) {
    await turn();
    if (!stream.destroyed) stream.push(answer);
  }
  await turn();
  if (!stream.destroyed) stream.push(null);
  const result = await outcome;
  stream.destroy();
  return {
    outcome: result,
    guard:
      whole.subarray(0, 64).every((byte) => byte === 0xa5) && whole.subarray(64 + READ).every((byte) => byte === 0xa5),
  };
}

describe('a hostile host', () => {
  it('is read from while it is none', async () => {
    expect((await play(good)).outcome).toBe('read');
  });

  it('gets a clear error for any change to what it should say, and the client never hangs', async () => {
    const change = fc.tuple(
      fc.nat(good.length - 1),
      fc.nat(),
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
      fc.constantFrom('change', 'insert', 'cut', 'repeat'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const script: Buffer[] = good.map((answer) => Buffer.from(answer));
        for (const [index, place, bytes, kind] of changes) {
          const answer = script[index] as Buffer;
          // Heads are where lies matter most.
          const at = answer.length === 0 ? 0 : place % Math.min(answer.length, place % 3 === 0 ? answer.length : 80);
          if (kind === 'change') answer.set(bytes.subarray(0, answer.length - at), at);
          else if (kind === 'insert')
            script[index] = Buffer.concat([answer.subarray(0, at), bytes, answer.subarray(at)]);
          else if (kind === 'cut') script[index] = answer.subarray(0, at);
          else script[index] = Buffer.concat([answer, answer]);
        }
        const { outcome, guard } = await play(script);
        expect(guard).toBe(true);
        if (outcome === 'read') return;
        expect(outcome).toBeInstanceOf(CausewayError);
        expect(outcome.code, String(outcome.cause instanceof Error ? outcome.cause.stack : outcome.message)).toMatch(
          /^source\./,
        );
      }),
      { numRuns: rounds(400) },
    );
  });

  it('gets a clear error for noise of any length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 6 }),
        fc.nat(good.length - 1),
        async (noise, from) => {
          const { outcome } = await play([...good.slice(0, from), ...noise.map((bytes) => Buffer.from(bytes))]);
          expect(outcome).toBeInstanceOf(CausewayError);
          expect((outcome as CausewayError).code).toMatch(/^source\./);
        },
      ),
      { numRuns: rounds(200) },
    );
  });
});

describe('runs that have come', () => {
  it('are complete exactly when every byte came once, in any order', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { maxLength: 30 }),
        fc.infiniteStream(fc.nat()),
        (cuts, order) => {
          const edges = [0, ...cuts.toSorted((a, b) => a - b), 1000];
          const parts = edges
            .slice(1)
            .map((to, index) => [edges[index] as number, to] as const)
            .map((part) => ({ part, at: order.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ part }) => part);
          const runs = new ReceivedRuns();
          for (const [from, to] of parts) {
            expect(runs.isComplete(1000)).toBe(false);
            runs.add(from, to);
            expect(() => runs.add(from, to)).toThrow(/overlap/);
          }
          expect(runs.isComplete(1000)).toBe(true);
        },
      ),
    );
  });

  it('refuse what overlaps by a byte, and gaps without end', () => {
    const runs = new ReceivedRuns();
    runs.add(100, 200);
    expect(() => runs.add(199, 300)).toThrow(/overlap/);
    expect(() => runs.add(50, 101)).toThrow(/overlap/);
    expect(() => runs.add(0, 1000)).toThrow(/overlap/);
    expect(() => {
      for (let at = 1000; ; at += 2) runs.add(at, at + 1);
    }).toThrow(/too many/);
  });
});
