import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { ShapeFault } from './check-shape.ts';
import type { PathSegment } from './json-pointer.ts';

/** An environment under its canonical keys, and the way back to the keys of the document. */
export interface CanonicalEnvironment {
  readonly environment: JsonObject;
  readonly faults: readonly ShapeFault[];
  /** The path in the document of a path in the canonical environment. */
  inDocument(path: readonly PathSegment[]): readonly PathSegment[];
}

/**
 * Renames keys that have an accepted other spelling. Each is a warning; where the canonical key stands too, the other
 * one is an error and its value is left out.
 */
export function canonicalise(
  environment: JsonObject,
  spellings: Readonly<Record<string, string>>,
): CanonicalEnvironment {
  const faults: ShapeFault[] = [];
  const renamed: { readonly from: readonly string[]; readonly to: readonly string[] }[] = [];
  let current = environment;
  for (const [otherSpelling, canonical] of Object.entries(spellings)) {
    const from = otherSpelling.split('.');
    const to = canonical.split('.');
    const oldKey = from.at(-1) ?? '';
    const newKey = to.at(-1) ?? '';
    const holder = objectAt(current, from.slice(0, -1));
    if (holder === undefined || !Object.hasOwn(holder, oldKey)) continue;
    const path = toDocument(from, renamed);
    if (Object.hasOwn(holder, newKey)) {
      const message = `${JSON.stringify(oldKey)} is another spelling of ${JSON.stringify(newKey)}, which is set too; remove one of them`;
      faults.push({
        severity: 'error',
        path,
        rule: 'two-spellings',
        message,
        suggestion: `Remove ${JSON.stringify(oldKey)}.`,
        fix: { kind: 'remove-key' },
      });
      current = replaceAt(current, from.slice(0, -1), without(holder, oldKey));
    } else {
      const message = `${JSON.stringify(oldKey)} is accepted as another spelling of ${JSON.stringify(newKey)}`;
      faults.push({
        severity: 'warning',
        path,
        rule: 'other-spelling',
        message,
        suggestion: `Write ${JSON.stringify(newKey)}.`,
        fix: { kind: 'rename-key', to: newKey },
      });
      current = replaceAt(current, from.slice(0, -1), withRenamed(holder, oldKey, newKey));
      renamed.push({ from, to });
    }
  }
  return { environment: current, faults, inDocument: (path) => toDocument(path, renamed) };
}

function toDocument(
  path: readonly PathSegment[],
  renamed: readonly { readonly from: readonly string[]; readonly to: readonly string[] }[],
): readonly PathSegment[] {
  let translated = path;
  for (const { from, to } of renamed) {
    if (to.every((segment, index) => path[index] === segment)) {
      const last = to.length - 1;
      translated = [...translated.slice(0, last), from[last] ?? '', ...translated.slice(last + 1)];
    }
  }
  return translated;
}

function objectAt(root: JsonObject, path: readonly string[]): JsonObject | undefined {
  let current: JsonValue | undefined = root;
  for (const key of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return isJsonObject(current) ? current : undefined;
}

function replaceAt(root: JsonObject, path: readonly string[], replacement: JsonObject): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const child = root[key];
  return { ...root, [key]: isJsonObject(child) ? replaceAt(child, rest, replacement) : replacement };
}

function withRenamed(holder: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(holder).map(([key, value]) => [key === from ? to : key, value]));
}

function without(holder: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(holder).filter(([other]) => other !== key));
}
