import { z } from 'zod';
import { shapeMessage } from './shape-message.ts';
import type { Finding } from './finding.ts';
import { hasMember, toPointer, valueAt, type PathSegment } from './json-pointer.ts';
import { memberSchema, schemaAt } from './schema-walk.ts';

type Issue = z.core.$ZodIssue;

/** One difference between a value and its shape. `path` is relative to the value. */
export interface ShapeFault extends Omit<Finding, 'path' | 'rule' | 'location'> {
  readonly path: readonly PathSegment[];
  /** Name of the rule without its plugin or area. */
  readonly rule: string;
}

export interface UnknownKey {
  readonly key: string;
  /** Path of the object that holds the key. */
  readonly parent: readonly PathSegment[];
  readonly parentSchema: z.core.$ZodType;
  /** The object itself. */
  readonly holder: unknown;
}

export interface ShapeOptions {
  /** Says what an unknown key should have been. */
  readonly unknownKey: (unknown: UnknownKey) => Pick<ShapeFault, 'message' | 'suggestion' | 'fix'>;
  /** Keys at the top that count as given although they are not there. */
  readonly givenElsewhere?: (key: string) => boolean;
  /** What messages call the value as a whole. */
  readonly name?: string;
}

/** Unknown keys of one document for which a suggestion is sought; more are no spelling mistakes. */
const suggestionLimit = 200;

/** Everything in which a value differs from its shape, each at its own place. */
export function checkShape(schema: z.core.$ZodType, value: unknown, options: ShapeOptions): ShapeFault[] {
  const result = z.safeParse(schema, value);
  if (result.success) return [];
  const faults = new Map<string, ShapeFault>();
  let unknownKeys = 0;
  const add = (fault: ShapeFault): void => {
    const id = `${fault.rule} ${toPointer(fault.path)} ${fault.message}`;
    if (!faults.has(id)) faults.set(id, fault);
  };
  for (const issue of everyIssue(result.error.issues, schema, value)) {
    const path = issue.path.filter((segment): segment is PathSegment => typeof segment !== 'symbol');
    if (issue.code === 'unrecognized_keys') {
      const parentSchema = schemaAt(schema, path) ?? schema;
      const holder = valueAt(value, path);
      for (const key of issue.keys) {
        unknownKeys++;
        const text =
          unknownKeys > suggestionLimit
            ? { message: `Unknown key ${JSON.stringify(key)}` }
            : options.unknownKey({ key, parent: path, parentSchema, holder });
        add({ severity: 'error', path: [...path, key], rule: 'unknown-key', ...text });
      }
    } else if (issue.code === 'invalid_key') {
      const [inner] = issue.issues;
      const name = `The key ${JSON.stringify(String(path.at(-1) ?? ''))}`;
      if (inner !== undefined)
        add({ severity: 'error', path, ...shapeMessage(inner, name, path.at(-1)), rule: 'wrong-key' });
    } else if (path.length > 0 && !hasMember(valueAt(value, path.slice(0, -1)), path.at(-1) ?? '')) {
      if (path.length === 1 && options.givenElsewhere?.(String(path[0]))) continue;
      add({
        severity: 'error',
        path,
        rule: 'missing-key',
        message: `The required key ${JSON.stringify(String(path.at(-1)))} is missing`,
      });
    } else {
      const member = schemaAt(schema, path);
      add({
        severity: 'error',
        path,
        ...shapeMessage(issue, nameOf(path, options.name), valueAt(value, path), {
          key: String(path.at(-1) ?? ''),
          schema: member,
          isElement: typeof path.at(-1) === 'number',
        }),
      });
    }
  }
  return [...faults.values()];
}

/** Issues with their full paths; of a union those of the alternative that was meant, when that can be told. */
function* everyIssue(issues: readonly Issue[], schema: z.core.$ZodType, value: unknown): Iterable<Issue> {
  for (const issue of issues) {
    const meant = issue.code === 'invalid_union' ? meantAlternative(issue.errors) : undefined;
    if (meant !== undefined) {
      const inner = meant.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
      yield* everyIssue(inner, schema, value);
      continue;
    }
    yield issue;
    yield* hiddenBehind(issue, schema, value);
  }
}

/** The only alternative that has the value's own type right: `{"$secert": "x"}` was meant as an object. */
function meantAlternative(errors: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const right = errors.filter(
    (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  return right.length === 1 ? right[0] : undefined;
}

/** zod does not look into a list that is too long, nor at the value of a key that is wrong. We want to know both. */
function* hiddenBehind(issue: Issue, schema: z.core.$ZodType, value: unknown): Iterable<Issue> {
  const path = issue.path.filter((segment): segment is PathSegment => typeof segment !== 'symbol');
  if (issue.code === 'invalid_key') {
    const parent = schemaAt(schema, path.slice(0, -1));
    const member = parent === undefined ? undefined : memberSchema(parent, path.at(-1) ?? '');
    if (member !== undefined) yield* issuesBelow(member, valueAt(value, path), path);
  } else if (issue.code === 'too_big' || issue.code === 'too_small') {
    const list = valueAt(value, path);
    const listSchema = schemaAt(schema, path);
    const element = listSchema === undefined ? undefined : memberSchema(listSchema, 0);
    if (!Array.isArray(list) || element === undefined) return;
    for (const [index, item] of list.entries()) yield* issuesBelow(element, item, [...path, index]);
  }
}

function* issuesBelow(schema: z.core.$ZodType, value: unknown, path: readonly PathSegment[]): Iterable<Issue> {
  const result = z.safeParse(schema, value);
  if (result.success) return;
  const issues = [...everyIssue(result.error.issues, schema, value)];
  for (const issue of issues) yield { ...issue, path: [...path, ...issue.path] };
}

/** What a message calls the value at a path: the last key, with the indexes behind it. */
function nameOf(path: readonly PathSegment[], whole = 'The value'): string {
  let indexes = '';
  for (let index = path.length - 1; index >= 0; index--) {
    const segment = path[index];
    if (typeof segment === 'string') return JSON.stringify(segment) + indexes;
    indexes = `[${segment}]${indexes}`;
  }
  return indexes === '' ? whole : `Element ${indexes}`;
}
