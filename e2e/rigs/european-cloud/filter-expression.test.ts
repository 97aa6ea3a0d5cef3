import { expect, test } from 'vitest';
import { parseFilter } from './filter-expression.ts';

const fields = { name: 'g1.2', vcpus: 2, ram: 8192 };

test.each([
  ['vcpus >= 2 && ram >= 4096', true],
  ['vcpus > 2 || name == "g1.2"', true],
  ['vcpus > 2 or ram < 8192', false],
  ['not (vcpus == 2)', false],
  ['!(name startsWith "n1") and name contains \'1.\'', true],
  ['vcpus == 1 || vcpus == 2 && ram == 1', false],
])('the filter %s gives %s', (filter, expected) => {
  expect(parseFilter(filter)(fields)).toBe(expected);
});

test.each(['vcpus', 'vcpus >=', 'vcpus >= 2 )', '(vcpus >= 2', 'vcpus ~ 2', 'vcpus >= two'])(
  'the filter %s is refused',
  (filter) => {
    expect(() => parseFilter(filter)(fields)).toThrow(/filter/);
  },
);
