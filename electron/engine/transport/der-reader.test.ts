import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextTag, generalString, integer, node, octetString, sequence } from './der.ts';
import { bytesOf, DerError, fieldOf, fieldsOf, numberOf, readNode, textOf, timeOf } from './der-reader.ts';

test('reads what is written, of any length', () => {
  for (const length of [0, 127, 128, 255, 256, 65_535, 65_536]) {
    const fields = fieldsOf(
      readNode(
        sequence(
          contextTag(0, integer(length)),
          contextTag(3, octetString(Buffer.alloc(length, 7))),
          contextTag(5, generalString('K\u00f6ln')),
        ),
      ),
    );
    expect([numberOf(fieldOf(fields, 0)), bytesOf(fieldOf(fields, 3)).length, textOf(fieldOf(fields, 5))]).toEqual([
      length,
      length,
      'K\u00f6ln',
    ]);
    expect(() => fieldOf(fields, 1)).toThrow(DerError);
  }
  expect(timeOf(readNode(node(0x18, Buffer.from('20261126105959Z'))))).toBe(Date.UTC(2026, 10, 26, 10, 59, 59));
});

test('refuses whatever else it is given', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      for (const read of [
        readNode,
        (given: Buffer) => fieldsOf(readNode(given)),
        (given: Buffer) => numberOf(readNode(given)),
        (given: Buffer) => timeOf(readNode(given)),
      ]) {
        try {
          read(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(DerError);
        }
      }
    }),
  );
});
