import { describe, expect, it } from 'vitest';
import type { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { asAwsError, isAwsCode, isReason } from './aws-error.ts';

const asked = { operation: 'list VMs', action: 'ec2:DescribeInstances', host: 'ec2.eu-central-1' };
const signal = new AbortController().signal;

function said(name: string, status: number | undefined, more: object = {}): CausewayError {
  const error = Object.assign(new Error('what the service says'), {
    name,
    ...(status === undefined ? {} : { $metadata: { httpStatusCode: status, requestId: 'r-1' } }),
    ...more,
  });
  return asAwsError(error, asked, signal) as CausewayError;
}

describe('an error of the services', () => {
  it.each([
    ['AuthFailure', 401, 'cloud.authentication-failed'],
    ['ExpiredTokenException', 403, 'cloud.authentication-failed'],
    ['CredentialsProviderError', undefined, 'cloud.authentication-failed'],
    ['UnauthorizedOperation', 403, 'cloud.permission-denied'],
    ['AccessDeniedException', 403, 'cloud.permission-denied'],
    ['RequestLimitExceeded', 503, 'cloud.rate-limited'],
    ['RequestThrottledException', 400, 'cloud.rate-limited'],
    ['InvalidInstanceID.NotFound', 400, 'cloud.not-found'],
    ['ResourceNotFoundException', 404, 'cloud.not-found'],
    ['InvalidSnapshot.InUse', 400, 'cloud.conflict'],
    ['SnapshotLimitExceeded', 400, 'cloud.quota-exceeded'],
    ['InsufficientInstanceCapacity', 500, 'cloud.operation-failed'],
    ['InternalError', 500, 'cloud.unavailable'],
    ['Error', 502, 'cloud.unavailable'],
    ['InvalidParameterValue', 400, 'cloud.request-refused'],
  ])('%s with status %s is %s', (name, status, code) => {
    expect(said(name, status).code).toBe(code);
  });

  it('names the action that a policy has to allow', () => {
    expect(said('UnauthorizedOperation', 403)).toMatchObject({
      message: expect.stringContaining('ec2:DescribeInstances'),
      details: { action: 'ec2:DescribeInstances', requestId: 'r-1' },
    });
  });

  it('keeps its code and reason, and cuts what looks like a token', () => {
    const error = said('ValidationException', 400, {
      Reason: 'INVALID_BLOCK_TOKEN',
      message: `token ${'A'.repeat(200)} is invalid`,
    });
    expect([
      isAwsCode(error, 'ValidationException'),
      isReason(error, 'INVALID_BLOCK_TOKEN'),
      error.message.includes('AAAA'),
    ]).toEqual([true, true, false]);
  });

  it('is ambiguous where the request may have been carried out', () => {
    expect(
      [said('InternalError', 500), said('RequestLimitExceeded', 503), said('InvalidParameterValue', 400)].map(
        ({ details }) => details['ambiguous'],
      ),
    ).toEqual([true, true, undefined]);
  });
});

it('a request without an answer says whether it arrived', () => {
  const refused = asAwsError(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), asked, signal);
  const cut = asAwsError(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), asked, signal);
  expect(refused).toMatchObject({ code: 'cloud.unreachable', details: { arrived: false } });
  expect(cut).toMatchObject({ code: 'cloud.no-answer', details: { ambiguous: true } });
});

it('a request that was called off ends with the reason for that', () => {
  const cancel = new AbortController();
  cancel.abort();
  expect(asAwsError(new Error('aborted'), asked, cancel.signal)).toMatchObject({ code: 'general.cancelled' });
});
