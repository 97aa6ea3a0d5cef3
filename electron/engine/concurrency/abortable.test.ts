import { expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortable, abortReason } from './abortable.ts';

test('a wait ends with its signal, before and after it begins, and what is waited for may fail unheard', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', hear);
  try {
    const late = Promise.withResolvers<number>();
    const stop = new AbortController();
    const waiting = abortable(late.promise, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const second = Promise.withResolvers<number>();
    await expect(abortable(second.promise, stop.signal, abortReason)).rejects.toMatchObject({
      code: 'general.cancelled',
    });
    late.reject(new Error('late'));
    second.reject(new Error('late, too'));
    await new Promise(setImmediate);
    expect(unheard).toEqual([]);
  } finally {
    process.off('unhandledRejection', hear);
  }
});

test('without an abort the outcome is that of the promise', async () => {
  const { signal } = new AbortController();
  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

test('the reason of a signal is its own error, or that the call was cancelled', () => {
  const own = new CausewayError('general.deadline', 'too late');
  expect(abortReason(AbortSignal.abort(own))).toBe(own);
  expect(abortReason(AbortSignal.abort())).toMatchObject({
    code: 'general.cancelled',
    message: expect.stringContaining('the call was cancelled') as string,
  });
});
