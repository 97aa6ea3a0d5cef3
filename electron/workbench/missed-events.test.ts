import { expect, test } from 'vitest';
import { readMissedEvents } from './missed-events.ts';

const never = new AbortController().signal;
const ended = (id: number) => ({ id, at: '', type: 'execution.state', message: '', details: { state: 'completed' } });

function service(answer: (input: { readonly after?: number; readonly newest?: boolean }) => object[]) {
  const asked: object[] = [];
  return { asked, call: (async (_name: string, input: object) => (asked.push(input), answer(input))) as never };
}

test('where nothing was seen before, only the newest event is asked for', async () => {
  const { asked, call } = service(() => [ended(70_000)]);
  expect(await readMissedEvents({ call }, undefined, never)).toEqual({ lastId: 70_000, meanwhile: undefined });
  expect(asked).toEqual([{ newest: true, limit: 1 }]);
  expect(await readMissedEvents({ call: service(() => []).call }, undefined, never)).toEqual({
    lastId: 0,
    meanwhile: undefined,
  });
});

test('all pages are read, and no more of them than somebody can wait for', async () => {
  const page = (after: number) => Array.from({ length: 10_000 }, (_, index) => ended(after + index + 1));
  const two = service(({ after = 0 }) => (after < 10_005 ? page(after) : []));
  expect(await readMissedEvents(two, 5, never)).toEqual({
    lastId: 10_005,
    meanwhile: { completed: 10_000, failed: 0, cancelled: 0 },
  });
  const endless = service(({ after = 0 }) => page(after));
  expect((await readMissedEvents(endless, 5, never)).lastId).toBe(100_005);
  expect(endless.asked).toHaveLength(10);
});

test('the same page again is the end', async () => {
  const stuck = service(() => Array.from({ length: 10_000 }, () => ended(7)));
  expect((await readMissedEvents(stuck, 7, never)).lastId).toBe(7);
  expect(stuck.asked).toHaveLength(1);
});
