import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { rounds } from '../testing/rounds.ts';
import { readDocument } from './read-document.ts';
import { readLimits } from './read-limits.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Rule, pointer, line and column of each finding. */
function found(content: string | Uint8Array, format?: 'json' | 'yaml'): unknown[] {
  return readDocument(content, format).findings.map(({ rule, path, location }) => [
    rule,
    path,
    location?.line,
    location?.column,
  ]);
}

describe('JSON', () => {
  test('comments and trailing commas are accepted, as vendors write their samples', () => {
    const text = '// sample\n{ /* a */ "a": [1, 2,], // two\n  "b": {"c": "x//y",},\n}\n';
    expect(readDocument(text, 'json')).toMatchObject({ value: { a: [1, 2], b: { c: 'x//y' } }, findings: [] });
  });

  test('a key that stands twice is refused where it stands the second time, and the first one counts', () => {
    const text = '{"a": {"b/c": 1,\n  "b/c": 2}, "d": 3}';
    expect(readDocument(text, 'json').value).toEqual({ a: { 'b/c': 1 }, d: 3 });
    expect(found(text, 'json')).toEqual([['document/duplicate-key', '/a/b~1c', 2, 3]]);
  });

  test('a key that stands twice is noticed when one of them is written with an escape', () => {
    expect(found('{"a": 1, "\\u0061": 2}', 'json')).toEqual([['document/duplicate-key', '/a', 1, 10]]);
  });

  test.each(['{"x": {"__proto__": {"a": 1}}}', '{"x": {"\\u005f_proto__": 1}}'])('__proto__ is refused: %s', (text) => {
    const read = readDocument(text, 'json');
    expect(read.value).toEqual({ x: {} });
    expect(found(text, 'json')).toEqual([['document/forbidden-key', '/x/__proto__', 1, 8]]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test.each([
    ['{"a": 1', 1, 8],
    ['{"a" 1}', 1, 6],
    ['{"a": tru}', 1, 7],
    ['{"a": 01}', 1, 7],
    ['{"a": "x', 1, 7],
    ['{"a": "x\ny"}', 1, 9],
    ['{"a": "\\q"}', 1, 7],
    ['{"a": 1} x', 1, 10],
    ['{,}', 1, 2],
    ['[1,,2]', 1, 4],
    ['{"a": 1e999}', 1, 7],
    ['{"a": 1} /* x', 1, 10],
    ["{'a': 1}", 1, 2],
    ['{\r\n"a": 1\r\n"b": 2}', 3, 1],
  ])('%j is not JSON at line %i, column %i', (text, line, column) => {
    const read = readDocument(text, 'json');
    expect(read.value).toBeUndefined();
    expect(found(text, 'json')).toEqual([['document/syntax', '', line, column]]);
    expect(read.findings[0]?.message).toContain(`line ${line}, column ${column}`);
  });

  test('strict JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!text.includes('__proto__'));
        expect(readDocument(text, 'json').value).toEqual(JSON.parse(text));
      }),
    );
  });

  test('any text gives a value or exactly one finding that ends the reading', () => {
    const snippet = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '1',
      '-',
      'true',
      '//',
      '/*',
      '*/',
      '\n',
      ' ',
      '\\',
      'é',
    );
    fc.assert(
      fc.property(fc.array(snippet, { maxLength: 30 }), (parts) => {
        const read = readDocument(parts.join(''), 'json');
        if (read.value === undefined) expect(read.findings).toHaveLength(1);
      }),
      { numRuns: rounds(2000) },
    );
  });

  test('places are those of keys and list elements, and of the nearest container for what is missing', () => {
    const { locate } = readDocument('{\n  "a": {"b": [1,\n    2]}\n}', 'json');
    expect(locate(['a', 'b', 1])).toEqual({ line: 3, column: 5 });
    expect(locate(['a', 'b', '1'])).toEqual({ line: 3, column: 5 });
    expect(locate(['a', 'x', 'y'])).toEqual({ line: 2, column: 3 });
    expect(locate([])).toEqual({ line: 1, column: 1 });
  });
});

