import { z } from 'zod';
import { formAdvice, shown, sizeAdvice } from './expected-form.ts';
import { nearestSpelling } from './spelling.ts';
import type { Fix } from './finding.ts';
import { metaOf, unwrapped } from './schema-walk.ts';

/** What is wrong with one value, in words, and the rule's name below the plugin or area. */
export interface ShapeMessage {
  readonly rule: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly fix?: Fix;
}

/** Where a value stands and what is declared there. */
export interface ShapePlace {
  readonly key: string;
  readonly schema: z.core.$ZodType | undefined;
  /** An element of a list. */
  readonly isElement: boolean;
}

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

/** Says an issue in our own words. Values are quoted only where they are choices, so that no secret gets out. */
export function shapeMessage(
  issue: Issue,
  name: string,
  value: unknown,
  place: ShapePlace = { key: '', schema: undefined, isElement: false },
): ShapeMessage {
  if (value === null) return nullMessage(name, place);
  if (issue.code !== 'custom' && isOwnMessage(issue.message)) {
    const rule = issue.code === 'invalid_type' || issue.code === 'invalid_union' ? 'wrong-type' : 'wrong-form';
    return { rule, message: inSentence(name, issue.message), ...formAdvice(place.schema, value) };
  }
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(
        name,
        issue.expected === 'number' && isWhole(issue, place) ? 'int' : issue.expected,
        value,
        place,
      );
    case 'invalid_value':
      return choice(name, issue.values.map(String), value);
    case 'too_small':
      return bound(name, issue.origin, `at least ${issue.minimum}`, issue.minimum === 1);
    case 'too_big':
      return bound(name, issue.origin, `at most ${issue.maximum}`, false);
    case 'not_multiple_of':
      return { rule: 'out-of-range', message: `${name} must be a multiple of ${issue.divisor}` };
    case 'invalid_format':
      return { rule: 'wrong-form', message: `${name} ${formatName(issue.format)}` };
    case 'invalid_union':
      return { ...unionMessage(issue, name, value), ...formAdvice(place.schema, value) };
    case 'custom':
      return { rule: 'wrong-form', message: inSentence(name, issue.message) };
    default:
      return { rule: 'wrong-form', message: `${name} is not accepted` };
  }
}

/** zod says "number" of a text in the place of a whole number. */
function isWhole(issue: Issue, { schema }: ShapePlace): boolean {
  return issue.message.includes('int') || (schema !== undefined && unwrapped(schema) instanceof z.ZodNumberFormat);
}

/** zod's own texts all begin so; any other text was written by the author of the schema. */
function isOwnMessage(message: string): boolean {
  return !/^(?:Invalid |Too small|Too big|Unrecognized )/.test(message);
}

function inSentence(name: string, message: string): string {
  return /^[a-z]/.test(message) ? `${name} ${message}` : message;
}

/** A key that can be left out should be; one that cannot needs a value. */
function nullMessage(name: string, { schema, isElement }: ShapePlace): ShapeMessage {
  if (isElement) return { rule: 'wrong-type', message: `${name} must not be null`, suggestion: 'Remove the element.' };
  const isRequired = schema !== undefined && !z.safeParse(schema, undefined).success;
  if (!isRequired)
    return {
      rule: 'wrong-type',
      message: `${name} must not be null`,
      suggestion: 'Remove the key.',
      fix: { kind: 'remove-key' },
    };
  const inner = unwrapped(schema);
  const empty =
    inner instanceof z.ZodArray ? [] : inner instanceof z.ZodObject || inner instanceof z.ZodRecord ? {} : undefined;
  const message = `${name} is required and must not be null`;
  if (empty === undefined || !z.safeParse(inner, empty).success)
    return { rule: 'wrong-type', message, ...formAdvice(schema, null) };
  return {
    rule: 'wrong-type',
    message,
    suggestion: `Write ${shown(empty)} if there is nothing to set.`,
    fix: { kind: 'set-value', value: empty },
  };
}

function wrongType(name: string, expected: string, value: unknown, place: ShapePlace): ShapeMessage {
  const message = `${name} must be ${typeNames[expected] ?? expected}, not ${typeOf(value, expected)}`;
  return { rule: 'wrong-type', message, ...typeAdvice(expected, value, place) };
}

