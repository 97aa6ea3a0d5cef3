import { expect, test, vi } from 'vitest';
import { sharedQuery } from './query-store.ts';
import type { WorkbenchLink } from './workbench-link.ts';

/** A link that notes what is asked, and answers when it is told to. */
function linkOf() {
  const asked: { readonly name: string; readonly answer: (value: unknown) => void }[] = [];
  const listeners = new Map<string, () => void>();
  const link = {
    state: { kind: 'open' },
    onState: () => () => undefined,
    on: (event: string, listener: () => void) => (listeners.set(event, listener), () => undefined),
    retryNow: () => undefined,
    call: (name: string) => new Promise((answer) => void asked.push({ name, answer })),
  } as unknown as WorkbenchLink;
  return { link, asked, tell: (event: string) => listeners.get(event)?.() };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('components that ask the same at the same time share one call, and one that asks something else has its own', () => {
  const { link, asked } = linkOf();
  const [one, other] = [sharedQuery(link, 'replica.list', {}, []), sharedQuery(link, 'replica.list', {}, [])];
  one.subscribe(() => undefined);
  other.subscribe(() => undefined);
  sharedQuery(link, 'endpoint.list', {}, []).subscribe(() => undefined);
  expect(asked.map(({ name }) => name)).toEqual(['replica.list', 'endpoint.list']);
});

test('who comes later sees what is there and asks anew; after the last one has gone, nothing old is shown', async () => {
  const { link, asked } = linkOf();
  const store = sharedQuery(link, 'replica.list', {}, []);
  const leave = store.subscribe(() => undefined);
  asked[0]!.answer(['first']);
  await settled();
  const later = sharedQuery(link, 'replica.list', {}, []);
  const leaveLater = later.subscribe(() => undefined);
  expect([later.snapshot().data, asked.length]).toEqual([['first'], 2]);
  asked[1]!.answer(['second']);
  await settled();
  expect(store.snapshot().data).toEqual(['second']);
  leave();
  leaveLater();
  expect(sharedQuery(link, 'replica.list', {}, []).snapshot().data).toBeUndefined();
});

test('what is asked ahead is asked once for who looks then, and forgotten when nobody does', async () => {
  vi.useFakeTimers();
  try {
    const { link, asked } = linkOf();
    sharedQuery(link, 'replica.list', {}, []).askAhead();
    asked[0]!.answer(['first']);
    await vi.advanceTimersByTimeAsync(100);
    const store = sharedQuery(link, 'replica.list', {}, []);
    const leave = store.subscribe(() => undefined);
    expect([store.snapshot().data, asked.length]).toEqual([['first'], 1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sharedQuery(link, 'replica.list', {}, [])).toBe(store);
    leave();
    sharedQuery(link, 'replica.list', {}, []).askAhead();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sharedQuery(link, 'replica.list', {}, []).snapshot().data).toBeUndefined();
    expect(asked).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('events that keep coming neither put an answer off for ever nor are missed', async () => {
  vi.useFakeTimers();
  try {
    const { link, asked, tell } = linkOf();
    const store = sharedQuery(link, 'replica.list', {}, ['execution.event']);
    store.subscribe(() => undefined);
    for (let count = 0; count < 10; count += 1) {
      tell('execution.event');
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked).toHaveLength(1);
    asked[0]!.answer(['first']);
    await vi.advanceTimersByTimeAsync(1000);
    expect([store.snapshot().data, asked.length]).toEqual([['first'], 2]);
    asked[1]!.answer(['second']);
    await vi.advanceTimersByTimeAsync(1000);
    expect([store.snapshot().data, asked.length]).toEqual([['second'], 2]);
  } finally {
    vi.useRealTimers();
  }
});