describe('YAML', () => {
  test('what JSON can say is read, aliases included', () => {
    const text = 'a: &x {k: [1, two, true, null, 1.5]}\nb: *x\n100: vlan\n"q": "1"\nno: no\n';
    const value = {
      a: { k: [1, 'two', true, null, 1.5] },
      b: { k: [1, 'two', true, null, 1.5] },
      100: 'vlan',
      q: '1',
      no: 'no',
    };
    expect(readDocument(text, 'yaml')).toMatchObject({ value, findings: [] });
  });

  test('a key that stands twice is refused where it stands the second time', () => {
    expect(found('a:\n  b~: 1\n  c: 2\n  b~: 3\n')).toEqual([['document/duplicate-key', '/a/b~0', 4, 3]]);
    expect(readDocument('a: 1\na: 2').value).toEqual({ a: 1 });
    expect(found('{1: a, "1": b}', 'yaml')).toEqual([['document/duplicate-key', '/1', 1, 8]]);
  });

  test('__proto__ is refused', () => {
    const read = readDocument('a:\n  __proto__: {x: 1}\n', 'yaml');
    expect(read.value).toEqual({ a: {} });
    expect(found('a:\n  __proto__: {x: 1}\n')).toEqual([['document/forbidden-key', '/a/__proto__', 2, 3]]);
  });

  test('tags are refused at their values', () => {
    expect(found('a: !!str 1\nb: [!foo x]\n')).toEqual([
      ['document/yaml-tag', '/a', 1, 10],
      ['document/yaml-tag', '/b/0', 2, 10],
    ]);
  });

  test.each([
    ['several documents', 'a: 1\n---\nb: 2\n', 'document/multiple-documents', 2, 1],
    ['an unknown alias', 'a: *x\n', 'document/yaml-alias', 1, 4],
    ['an alias inside its own anchor', 'a: &x [*x]\n', 'document/yaml-alias', 1, 8],
    ['an infinity', 'a: .inf\n', 'document/syntax', 1, 4],
    ['a list as a key', '? [a]\n: b\n', 'document/syntax', 1, 3],
    ['a tab as indentation', 'a:\n\tb: 1\n', 'document/syntax', 2, 1],
    ['an open bracket', 'a: [1, 2\nb: c\n', 'document/syntax', 2, 1],
    ['nothing', '', 'document/empty', 1, 1],
    ['only a comment', '# nothing\n', 'document/empty', 1, 1],
  ])('%s is refused with its place', (_what, text, rule, line, column) => {
    expect(readDocument(text, 'yaml').value).toBeUndefined();
    expect(found(text, 'yaml')).toEqual([[rule, '', line, column]]);
  });

  test('aliases that explode are refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level++)
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    expect(readDocument(lines.join('\n'), 'yaml').findings).toMatchObject([{ rule: 'document/yaml-alias', path: '' }]);
  });

  test('many single aliases are each read as the anchor that stood last before them', () => {
    const text = Array.from({ length: 9000 }, (_, index) => `a${index}: &x ${index}\nb${index}: *x`).join('\n');
    expect(readDocument(text, 'yaml').value).toMatchObject({ b0: 0, b8999: 8999 });
  });

  test('a value reads the same as YAML and as JSON', () => {
    fc.assert(
      fc.property(
        fc.object({
          maxDepth: 4,
          values: [
            fc.string(),
            fc.integer(),
            fc.boolean(),
            fc.double({ noDefaultInfinity: true, noNaN: true }),
            fc.constant(null),
          ],
        }),
        (value) => {
          const json = JSON.stringify(value);
          fc.pre(!json.includes('__proto__') && !json.includes('-0'));
          expect(readDocument(stringify(JSON.parse(json)), 'yaml').value).toEqual(readDocument(json, 'json').value);
        },
      ),
    );
  });
});

