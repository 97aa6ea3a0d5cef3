import { afterAll } from 'vitest';

/** A stack for what a test file opens: all of it is closed after its tests, last first, whatever fails to open or to close. */
export function closedAfterAll(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  return stack;
}
