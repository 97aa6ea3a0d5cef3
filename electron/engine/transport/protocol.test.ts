import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameParser } from './frame-parser.ts';
import {
  decodeHead,
  encodeHead,
  frameFlags,
  headBytes,
  headFields,
  maxPayloadBytes,
  protocolVersion,
  requestTypes,
  statuses,
  type FrameHead,
} from './protocol.ts';

const document = readFileSync(join(import.meta.dirname, '../../../assets/worker/PROTOCOL.md'), 'utf8');
const agent = readFileSync(join(import.meta.dirname, '../../../assets/worker/causeway_agent.py'), 'utf8');

/** The rows of the document's table whose first column has this title. */
function tableOf(title: string): readonly (readonly string[])[] {
  const lines = document.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${title} |`)) + 2;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const numbersOf = (title: string): Record<string, number> =>
  Object.fromEntries(tableOf(title).map(([name, value]) => [name, Number(value)]));

const heads = fc.record({
  type: fc.integer({ min: 1, max: 10 }),
  flags: fc.integer({ min: 0, max: 3 }),
  request: fc.integer({ min: 0, max: 0xffff_ffff }),
  volume: fc.integer({ min: 0, max: 0xffff_ffff }),
  offset: fc.maxSafeNat(),
  length: fc.maxSafeNat(),
  payloadLength: fc.integer({ min: 0, max: maxPayloadBytes }),
  argument: fc.integer({ min: 0, max: 0xffff_ffff }),
  payloadChecksum: fc.integer({ min: 0, max: 0xffff_ffff }),
});

function encoded(head: FrameHead): Buffer {
  const bytes = Buffer.alloc(headBytes);
  encodeHead(head, bytes);
  return bytes;
}

function frame(request: number, payload: Uint8Array): Buffer {
  const head = {
    type: 5,
    flags: frameFlags.CHECKED,
    request,
    volume: 1,
    offset: 0,
    length: payload.length,
    payloadLength: payload.length,
    argument: 0,
    payloadChecksum: crc32(payload),
  };
  return Buffer.concat([encoded(head), payload]);
}

describe('the protocol document', () => {
  it('lists the fields of the head where the codec has them', () => {
    const listed = Object.fromEntries(
      tableOf('Field').map(([name, at, size]) => [name, { at: Number(at), size: Number(size) }]),
    );
    expect(listed).toEqual(headFields);
    const last = Object.values(headFields).at(-1);
    expect((last?.at ?? 0) + (last?.size ?? 0)).toBe(headBytes);
  });

  it('lists the flags, requests and statuses of the codec', () => {
    expect(numbersOf('Flag')).toEqual(frameFlags);
    expect(numbersOf('Request')).toEqual(requestTypes);
    expect(numbersOf('Status')).toEqual(statuses);
    expect(document).toContain(`version ${protocolVersion}\n`);
    expect(document).toContain(`at most ${maxPayloadBytes} bytes`);
  });

  it('says what the agent has as constants', () => {
    const block = agent.slice(agent.indexOf('\nOK = 0'), agent.indexOf('\n\n', agent.indexOf('\nOK = 0') + 1));
    const agentStatuses = Object.fromEntries(
      [...block.matchAll(/^([A-Z_]+) = (\d)/gm)].map(([, name, value]) => [name, Number(value)]),
    );
    expect(agentStatuses).toEqual(statuses);
    expect(agent).toContain(
      `${Object.keys(requestTypes).join(', ')} = range(1, ${Object.keys(requestTypes).length + 1})`,
    );
    expect(agent).toContain(`${Object.keys(frameFlags).join(', ')} = ${Object.values(frameFlags).join(', ')}`);
  });
});

describe('the frame codec', () => {
  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(heads, (head) => {
        expect(decodeHead(encoded(head))).toEqual(head);
      }),
    );
  });

  it('notices any single flipped bit of a head', () => {
    fc.assert(
      fc.property(heads, fc.integer({ min: 0, max: headBytes * 8 - 1 }), (head, bit) => {
        const bytes = encoded(head);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => decodeHead(bytes)).toThrow(expect.objectContaining({ code: 'transport.protocol' }));
      }),
    );
  });

  it('finds the same frames however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }),
        (payloads, cuts) => {
          const stream = Buffer.concat(payloads.map((payload, index) => frame(index + 1, payload)));
          const found: { request: number; payload: Buffer }[] = [];
          const parser = new FrameParser((head, payload) => found.push({ request: head.request, payload }));
          for (let at = 0, turn = 0; at < stream.length; turn++) {
            const size = cuts[turn % cuts.length] ?? 1;
            parser.push(stream.subarray(at, at + size));
            at += size;
          }
          expect(found).toEqual(
            payloads.map((payload, index) => ({ request: index + 1, payload: Buffer.from(payload) })),
          );
        },
      ),
    );
  });

  it('notices any flipped byte of a checked payload', () => {
    const payload = Buffer.from('the quick brown fox');
    for (let at = 0; at < payload.length; at++) {
      const bytes = frame(1, payload);
      bytes[headBytes + at] = (bytes[headBytes + at] ?? 0) ^ 0x40;
      const parser = new FrameParser(() => expect.unreachable());
      expect(() => parser.push(bytes)).toThrow(/does not match its checksum/);
    }
  });

  it('refuses a payload longer than the limit before it is buffered', () => {
    const head = {
      type: 5,
      flags: 0,
      request: 1,
      volume: 0,
      offset: 0,
      length: 0,
      payloadLength: maxPayloadBytes + 1,
      argument: 0,
      payloadChecksum: 0,
    };
    expect(() => decodeHead(encoded(head))).toThrow(/announces/);
  });
});
