import { describe, expect, it } from 'vitest';
import type { Outcome } from './outcome.ts';
import { secondAttempts, withSecondAttempt } from './second-attempt.ts';

const outcome = (of: Partial<Outcome>): Outcome => ({
  name: 'e2e/specs/a.spec.ts',
  group: 'specs',
  passed: 3,
  failed: 0,
  skipped: [],
  wallSeconds: 2,
  cpuSeconds: 1,
  failures: [],
  failedFiles: [],
  ...of,
});

describe('a second attempt', () => {
  it('is for specs and for the failed files of unit tests, not for lint and types', () => {
    const failed = [
      outcome({ name: 'lint', group: 'lint', failed: 1 }),
      outcome({ name: 'unit', group: 'unit', failed: 2, failedFiles: ['shared/a.test.ts', 'shared/b.test.ts'] }),
      outcome({ failed: 1, failedFiles: ['e2e/specs/a.spec.ts'] }),
    ];
    expect(secondAttempts([outcome({}), ...failed])).toEqual([
      { name: 'unit', files: ['shared/a.test.ts', 'shared/b.test.ts'] },
      { name: 'e2e/specs/a.spec.ts', files: [] },
    ]);
  });

  it('is not made when many tasks failed', () => {
    expect(
      secondAttempts(Array.from({ length: 7 }, (_, index) => outcome({ name: `spec ${index}`, failed: 1 }))),
    ).toEqual([]);
  });

  it('that passes is told as what it is', () => {
    const first = outcome({ failed: 1, passed: 2, failures: ['a.spec.ts > copies'] });
    expect(withSecondAttempt(first, outcome({}))).toMatchObject({
      passed: 3,
      failed: 0,
      failures: [],
      onlySecondTime: ['a.spec.ts > copies'],
      wallSeconds: 4,
      cpuSeconds: 2,
    });
    const units = outcome({ group: 'unit', passed: 100, failed: 2, failures: ['one', 'two'] });
    expect(withSecondAttempt(units, outcome({ group: 'unit', passed: 9 }))).toMatchObject({
      passed: 102,
      failed: 0,
      onlySecondTime: ['one', 'two'],
    });
  });

  it('that fails, or that runs nothing, leaves the first one as it was', () => {
    const first = outcome({ failed: 1, passed: 2, failures: ['a.spec.ts > copies'] });
    for (const second of [outcome({ failed: 1, passed: 2 }), outcome({ passed: 0 })]) {
      const both = withSecondAttempt(first, second);
      expect(both).toMatchObject({ passed: 2, failed: 1, failures: ['a.spec.ts > copies'] });
      expect(both.onlySecondTime).toBeUndefined();
    }
  });
});
