import { afterEach, expect, test, vi } from 'vitest';
import { checkedFiles, hasUnsavedFiles, setCheckedFiles } from './checked-files-store.ts';

afterEach(() => {
  setCheckedFiles([]);
  vi.unstubAllGlobals();
});

test('files stay when their screen is left, and closing the page is objected to while a fix is not saved', () => {
  const page = new EventTarget();
  vi.stubGlobal('window', page);
  const closing = () => !page.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  setCheckedFiles([{ name: 'a.yaml', findings: [], text: 'a: 1' }]);
  expect(closing()).toBe(false);
  setCheckedFiles((before) => before.map((file) => ({ ...file, isChanged: true })));
  expect([checkedFiles().map(({ name }) => name), hasUnsavedFiles(), closing()]).toEqual([['a.yaml'], true, true]);
  setCheckedFiles((before) => before.map((file) => ({ ...file, isChanged: false })));
  expect(closing()).toBe(false);
});
