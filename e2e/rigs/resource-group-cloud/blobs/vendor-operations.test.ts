import { expect, it } from 'vitest';
import { blobDescription } from './vendor-operations.ts';

const description = blobDescription();
const at = { pathTemplate: '/{blob}/{name}', query: new URLSearchParams() };
const list = (inner: string): string => `<?xml version="1.0" encoding="utf-8"?><PageList>${inner}</PageList>`;
const ranges = (body: string | undefined, headers: Record<string, string> = {}): readonly string[] =>
  description.checkAnswer({ ...at, operation: 'GetPageRanges', method: 'GET', status: 200, headers, body }).problems;

it("takes lists of pages as the vendor's library reads them, and names what it does not read", () => {
  expect(
    ranges(
      list(
        '<PageRange><Start>0</Start><End>511</End></PageRange><PageRange><Start>1024</Start><End>2047</End></PageRange><NextMarker/>',
      ),
    ),
  ).toEqual([]);
  expect(ranges(list('<PageRange><Start>zero</Start></PageRange><Page/>'))).toEqual([
    'answer 200/PageList/PageRange: lacks End',
    'answer 200/PageList/PageRange/Start: zero is no number',
    'answer 200/PageList/Page: is not a member',
  ]);
  expect(ranges('<Pages/>')).toEqual(['answer 200: the body is Pages, and not PageList']);
  expect(ranges(undefined)).toEqual(['answer 200: lacks its body']);
});

it('holds headers against their types, and refuses those that an operation does not have', () => {
  expect(
    ranges(list(''), { 'x-ms-blob-content-length': 'much', 'last-modified': 'yesterday', 'x-ms-snapshot': 'now' }),
  ).toEqual([
    'answer 200: the header x-ms-blob-content-length: much is no number',
    'answer 200: has no header x-ms-snapshot',
    'answer 200/x-ms-blob-content-length: much is no number',
    'answer 200/last-modified: yesterday is no time of RFC 1123',
  ]);
  const answer = { ...at, operation: 'Blob_GetProperties', method: 'HEAD', body: undefined };
  expect(
    description.checkAnswer({
      ...answer,
      status: 200,
      headers: { 'x-ms-blob-type': 'PageBlob', 'x-ms-meta-team': 'data' },
    }).problems,
  ).toEqual([]);
  expect(
    description.checkAnswer({ ...answer, status: 200, headers: { 'x-ms-blob-type': 'Disk' } }).problems[0],
  ).toMatch(/Disk is not one of BlockBlob, PageBlob, AppendBlob/);
  expect(description.checkAnswer({ ...answer, status: 206 }).problems).toEqual([
    'answer 206: the operation does not answer so',
  ]);
});

it('takes signed addresses and metadata in requests, and names what is missing or not known', () => {
  const request = (
    operation: string,
    method: string,
    query: string,
    headers: Record<string, string> = {},
  ): readonly string[] =>
    description.checkRequest({ ...at, operation, method, query: new URLSearchParams(query), headers, body: undefined })
      .problems;
  expect(
    request('GetPageRangesDiff', 'GET', 'comp=pagelist&sv=2018-03-28&sr=b&si=1&sig=s', {
      'x-ms-previous-snapshot-url': 'https://a.invalid/b',
      'x-ms-range': 'bytes=0-511',
    }),
  ).toEqual([]);
  expect(request('PageBlob_Create', 'PUT', '', { 'x-ms-blob-type': 'PageBlob', 'x-ms-meta-team': 'data' })).toEqual([
    'lacks the header x-ms-blob-content-length',
  ]);
  expect(request('Blob_SetMetadata', 'GET', 'comp=tags&depth=1')).toEqual([
    'request: the method is GET, and not PUT',
    'the parameter comp is tags, and not metadata',
    'has no parameter depth',
  ]);
});

it('knows the form of errors', () => {
  const error = (body: string): readonly string[] =>
    description.checkAnswer({
      ...at,
      operation: 'GetBlob',
      method: 'GET',
      status: 403,
      headers: { 'x-ms-error-code': 'AuthenticationFailed' },
      body,
    }).problems;
  expect(error('<Error><Code>AuthenticationFailed</Code><Message>no</Message></Error>')).toEqual([]);
  expect(error('<Error><Reason>no</Reason></Error>')).toEqual(['answer 403/Error/Reason: is not a member']);
});
