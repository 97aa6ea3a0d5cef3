import { expect, test } from 'vitest';
import type { ErrorRecord } from './causeway-error.ts';
import { errorRecordSchema, presentError } from './error-record.ts';

const record = (code: string) => ({ code, message: 'evidence', details: {}, retryable: false });

test.each([
  ['replication.disk-shrank', 'replication.disk-shrank'],
  ['cloud.disk-shrank', 'replication.disk-shrank'],
  ['cloud.invented-later', 'general.bug'],
  ['constructor', 'general.bug'],
  ['__proto__', 'general.bug'],
])('an error that was recorded as %s is read as %s, its cause as well', (written, read) => {
  const [recorded, present] = [written, read].map((code) => ({
    ...record(code),
    cause: { ...record(code), cause: record(code) },
  }));
  expect(errorRecordSchema.parse(recorded)).toEqual(present);
  expect(presentError(recorded as ErrorRecord)).toEqual(present);
});
