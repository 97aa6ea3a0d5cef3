import { describe, expect, it } from 'vitest';
import { decompress } from './decompress.ts';
import { FrameParser } from './frame-parser.ts';
import {
  Classic,
  allocatedBlocksMessage,
  classicMessage,
  closeFileMessage,
  closeSessionMessage,
  connectionMessage,
  descriptorGetMessage,
  openFileMessage,
  openSessionMessage,
  parseOpenReply,
  readMessage,
  tokenMessage,
  blockRuns,
} from './protocol.ts';

/** `[00*n]` stands for n zero bytes, `aa*n` for n bytes aa; blanks, slashes and bars only part the fields. */
export function vector(text: string): Buffer {
  const hex = text
    .replace(/\[00\*(\d+)\]/g, (_, count: string) => '00'.repeat(Number(count)))
    .replace(/\b([0-9a-f]{2})\*(\d+)/g, (_, byte: string, count: string) => byte.repeat(Number(count)))
    .replace(/[^0-9a-f]/g, '');
  return Buffer.from(hex, 'hex');
}

const handle = vector('e1be0080 ffffffff');

describe('what the client says, byte for byte', () => {
  const cases: readonly (readonly [string, Buffer, string])[] = [
    ['token', tokenMessage('PlainText'), '2b000000 506c6169 6e546578 74000000 [00*248]'],
    ['parameters', classicMessage(Classic.parameters), '21000000 [00*260]'],
    ['version', classicMessage(Classic.version, 11), '33000000 0b000000 [00*256]'],
    [
      'connection',
      connectionMessage('vddk', 'nbdmode'),
      '36000000 04000000 07000000 [00*252] | 7664646b6e62646d6f6465',
    ],
    ['features', classicMessage(Classic.features, 3), '37000000 03000000 [00*256]'],
    ['asynchronous session', classicMessage(Classic.aioOpen), '34000000 [00*260]'],
    [
      'one buffer of 64 KiB',
      openSessionMessage(0, 65_536, 1),
      '7ada00a1 02000000 10000000 00000000 / 00000000 00000100 01000000 00000000',
    ],
    [
      'open',
      openFileMessage(3, '[ds1] vm/vm.vmdk'),
      '7ada00a1 04000000 3c000000 03000000 / 10000000 [00*12] 02000000 1e000000 [00*36] | 5b6473315d20766d2f766d2e766d646b',
    ],
    [
      'read',
      readMessage(4, handle, 2, 0, 66_048),
      '7ada00a1 07000000 2c000000 04000000 / e1be0080 ffffffff 01000000 02000000 00000000 00000000 00020100 00000000 00020100 00020100 00000000',
    ],
    [
      'allocated blocks',
      allocatedBlocksMessage(5, handle, 2 ** 20, 16),
      '7ada00a1 0d000000 30000000 05000000 / e1be0080 ffffffff 00000000 00000000 00000100 00000000 00001000 00000000 10000000 [00*12]',
    ],
    [
      'descriptor',
      descriptorGetMessage(6, handle, 'adapterType'),
      '7ada00a1 0b000000 10000000 06000000 / e1be0080 ffffffff 0b000000 00000000 | 6164617074657254797065',
    ],
    ['close file', closeFileMessage(7, handle), '7ada00a1 05000000 08000000 07000000 / e1be0080 ffffffff'],
    ['close session', closeSessionMessage(8), '7ada00a1 03000000 04000000 08000000 / 00000000'],
  ];
  it.each(cases)('%s', (_name, message, expected) => {
    expect(message.toString('hex')).toBe(vector(expected).toString('hex'));
  });

  it('places beyond 4 GiB', () => {
    expect(readMessage(0, handle, 0, 5 * 2 ** 40 + 512, 512).readBigUInt64LE(32)).toBe(5n * 2n ** 40n + 512n);
  });
});