// What grows with the square of a file's size, or faster, does not end within a test's time.
describe('hostile and odd files', () => {
  test.each([
    ['JSON lists', '['.repeat(10_000), 'json'],
    ['JSON objects', '{"a":'.repeat(10_000), 'json'],
    ['YAML flow lists', '['.repeat(10_000), 'yaml'],
    ['YAML block lists', '- '.repeat(10_000) + 'a', 'yaml'],
    ['YAML complex keys', '? '.repeat(10_000), 'yaml'],
    ['YAML mappings', Array.from({ length: 1500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'), 'yaml'],
  ] as const)('a nesting of %s without end is refused with the limit', (_what, text, format) => {
    const read = readDocument(text, format);
    expect(read.findings).toMatchObject([{ rule: 'document/too-deep', path: '' }]);
    expect(read.findings[0]?.message).toContain('100 levels');
  });

  test.each(['json', 'yaml'] as const)('%s of exactly the allowed depth is read, one level more is not', (format) => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(found(nested(readLimits.depth), format)).toEqual([]);
    expect(found(nested(readLimits.depth + 1), format)).toEqual([['document/too-deep', '', 1, readLimits.depth + 1]]);
  });

  test('fifty megabytes are refused with the limit', () => {
    const read = readDocument(new Uint8Array(50 * 1024 * 1024).fill(0x61));
    expect(read.findings).toMatchObject([{ rule: 'document/too-large', path: '' }]);
    expect(read.findings[0]?.message).toMatch(/50\.0 MiB.*limit is 2 MiB/);
  });

  test('a document of the largest size with nothing but repeated keys is read to its end', () => {
    const text = `{${'"a":1,\n'.repeat(290_000)}}`;
    expect(readDocument(text, 'json').findings).toHaveLength(289_999);
  });

  test('a byte order mark and CRLF are accepted', () => {
    expect(readDocument(bytes([0xef, 0xbb, 0xbf], 'a: 1\r\nb: [x]\r\n'))).toMatchObject({
      value: { a: 1, b: ['x'] },
      findings: [],
    });
    expect(readDocument('\ufeff{"a": 1}\r\n').value).toEqual({ a: 1 });
    expect(found('a: 1\r\nb: 2\r\na: 3\r\n')).toEqual([['document/duplicate-key', '/a', 3, 1]]);
  });

  test('bytes that are not UTF-8 are refused with their place', () => {
    expect(found(bytes('a: é\nbü: ', [0xff], '\n'))).toEqual([['document/encoding', '', 2, 5]]);
    expect(found(bytes('a: x', [0xc3]))).toEqual([['document/encoding', '', 1, 5]]);
    expect(found(bytes([0xff, 0xfe], 'a\0'))).toEqual([['document/encoding', '', 1, 1]]);
  });

  test('any bytes give a value or a finding, never a crash', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom('json' as const, 'yaml' as const, undefined),
        (content, format) => {
          const read = readDocument(content, format);
          expect(read.value !== undefined || read.findings.length > 0).toBe(true);
        },
      ),
      { numRuns: rounds(2000) },
    );
  });

  test('any arrangement of YAML signs gives a value or a finding, never a crash', () => {
    const sign = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '\n  ',
      '[',
      ']',
      '{',
      '}',
      ', ',
      '"',
      "'",
      '#',
      ' #',
      '&x ',
      '*x',
      '!t ',
      '|',
      '>',
      '? ',
      '%',
      '---\n',
      '...\n',
      '\t',
      '1',
      '<<: ',
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 20 }), (signs) => {
        const read = readDocument(signs.join(''), 'yaml');
        expect(read.value !== undefined || read.findings.length > 0).toBe(true);
      }),
      { numRuns: rounds(3000) },
    );
  });
});
