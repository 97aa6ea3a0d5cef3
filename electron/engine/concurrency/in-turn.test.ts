import { expect, it } from 'vitest';
import { turnsByKey } from './in-turn.ts';

it('work for one key is done in order, also after a failure, and beside that for another key', async () => {
  const inTurn = turnsByKey();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = inTurn('a', async () => {
    await gate.promise;
    seen.push('first');
    throw new Error('failed');
  });
  const second = inTurn('a', async () => {
    seen.push('second');
    return 2;
  });
  expect(await inTurn('b', async () => seen.push('other'))).toBe(1);
  gate.resolve();
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe(2);
  expect(seen).toEqual(['other', 'first', 'second']);
});
