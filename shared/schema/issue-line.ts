import type { z } from 'zod';
import { hasMember, valueAt, type PathSegment } from './json-pointer.ts';
import { shapeMessage } from './shape-message.ts';

/**
 * One issue of zod as a line for people, which begins with its place: zod's own texts ("Invalid input: expected string, received undefined") are for
 * programmers. Nothing of the value is repeated, as it may be a secret.
 */
export function issueLine(issue: z.core.$ZodIssue, value: unknown, whole = 'The value'): string {
  const path = issue.path.filter((segment): segment is PathSegment => typeof segment !== 'symbol');
  const name = path.join('.') || whole;
  if (issue.code === 'unrecognized_keys')
    return `unknown key: ${issue.keys.map((key) => [...path, key].join('.')).join(', ')}`;
  if (path.length > 0 && !hasMember(valueAt(value, path.slice(0, -1)), path.at(-1) ?? '')) return `${name} is missing`;
  // Of a choice the choices alone are told.
  if (issue.code === 'invalid_value')
    return `${name} must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((one) => JSON.stringify(one)).join(', ')}`;
  const { message } = shapeMessage(issue, name, valueAt(value, path));
  return message.startsWith(name) ? message : `${name}: ${message}`;
}