function typeOf(value: unknown, expected: string): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && (expected === 'int' || expected === 'number')) {
    return Number.isInteger(value) ? 'such a large number' : 'a fraction';
  }
  if (typeof value === 'boolean') return 'a boolean';
  return typeNames[typeof value] ?? typeof value;
}

function typeAdvice(
  expected: string,
  value: unknown,
  { key, schema }: ShapePlace,
): Pick<ShapeMessage, 'suggestion' | 'fix'> {
  if (expected === 'boolean' && typeof value === 'string' && /^(?:true|false|yes|no|on|off)$/i.test(value)) {
    const meant = /^(?:true|yes|on)$/i.test(value);
    return { suggestion: `Write ${meant} without quotes.`, fix: { kind: 'set-value', value: meant } };
  }
  if ((expected === 'int' || expected === 'number') && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) {
    return { suggestion: `Write ${value} without quotes.`, fix: { kind: 'set-value', value: Number(value) } };
  }
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    return { suggestion: 'Put the value in quotes.', fix: { kind: 'set-value', value: String(value) } };
  }
  if ((expected === 'int' || expected === 'number') && typeof value === 'string') {
    return sizeAdvice(key, schema === undefined ? undefined : metaOf(schema)?.['unit'], value);
  }
  if (expected === 'array' && typeof value === 'string' && value.trim() !== '') {
    const list = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return { suggestion: `Write a list: ${shown(list)}.`, fix: { kind: 'set-value', value: list } };
  }
  return expected === 'object' || expected === 'record' ? formAdvice(schema, value) : {};
}

function choice(name: string, choices: readonly string[], value: unknown): ShapeMessage {
  const listed = choices.map((one) => JSON.stringify(one)).join(', ');
  const wanted = choices.length === 1 ? listed : `one of ${listed}`;
  if (typeof value !== 'string')
    return { rule: 'wrong-type', message: `${name} must be ${wanted}, not ${typeOf(value, '')}` };
  const nearest = nearestSpelling(value, choices);
  return {
    rule: 'value-not-allowed',
    message: `${name} must be ${wanted}, not ${JSON.stringify(shortened(value))}`,
    ...(nearest === undefined
      ? {}
      : { suggestion: `Did you mean ${JSON.stringify(nearest)}?`, fix: { kind: 'set-value', value: nearest } }),
  };
}

function bound(name: string, origin: string, limit: string, one: boolean): ShapeMessage {
  if (origin === 'string') {
    if (one) return { rule: 'wrong-length', message: `${name} must not be empty` };
    return { rule: 'wrong-length', message: `${name} must have ${limit} characters` };
  }
  if (origin === 'array' || origin === 'set')
    return { rule: 'wrong-length', message: `${name} must have ${limit} ${one ? 'element' : 'elements'}` };
  if (origin === 'record' || origin === 'object')
    return { rule: 'wrong-length', message: `${name} must have ${limit} ${one ? 'entry' : 'entries'}` };
  return { rule: 'out-of-range', message: `${name} must be ${limit}` };
}

function formatName(format: string): string {
  const forms: Readonly<Record<string, string>> = {
    url: 'must be a URL',
    ipv4: 'must be an IPv4 address',
    cidrv4: 'must be an IPv4 range (CIDR)',
    base64: 'must be Base64',
    uuid: 'must be a UUID',
    guid: 'must be a GUID',
  };
  return forms[format] ?? 'does not have the expected form';
}

function unionMessage(issue: Extract<Issue, { code: 'invalid_union' }>, name: string, value: unknown): ShapeMessage {
  const wanted = new Set<string>();
  for (const first of issue.errors.flatMap((branch) => branch.slice(0, 1))) {
    if (first.code === 'invalid_type') wanted.add(typeNames[first.expected] ?? first.expected);
    else if (first.code === 'invalid_value') for (const one of first.values) wanted.add(JSON.stringify(one));
  }
  const texts = [...wanted];
  if (texts.length === 0) return { rule: 'wrong-form', message: `${name} does not have the expected form` };
  return { rule: 'wrong-type', message: `${name} must be ${texts.join(' or ')}, not ${typeOf(value, '')}` };
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
