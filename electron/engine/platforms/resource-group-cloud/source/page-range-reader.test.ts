import { expect, test } from 'vitest';
import { inOrder } from './page-range-reader.ts';

const data = (offset: number, end: number) => ({ offset, length: end - offset, kind: 'data' as const });
const zero = (offset: number, end: number) => ({ offset, length: end - offset, kind: 'zero' as const });

test('pages and cleared pages come in one order; what is in both lists is data', () => {
  expect(inOrder([data(8, 10), data(0, 2)], [zero(10, 12), zero(4, 6)])).toEqual([
    data(0, 2),
    zero(4, 6),
    data(8, 10),
    zero(10, 12),
  ]);
  expect(inOrder([data(2, 4), data(6, 8), data(20, 22)], [zero(0, 10), zero(10, 21)])).toEqual([
    zero(0, 2),
    data(2, 4),
    zero(4, 6),
    data(6, 8),
    zero(8, 10),
    zero(10, 20),
    data(20, 22),
  ]);
  expect(inOrder([data(0, 30)], [zero(2, 4), zero(28, 32)])).toEqual([data(0, 30), zero(30, 32)]);
  expect(inOrder([], [zero(0, 4)])).toEqual([zero(0, 4)]);
});
