import { expect, test } from 'vitest';
import { detailText } from './entry-details.ts';

test('facts of an entry are told in words', () => {
  expect(detailText({ kind: 'step-ticked', data: { step: 'go-no-go', enteredBy: 'root on vm' } })).toBe(
    'Step: go/no-go; Entered by root on vm',
  );
  expect(detailText({ kind: 'approved', data: { settings: 'abc', note: 'change 4711' } })).toBe('Note: change 4711');
  expect(detailText({ kind: 'rehearsal-ended', data: { why: 'expired' } })).toBe('Reason: its time was over');
  expect(detailText({ kind: 'cut-over-started', data: { approved: false, sourceIsStopped: false } })).toBe(
    'Not approved before',
  );
  expect(detailText({ kind: 'source-started', data: { byHand: false } })).toBe('');
  expect(detailText({ kind: 'source-started', data: { byHand: true } })).toBe('Started by hand');
  expect(detailText({ kind: 'rolled-back', data: { source: 'was not stopped' } })).toBe('Source was not stopped');
});

test('an error and the checks of a deployment come first', () => {
  expect(detailText({ kind: 'deployment', data: { error: { code: 'a.b', message: 'text' }, checks: [] } })).toBe(
    'a.b: text',
  );
  expect(
    detailText({
      kind: 'deployment',
      data: {
        checks: [
          { name: 'Port 22', outcome: 'passed' },
          { name: 'HTTP /', outcome: 'failed' },
        ],
      },
    }),
  ).toBe('Port 22: passed; HTTP /: failed');
  expect(detailText({ kind: 'deployment', data: { why: 'not told here' } })).toBe('');
});
