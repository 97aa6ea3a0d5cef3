import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { ImageBytes } from '../../images/image-bytes.ts';
import { seeded } from '../../images/testing/content.ts';
import { indexTar } from './tar-index.ts';

const BLOCK = 512;

interface Member {
  readonly name: string;
  readonly content: Buffer;
  /** `0`: a file; `L`: the long name of the next one; `x`: records about the next one; `5`: a folder. */
  readonly type?: string;
  readonly prefix?: string;
  /** The size as a big-endian number, as GNU tar writes those of 8 GiB and more. */
  readonly binarySize?: boolean;
}

function archive(members: readonly Member[]): Buffer {
  const parts = members.flatMap(({ name, content, type = '0', prefix = '', binarySize = false }) => {
    const head = Buffer.alloc(BLOCK);
    head.write(name, 0, 100);
    head.write('0000644\0', 100);
    if (binarySize) {
      head[124] = 0x80;
      head.writeBigUInt64BE(BigInt(content.length), 128);
    } else head.write(content.length.toString(8).padStart(11, '0'), 124);
    head.write(type, 156);
    head.write('ustar\0' + '00', 257, 'latin1');
    head.write(prefix, 345);
    seal(head);
    return [head, content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function seal(head: Buffer): void {
  head.fill(' ', 148, 156);
  head.write(
    head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0'),
    148,
  );
  head[154] = 0;
}

function inMemory(bytes: Buffer) {
  const work = { reads: 0, bytes: 0 };
  const file: ImageBytes = {
    name: 'vm.ova',
    sizeBytes: bytes.length,
    isSparse: false,
    read(at, into) {
      if (at < 0 || at + into.length > bytes.length)
        throw new Error(`read ${into.length} bytes at ${at} of ${bytes.length}`);
      work.reads += 1;
      work.bytes += into.length;
      bytes.copy(into, 0, at, at + into.length);
      return Promise.resolve();
    },
  };
  return { file, work };
}

const long = `${'folder/'.repeat(20)}disk.vmdk`;
const record = (key: string, value: string): Buffer => {
  const rest = ` ${key}=${value}\n`;
  const length =
    [1, 2, 3]
      .map((digits) => Buffer.byteLength(rest) + digits)
      .find((sum, index) => String(sum).length === index + 1) ?? 0;
  return Buffer.from(`${length}${rest}`);
};
const members: readonly Member[] = [
  { name: 'vm.ovf', content: Buffer.from('<Envelope/>') },
  { name: 'folder', content: Buffer.alloc(0), type: '5' },
  { name: 'a.vmdk', content: Buffer.alloc(700, 1), prefix: 'disks' },
  { name: '././@LongLink', content: Buffer.from(`${long}\0`), type: 'L' },
  { name: long.slice(0, 100), content: Buffer.alloc(1024, 2), binarySize: true },
  { name: 'PaxHeaders/b', content: record('path', 'große.vmdk'), type: 'x' },
  { name: 'b', content: Buffer.alloc(1, 3) },
];

describe('the members of a tar archive', () => {
  it('are listed with their names and places, as ustar, GNU tar and pax write them', async () => {
    const bytes = archive(members);
    const found = await indexTar(inMemory(bytes).file);
    expect(found.map(({ name, size }) => [name, size])).toEqual([
      ['vm.ovf', 11],
      ['disks/a.vmdk', 700],
      [long, 1024],
      ['große.vmdk', 1],
    ]);
    expect(found.map(({ offset, size }) => bytes.subarray(offset, offset + size))).toEqual(
      members.filter(({ type }) => type === undefined).map(({ content }) => content),
    );
  });

  it('lie within the archive whatever is changed in it, and are found with bounded work', async () => {
    const whole = archive(members);
    const heads: number[] = [];
    for (let at = 0; at < whole.length; at += BLOCK)
      if (whole.toString('latin1', at + 257, at + 262) === 'ustar') heads.push(at);
    let listed = 0;
    for (let seed = 0; seed < 1000; seed++) {
      const random = seeded(seed);
      const below = (limit: number) => Math.floor(random() * limit);
      let bytes = Buffer.from(whole);
      for (let count = 1 + below(3); count > 0; count--) {
        const head = heads[below(heads.length)] ?? 0;
        const kind = below(6);
        if (kind === 0) bytes[head + below(BLOCK)] = below(256);
        else if (kind === 1) bytes.fill(below(256), head + 124, head + 136);
        else if (kind === 2)
          bytes.write(
            ['77777777777', '-0000000001', '00000000000', '99999999999', '          1'][below(5)] ?? '',
            head + 124,
          );
        else if (kind === 3) bytes.write('LxgV075'[below(7)] ?? '', head + 156);
        else if (kind === 4) bytes[head + BLOCK + below(Math.min(64, bytes.length - head - BLOCK))] = below(256);
        else bytes = bytes.subarray(0, Math.max(BLOCK, below(bytes.length)));
        if (head + BLOCK <= bytes.length && random() < 0.9) seal(bytes.subarray(head, head + BLOCK));
        if (bytes.length < whole.length) break;
      }
      const { file, work } = inMemory(bytes);
      const found = await indexTar(file).catch((error: unknown) => error);
      expect(work.reads, `seed ${seed}`).toBeLessThan(100);
      if (found instanceof CausewayError)
        expect(found.code, `seed ${seed}`).toMatch(/^source\.(description-invalid|image-unreadable)$/);
      else if (Array.isArray(found)) {
        listed += 1;
        for (const { offset, size } of found as Awaited<ReturnType<typeof indexTar>>)
          if (!(offset >= BLOCK && size >= 0 && offset + size <= bytes.length))
            throw new Error(`seed ${seed}: ${size} bytes at ${offset}`);
      } else throw found;
    }
    expect(listed).toBeGreaterThan(100);
  });
});
