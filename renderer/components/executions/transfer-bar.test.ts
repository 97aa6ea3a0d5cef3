import { expect, test } from 'vitest';
import { phaseWords } from './transfer-bar.tsx';

test('what was cancelled or failed copies no longer', () => {
  expect(phaseWords({ phase: 'copying' }, true)).toBe('Copying');
  expect(phaseWords({ phase: 'copying' }, false)).toBe('Stopped');
  expect(phaseWords({ phase: 'done' }, false)).toBe('Done');
});
