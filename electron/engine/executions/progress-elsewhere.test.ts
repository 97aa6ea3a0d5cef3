import { expect, it } from 'vitest';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import { progressElsewhere } from './progress-elsewhere.ts';

const numbers = (executionId: string): ExecutionProgress => ({
  executionId,
  total: { phase: 'copying', bytesTotal: 2, bytesDone: 1, bytesSent: 1, rateBytesPerSecond: 1, stalledForSeconds: 0 },
  disks: [],
});

it('keeps numbers of what is under way, also when they come before it is known here, and no more of anything else than it may', () => {
  const open = new Set(['a', 'b', 'c', 'd']);
  const elsewhere = progressElsewhere((id) => open.has(id), 3);
  elsewhere.heard(numbers('early'));
  open.add('early');
  expect(elsewhere.get('early')).toEqual(numbers('early'));
  for (let n = 0; n < 100; n += 1) elsewhere.heard(numbers(`unknown ${n}`));
  for (const id of ['a', 'b', 'c', 'd']) elsewhere.heard(numbers(id));
  expect(['early', 'a', 'b', 'c', 'd'].map((id) => elsewhere.get(id)?.executionId)).toEqual([
    'early',
    'a',
    'b',
    'c',
    'd',
  ]);
  for (let n = 0; n < 100; n += 1) elsewhere.heard(numbers(`unknown ${n}`));
  for (let n = 0; n < 100; n += 1) open.add(`unknown ${n}`);
  expect(elsewhere.get('unknown 99')).toBeUndefined();
  open.delete('a');
  expect(elsewhere.get('a')).toBeUndefined();
});
