import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { hasMember, valueAt } from '../../schema/json-pointer.ts';

export type Path = readonly (string | number)[];
export interface Found {
  readonly path: Path;
  readonly value: JsonValue;
}

export { valueAt };

export const isOn = (environment: JsonObject, path: Path): boolean => valueAt(environment, path) === true;

/** A non-blank text at a path. */
export function textAt(environment: JsonObject, path: Path): string | undefined {
  const value = valueAt(environment, path);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** All values that a pattern of keys matches; `*` is each element of a list or each entry of a mapping. */
export function expand(value: JsonValue, pattern: readonly string[], below: Path = []): Found[] {
  const [key, ...rest] = pattern;
  if (key === undefined) return [{ path: below, value }];
  if (key !== '*') {
    return isJsonObject(value) && Object.hasOwn(value, key)
      ? expand(value[key] as JsonValue, rest, [...below, key])
      : [];
  }
  if (Array.isArray(value)) return value.flatMap((item: JsonValue, index) => expand(item, rest, [...below, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => expand(item, rest, [...below, name]));
}

/**
 * Where a value of the effective environment stands in the document. A list may have been joined, so its element is
 * looked for by value; what only the configuration gives is reported where it would stand.
 */
export function placeInDocument(environment: JsonObject, { path, value }: Found): Path {
  if (valueAt(environment, path) === value) return path;
  const list = valueAt(environment, path.slice(0, -1));
  if (Array.isArray(list)) {
    const index = list.indexOf(value);
    return index < 0 ? path.slice(0, -1) : [...path.slice(0, -1), index];
  }
  for (let length = 0; length < path.length; length++) {
    const container = valueAt(environment, path.slice(0, length));
    if (!hasMember(container, path[length] as string | number)) {
      const place = path.slice(0, length + 1);
      return typeof place.at(-1) === 'number' ? place.slice(0, -1) : place;
    }
  }
  return path;
}
