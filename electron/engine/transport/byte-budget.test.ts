import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

const never = new AbortController().signal;

describe('the byte budget', () => {
  it('lets bytes through in order, as far as they fit', async () => {
    const budget = new ByteBudget(10);
    const order: string[] = [];
    await budget.take(6, never);
    const second = budget.take(6, never).then(() => order.push('second'));
    const third = budget.take(1, never).then(() => order.push('third'));
    expect(budget.isSaturated).toBe(true);
    budget.give(6);
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    expect(budget.usedBytes).toBe(7);
  });

  it('lets a request larger than the budget through alone', async () => {
    const budget = new ByteBudget(10);
    await budget.take(50, never);
    expect(budget.usedBytes).toBe(50);
  });

  it('forgets who gave up, and lets the next one through', async () => {
    const budget = new ByteBudget(10);
    await budget.take(8, never);
    const gone = new AbortController();
    const first = budget.take(10, gone.signal);
    const second = budget.take(2, never);
    gone.abort();
    await expect(first).rejects.toMatchObject({ code: 'general.cancelled' });
    await second;
    expect(budget.usedBytes).toBe(10);
  });
});
