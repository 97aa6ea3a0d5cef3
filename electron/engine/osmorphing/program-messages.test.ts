import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, programError, programMessage } from './program-messages.ts';

describe('what the program on the worker says', () => {
  it('is cut into the same lines however it arrives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '))),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const splitter = new LineSplitter();
          const found: string[] = [];
          let from = 0;
          for (const size of sizes) {
            if (from >= bytes.length) break;
            found.push(...splitter.push(bytes.subarray(from, from + size)));
            from += size;
          }
          expect(found).toEqual(lines.map((line) => Buffer.from(line).toString('utf8')));
        },
      ),
    );
  });

  it('is a log line when it is no message', () => {
    for (const line of ['', 'Traceback (most recent call last):', '{"type":"step"}', '[]', '{"type":"unknown"}']) {
      expect(programMessage(line)).toEqual({ type: 'log', line });
    }
  });

  it('keeps codes of the catalogue, and no others', () => {
    const error = (code: string) => programError({ type: 'error', code, message: 'm', details: {} }).code;
    expect(error('osmorphing.several-roots')).toBe('osmorphing.several-roots');
    expect(error('made.up')).toBe('osmorphing.program-failed');
  });
});
