import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { print, table } from './print.ts';
import { printable, printableLines } from './printable.ts';
import { problemText } from './problem-text.ts';
import { plainDisplay } from './run-display.ts';

const hostile = 'web\u001b[2J\u009b31m\u0007\u202egro.live';

test('what a terminal would obey is shown as what it is, and names of any language stay', () => {
  expect(printable(hostile)).toBe('web\\u001b[2J\\u009b31m\\u0007\\u202egro.live');
  expect(printable('Büro 東京 🖥 naïve')).toBe('Büro 東京 🖥 naïve');
  expect(printableLines(`one\n${hostile}\n`)).toBe(`one\n${printable(hostile)}\n`);
});

test('tables, problems and what a run says hold no such character', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  print({ stdout, stderr, env: {}, entry: '', signal: new AbortController().signal }, {}, [], () =>
    table(
      ['name', 'state'],
      [
        [hostile, 'ready'],
        ['db', 'ready'],
      ],
    ),
  );
  const display = plainDisplay({ stdout, stderr });
  display.event({ id: 1, at: '', type: 'note', message: hostile, details: {} });
  display.notice(hostile);
  stdout.write(
    problemText({
      error: { code: 'source.unreachable', message: hostile, details: {}, retryable: true },
      leftBehind: 0,
    }),
  );
  const written = `${String(stdout.read())}${String(stderr.read())}`;
  expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(written.match(/gro\.live/g)).toHaveLength(4);
});
