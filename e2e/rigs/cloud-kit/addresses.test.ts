import { expect, it } from 'vitest';
import { contains, firstFreeAddress, prefixRange, toAddress } from './addresses.ts';

it('a prefix has a first and a last address, and contains what lies between', () => {
  const { first, last } = prefixRange('10.1.2.64/26');
  expect([toAddress(first), toAddress(last)]).toEqual(['10.1.2.64', '10.1.2.127']);
  expect(
    ['10.1.2.63', '10.1.2.64', '10.1.2.127', '10.1.2.128'].map((address) => contains('10.1.2.64/26', address)),
  ).toEqual([false, true, true, false]);
});

it('the first free address is none of the cloud, none that is taken and not the last', () => {
  expect(firstFreeAddress('10.0.0.0/29', new Set(['10.0.0.3', '10.0.0.4']), 3)).toBe('10.0.0.5');
  expect(firstFreeAddress('10.0.0.0/29', new Set(['10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6']), 3)).toBeUndefined();
});
