import { expect, test } from 'vitest';
import { z } from 'zod';
import { issueLine } from './issue-line.ts';

const schema = z.strictObject({
  project: z.guid(),
  key: z.string('must be a string or {"$secret": "name"}'),
  port: z.int().max(65535).optional(),
  mode: z.enum(['full', 'changed']).optional(),
  hosts: z.array(z.strictObject({ name: z.string() })).optional(),
});
const lines = (value: unknown) => schema.safeParse(value).error?.issues.map((issue) => issueLine(issue, value));

test('issues are told in words, with their places', () => {
  expect(lines({})).toEqual(['project is missing', 'key is missing']);
  expect(lines({ project: ['x'], key: 5 })).toEqual([
    'project must be a string, not a list',
    'key must be a string or {"$secret": "name"}',
  ]);
  expect(lines({ project: 'x', key: '', hosts: [{ name: 7, extra: 1 }] })).toEqual([
    'project must be a GUID',
    'hosts.0.name must be a string, not a number',
    'unknown key: hosts.0.extra',
  ]);
  expect(lines('text')).toEqual(['The value must be an object, not a string']);
});

test('no value is repeated', () => {
  const told = lines({ project: 'canary', key: 'k', port: 70_000, mode: 'canary' })?.join();
  expect(told).toBe('project must be a GUID,port must be at most 65535,mode must be one of "full", "changed"');
});
