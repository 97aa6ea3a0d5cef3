import type { JsonValue } from '../model/json.ts';
import { readLimits } from '../environment/read-limits.ts';
import type { Finding } from '../schema/finding.ts';
import { toPointer, type PathSegment } from '../schema/json-pointer.ts';

/** A value that did not come through our readers: a copy without `__proto__` keys, and a finding for each of those. */
export function plainValue(value: unknown): { readonly value?: JsonValue; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  try {
    return { value: copy(value, [], findings), findings };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { findings: [{ severity: 'error', path: toPointer(error.path), rule: error.rule, message: error.message }] };
  }
}

class NotJson extends Error {
  readonly rule: string;
  readonly path: readonly PathSegment[];

  constructor(rule: string, message: string, path: readonly PathSegment[]) {
    super(message);
    this.rule = rule;
    this.path = [...path];
  }
}

function copy(value: unknown, path: PathSegment[], findings: Finding[]): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object')
    throw new NotJson('document/syntax', `A value of type ${typeof value} is not valid in JSON`, path);
  if (path.length >= readLimits.depth) {
    throw new NotJson('document/too-deep', `The document is nested more than ${readLimits.depth} levels deep`, []);
  }
  if (Array.isArray(value)) return value.map((item, index) => at(path, index, () => copy(item, path, findings)));
  const object: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') {
      const message = 'The key "__proto__" is not accepted anywhere';
      findings.push({ severity: 'error', path: toPointer([...path, key]), rule: 'document/forbidden-key', message });
    } else if (member !== undefined) {
      object[key] = at(path, key, () => copy(member, path, findings));
    }
  }
  return object;
}

function at<T>(path: PathSegment[], segment: PathSegment, work: () => T): T {
  path.push(segment);
  const result = work();
  path.pop();
  return result;
}