describe('what the host says, byte for byte', () => {
  /** Messages with what follows them, as a parser hands them over. */
  function parse(
    bytes: Buffer,
    extraLength: (type: number, payload: Buffer) => number,
    cut: number,
  ): { type: number; opId: number; payload: Buffer; extra: Buffer }[] {
    const seen: { type: number; opId: number; payload: Buffer; extra: Buffer }[] = [];
    const parser = new FrameParser({
      classic: () => undefined,
      checkHead: () => undefined,
      message: (type, opId, payload) => {
        const copy = Buffer.from(payload);
        return {
          length: extraLength(type, copy),
          isWanted: () => true,
          done: (extra) => seen.push({ type, opId, payload: copy, extra: Buffer.from(extra ?? []) }),
        };
      },
    });
    parser.beginAio();
    for (let at = 0; at < bytes.length; at += cut) parser.push(bytes.subarray(at, at + cut));
    return seen;
  }

  it.each([1, 2, 3, 7, 16, 17, 61, 4096])('cut every %i bytes', (cut) => {
    const opened = vector(
      '7ada00a1 04000000 3c000000 03000000 / 00000000 00000000 e1be0080 ffffffff 02000000 1e000000 00000000 00000000 04000000 00020000 28080000 ff000000 3f000000 00000000 00000000',
    );
    const refusal = vector('7ada00a1 01000000 10000000 03000000 / 0b000000 00000000 00000000 04000000 | 6e6f7065');
    const second = vector(
      '7ada00a1 07000000 2c000000 04000000 / 00000000 00000000 01000000 02000000 00000000 00000000 00020100 00000100 00020000 08000000 00000000 | 0000e0ff00e0ee00',
    );
    const blocks = vector('7ada00a1 0d000000 30000000 05000000 / [00*32] 10000000 [00*12] | 07800000');
    const value = vector('7ada00a1 0b000000 10000000 06000000 / [00*12] 08000000 | 6c73696c6f676963');
    const lengths: Record<number, (payload: Buffer) => number> = {
      1: (p) => p.readUInt32LE(12),
      7: (p) => p.readUInt32LE(36),
      13: () => 4,
      11: (p) => p.readUInt32LE(12),
    };
    const seen = parse(
      Buffer.concat([opened, refusal, second, blocks, value]),
      (type, payload) => lengths[type]?.(payload) ?? 0,
      cut,
    );
    expect(seen.map(({ type, opId }) => [type, opId])).toEqual([
      [4, 3],
      [1, 3],
      [7, 4],
      [13, 5],
      [11, 6],
    ]);
    const [open, error, fragment, map, descriptor] = seen.map(({ payload, extra }) => ({ payload, extra }));
    expect(parseOpenReply(open?.payload as Buffer)).toEqual({ handle, sizeBytes: 16 * 2 ** 30 });
    expect(error?.extra.toString()).toBe('nope');
    const plain = Buffer.alloc(512, 0xee);
    decompress(2, fragment?.extra as Buffer, plain);
    expect(plain.equals(Buffer.alloc(512))).toBe(true);
    expect([...blockRuns(map?.extra as Buffer, 16)]).toEqual([
      [0, 3, true],
      [3, 12, false],
      [15, 1, true],
    ]);
    expect(descriptor?.extra.toString()).toBe('lsilogic');
  });
});

describe('packed fragments, byte for byte', () => {
  const skipped = Buffer.alloc(512);
  skipped.write('abc', 4);
  skipped.writeUInt16BE(0x55aa, 510);
  const cases: readonly (readonly [string, number, string, Buffer])[] = [
    ['SkipZ with two runs', 3, '00020000000000000400000003000000616263fe0100000200000055aa', skipped],
    ['SkipZ, zeros', 3, '0002000000000000', Buffer.alloc(512)],
    ['FastLZ 1', 2, '03616263648003005a', Buffer.from('abcdabcdabZ')],
    ['FastLZ 2, 512 zeros', 2, '2000e0fff700', Buffer.alloc(512)],
    ['FastLZ 2, 65536 zeros', 2, '2000e0 ff*256 f600', Buffer.alloc(65_536)],
  ];
  it.each(cases)('%s', (_name, compression, packed, plain) => {
    const out = Buffer.alloc(plain.length, 0xee);
    decompress(compression, vector(packed), out);
    expect(out.equals(plain)).toBe(true);
  });
});
