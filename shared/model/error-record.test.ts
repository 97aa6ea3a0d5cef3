import { expect, test } from 'vitest';
import { errorRecordSchema } from './error-record.ts';

const record = (code: string) => ({ code, message: 'evidence', details: {}, retryable: false });

test.each([
  ['replication.disk-shrank', 'replication.disk-shrank'],
  ['cloud.disk-shrank', 'replication.disk-shrank'],
  ['cloud.invented-later', 'general.bug'],
])('an error that was recorded as %s is read as %s, its cause as well', (written, read) => {
  expect(errorRecordSchema.parse({ ...record(written), cause: record(written) })).toEqual({ ...record(read), cause: record(read) });
});
