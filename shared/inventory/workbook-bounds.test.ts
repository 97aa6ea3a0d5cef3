import { readFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTables } from './read-tables.ts';
import { tableBounds } from './workbook-bounds.ts';

interface Entry {
  readonly name: string;
  readonly content: Uint8Array;
  /** What the archive says, where that is a lie. */
  readonly size?: number;
}

/** A ZIP archive, written by hand so that it can lie. */
function zip(entries: readonly Entry[]): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, size = content.length } of entries) {
    const packed = deflateRawSync(content, { level: 9 });
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(size, 18);
    header.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), header, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), header, tail, Buffer.from(name)]));
    files.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

const sheet = 'xl/worksheets/sheet1.xml';
const reading = (entries: readonly Entry[], bounds = tableBounds) => readTables('bomb.xlsx', zip(entries), bounds);
const refusal = (reason: RegExp) => ({
  code: 'inventory.unreadable',
  message: expect.stringMatching(reason) as unknown,
});
const small = { ...tableBounds, inflatedBytes: 2 ** 20, rows: 100, cells: 1000 };

describe('a workbook', () => {
  test('of RVTools is within the bounds', async () => {
    expect(
      await readTables('RVTools.xlsx', readFileSync(new URL('testing/rvtools.xlsx', import.meta.url))),
    ).not.toEqual([]);
  });

  test('that unpacks to far more than it has is refused before anything is read', async () => {
    await expect(reading([{ name: sheet, content: Buffer.alloc(300 * 2 ** 20) }])).rejects.toMatchObject(
      refusal(/^bomb\.xlsx: it unpacks to more than 256 MiB$/),
    );
  });

  test('that says it is smaller than it is is refused where that shows', async () => {
    await expect(
      reading([{ name: sheet, content: Buffer.alloc(8 * 2 ** 20), size: 100 }], small),
    ).rejects.toMatchObject(refusal(/sheet1\.xml is larger than the size that the archive declares/));
  });

  test('that says it is larger than any is refused without allocating it', async () => {
    await expect(reading([{ name: sheet, content: Buffer.alloc(10), size: 0xffff_fff0 }])).rejects.toMatchObject(
      refusal(/unpacks to more than/),
    );
  });

  test.each([
    ['rows', '<row r="1"/>', 200, /more than 100 rows/],
    ['cells', '<c r="A1"/>', 2000, /more than 1,000 cells/],
    ['cells with a prefix', '<x:c r="A1"/>', 2000, /more than 1,000 cells/],
  ])('with too many %s is refused', async (_what, tag, times, reason) => {
    await expect(
      reading([{ name: sheet, content: Buffer.from(`<sheetData>${tag.repeat(times)}</sheetData>`) }], small),
    ).rejects.toMatchObject(refusal(reason));
  });

  test('with a second directory, in which other parts stand, is refused', async () => {
    const bomb = Buffer.from(
      zip([{ name: sheet, content: Buffer.from(`<sheetData>${'<row r="1"/>'.repeat(200)}</sheetData>`) }]),
    );
    const harmless = Buffer.from(zip([{ name: 'a.xml', content: Buffer.from('<a/>') }]));
    const [bombEnd, end] = [bomb.length - 22, harmless.length - 22];
    // The harmless archive after the bomb: its offsets move.
    const directoryAt = harmless.readUInt32LE(end + 16);
    harmless.writeUInt32LE(bomb.length, directoryAt + 42);
    harmless.writeUInt32LE(bomb.length + directoryAt, end + 16);
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeUInt32LE(1, 32);
    record.writeUInt32LE(bomb.readUInt32LE(bombEnd + 16), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeUInt32LE(bomb.length + end, 8);
    const both = Buffer.concat([bomb, harmless.subarray(0, end), record, locator, harmless.subarray(end)]);
    await expect(readTables('two.xlsx', both, small)).rejects.toMatchObject(refusal(/ZIP64/));
    const counts = Buffer.from(harmless);
    counts.writeUInt16LE(3, end + 8);
    await expect(readTables('counts.xlsx', counts, small)).rejects.toMatchObject(refusal(/damaged/));
  });

  test('that is cut short is called damaged', async () => {
    const whole = readFileSync(new URL('testing/rvtools.xlsx', import.meta.url));
    for (const length of [10, 100, whole.length - 30]) {
      await expect(readTables('cut.xlsx', whole.subarray(0, length))).rejects.toMatchObject(
        refusal(/damaged or incomplete/),
      );
    }
  });
});

test('a CSV file of nothing but separators ends at the bound', async () => {
  await expect(readTables('wide.csv', Buffer.from(','.repeat(2000)), small)).rejects.toMatchObject(
    refusal(/more than 1,000 cells/),
  );
  await expect(readTables('long.csv', Buffer.from('a\n'.repeat(200)), small)).rejects.toMatchObject(
    refusal(/more than 100 rows/),
  );
});

test.each(['x.js', 'list.xls', 'env.yaml', 'a.json'])('%s is not imported', async (name) => {
  await expect(readTables(name, Buffer.from('name,os\nweb,linux\n'))).rejects.toMatchObject(
    refusal(/only \.xlsx, \.csv, \.tsv and \.txt/),
  );
});
