import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { rounds } from '../testing/rounds.ts';
import { notPlain } from './read-plain-scalar.ts';
import { readPlainYaml } from './read-plain-yaml.ts';
import { readAnyYaml } from './read-yaml.ts';

/** Where the quick reader answers, the full one must give the same value and find nothing wrong. */
function expectAgreement(text: string): void {
  const value = readPlainYaml(text);
  if (value === notPlain) return;
  const full = readAnyYaml(text);
  expect({ value: full.value, findings: full.findings, text }).toEqual({ value, findings: [], text });
}

const everyday = `---
# the shop
vm:
  id: vm-101        # as the source calls it
  "name": 'web 01'
  vcpus: 2
  disks:
  - id: disk-0
    size_bytes: 10737418240
  - { id: disk-1, size_bytes: 0, tags: [a b, "c, d", -1], on: true }
  nics:
    -
      network: VLAN 10.20 (prod)
      ip_addresses: [10.1.0.5]
      mac_address: 52:54:00:00:00:01
  empty: {}
  none:
  text: yes, really - it's # not a comment? it is
other: http://host:80/path?x=1#y
last: ~
`;

test('everyday documents are read the quick way, as the full reader reads them', () => {
  expect(readPlainYaml(everyday)).not.toBe(notPlain);
  expectAgreement(everyday);
  expectAgreement(everyday.replaceAll('\n', '\r\n'));
});

test.each([
  'a: *x',
  'a: &x b',
  'a: !t b',
  'a: |\n  b',
  'a: >\n  b',
  'a: "b\\n"',
  "a: 'b''c'",
  'a: b\n  c',
  'a: [b,\n c]',
  '? a\n: b',
  '%YAML 1.2\n---\na: b',
  'a: b\n---\nc: d',
  'a: 1\na: 2',
  '__proto__: 1',
  'a:\tb',
  'a: 0x10',
  'a: 1.5',
  'a: 012',
  'a: .inf',
  'a: -0',
  'a: b: c',
  '- - a',
  'a: - b',
  'a: [b: c]',
  'a: {b}',
  'a: [b,]',
  'a',
  '[a]',
  'a: 1\n b: 2',
  ' a: 1\nb: 2',
  'a: "x" y',
  'a: [x] y',
  'a : b',
  'a: @b',
  'a: 1e3',
  '',
  '# x',
  'a: 1\n...\n',
  'a: b\rc: d',
  'a: {b: c:d}',
])('%j is left to the full reader', (text) => {
  expect(readPlainYaml(text)).toBe(notPlain);
});

test('values that the library writes are read as they were', () => {
  const value = fc.object({
    maxDepth: 4,
    values: [fc.string(), fc.integer(), fc.boolean(), fc.ipV4(), fc.webUrl(), fc.constant(null)],
  });
  let quick = 0;
  fc.assert(
    fc.property(value, (object) => {
      const text = stringify(JSON.parse(JSON.stringify(object)));
      if (readPlainYaml(text) !== notPlain) quick++;
      expectAgreement(text);
    }),
    { numRuns: rounds(1000) },
  );
  expect(quick).toBeGreaterThan(rounds(1000) / 20);
});

test('any arrangement of signs is either read alike or left to the full reader', () => {
  const sign = fc.constantFrom(
    'a',
    'b',
    'a: ',
    'b: ',
    ': ',
    ':',
    '- ',
    '-',
    '\n',
    '\n',
    '\n  ',
    '\n    ',
    '\n a: ',
    '\nb: ',
    '\n- ',
    '\n  - ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    ',',
    '"',
    "'",
    '#',
    ' # ',
    ' ',
    '1',
    '0',
    '~',
    'null',
    'true',
    '.',
    '+',
    '?',
    '? ',
    '&',
    '*',
    '!',
    '|',
    '>',
    '%',
    '@',
    '`',
    '<<',
    '---',
    '...',
    '\r\n',
    'é',
    '\\',
    '=',
  );
  fc.assert(
    fc.property(fc.array(sign, { minLength: 1, maxLength: 14 }), (signs) => expectAgreement(signs.join(''))),
    { numRuns: rounds(20_000) },
  );
});

test('everyday documents with damage anywhere are either read alike or left to the full reader', () => {
  const damage = fc.record({
    at: fc.nat(everyday.length),
    remove: fc.nat(6),
    insert: fc.constantFrom(
      '',
      ' ',
      '  ',
      '\n',
      '\n ',
      '- ',
      ': ',
      ':',
      '#',
      ' #',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ',',
      '&a ',
      '*a',
      '!',
      '|',
      '\t',
      '0',
      '-',
    ),
  });
  let quick = 0;
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
      const text = damages.reduce(
        (all, { at, remove, insert }) => all.slice(0, at) + insert + all.slice(at + remove),
        everyday,
      );
      if (readPlainYaml(text) !== notPlain) quick++;
      expectAgreement(text);
    }),
    { numRuns: rounds(5000) },
  );
  expect(quick).toBeGreaterThan(rounds(5000) / 10);
});
