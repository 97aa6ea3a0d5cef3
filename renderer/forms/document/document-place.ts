import { getLocation } from 'jsonc-parser';
import { isMap, isPair, isScalar, isSeq, parseDocument, visit, type Node } from 'yaml';
import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import { readLimits } from '../../../shared/environment/read-limits.ts';
import type { PathSegment } from '../../../shared/schema/json-pointer.ts';

/** Where in a document a cursor stands, as far as a text that is being written can say. */
export interface Place {
  readonly kind: 'key' | 'value';
  /** Of a key: the object that it stands in. Of a value: the value's own path. */
  readonly path: readonly PathSegment[];
  /** What is written there so far, and what a completion replaces. */
  readonly from: number;
  readonly to: number;
  /** Keys that the object has already. */
  readonly present: readonly string[];
  /** The document, for what depends on other parts of it, e.g. a side's plugin. */
  readonly root: unknown;
  /** Whether what is written there is followed by a value already. */
  readonly hasValue: boolean;
}

/** Stands for the word at the cursor while the text is read. */
const marker = 'causeway-cursor-7f3a';
/** What can be part of a word; everything else separates. */
const wordAfter = /^[^\s:,{}[\]"'#]*/;
/** A word is on one line; in a long one, an expression with an end alone is tried at each of its signs. */
const separator = /[\s:,{}[\]"'#]/;

/** Where the word begins that ends at an offset. */
function wordStart(text: string, offset: number, ends: RegExp): number {
  let from = offset;
  while (from > 0 && !ends.test(text[from - 1] ?? '')) from -= 1;
  return from;
}

/** What a cursor can stand for, the likelier first: on an empty line of a list that is a key of an object, or a value. */
export function placesAt(text: string, format: DocumentFormat, offset: number): readonly Place[] {
  if (text.length > readLimits.bytes) return [];
  return format === 'json' ? jsonPlaces(text, offset) : yamlPlaces(text, offset);
}

/** The path of what stands at an offset; undefined where nothing does. */
export function pathAt(
  text: string,
  format: DocumentFormat,
  offset: number,
): { readonly path: readonly PathSegment[]; readonly root: unknown } | undefined {
  if (text.length > readLimits.bytes) return undefined;
  if (format === 'json') {
    const { path } = getLocation(text, offset);
    return { path, root: jsonRoot(text) };
  }
  const document = parseDocument(text, { logLevel: 'silent' });
  const path = yamlPathAt(document.contents, offset);
  return path === undefined ? undefined : { path, root: plain(() => document.toJS({ maxAliasCount: 20 })) };
}

function jsonPlaces(text: string, offset: number): readonly Place[] {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const isInside =
    previousNode !== undefined && previousNode.offset <= offset && offset <= previousNode.offset + previousNode.length;
  const [from, to] = isInside
    ? [previousNode.offset, previousNode.offset + previousNode.length]
    : [wordStart(text, offset, /[^\w.-]/), offset];
  const root = jsonRoot(text);
  if (!isAtPropertyKey) return [{ kind: 'value', path, from, to, present: [], root, hasValue: false }];
  const container = path.slice(0, -1);
  const own = String(path.at(-1) ?? '');
  const present = Object.keys(objectAt(root, container)).filter((key) => key !== own);
  return [{ kind: 'key', path: container, from, to, present, root, hasValue: /^\s*:/.test(text.slice(to)) }];
}

/** A JSON text that is being written is nearly YAML, and that reader forgives more. */
function jsonRoot(text: string): unknown {
  return plain(() =>
    parseDocument(text.replaceAll(/^\s*\/\/.*$/gm, ''), { logLevel: 'silent' }).toJS({ maxAliasCount: 20 }),
  );
}

function yamlPlaces(text: string, offset: number): readonly Place[] {
  const from = wordStart(text, offset, separator);
  const to = offset + (wordAfter.exec(text.slice(offset))?.[0].length ?? 0);
  const lead = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  if (/(^|\s)#/.test(lead)) return [];
  const rest = /^[^\n]*/.exec(text.slice(to))?.[0] ?? '';
  const isAlone = /^\s*(- +)*$/.test(lead) && /^\s*(#.*)?$/.test(rest);
  const places: Place[] = [];
  for (const written of isAlone ? [`${marker}:`, marker] : [marker]) {
    const place = yamlPlace(`${text.slice(0, from)}${written}${text.slice(to)}`, from, to, /^\s*:/.test(rest));
    if (place !== undefined) places.push(place);
  }
  return places;
}

function yamlPlace(text: string, from: number, to: number, hasValue: boolean): Place | undefined {
  const document = parseDocument(text, { logLevel: 'silent' });
  let found: Place | undefined;
  const root = plain(() => document.toJS({ maxAliasCount: 20 }));
  visit(document, {
    Scalar(role, { value }, ancestors) {
      if (value !== marker) return undefined;
      const path: PathSegment[] = [];
      ancestors.forEach((ancestor, index) => {
        const next: unknown = ancestors[index + 1];
        if (isSeq(ancestor)) path.push(next === undefined ? Number(role) : ancestor.items.indexOf(next));
        // The pair that the cursor is the key of is not on the way to its object.
        if (isPair(ancestor) && (next !== undefined || role === 'value') && isScalar(ancestor.key))
          path.push(String(ancestor.key.value));
      });
      const map = ancestors.findLast((ancestor) => isMap(ancestor));
      const present =
        isMap(map) && role === 'key'
          ? map.items.flatMap(({ key }) => (isScalar(key) && key.value !== marker ? [String(key.value)] : []))
          : [];
      found = { kind: role === 'key' ? 'key' : 'value', path, from, to, present, root, hasValue };
      return visit.BREAK;
    },
  });
  return found;
}

function yamlPathAt(node: unknown, offset: number): readonly PathSegment[] | undefined {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (holds(key, offset)) return [name];
      if (value !== null && holds(value as Node, offset)) {
        const below = yamlPathAt(value, offset);
        return below === undefined ? [name] : [name, ...below];
      }
    }
    return undefined;
  }
  if (!isSeq(node)) return undefined;
  const index = node.items.findIndex((item) => holds(item as Node, offset));
  return index < 0 ? undefined : [index, ...(yamlPathAt(node.items[index], offset) ?? [])];
}

function holds({ range }: Pick<Node, 'range'>, offset: number): boolean {
  return range !== null && range !== undefined && range[0] <= offset && offset <= range[1];
}

/** The object at a path; an empty one where there is none. */
export function objectAt(root: unknown, path: readonly PathSegment[]): Readonly<Record<string, unknown>> {
  let value = root;
  for (const segment of path)
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, segment)
        ? (value as Record<PathSegment, unknown>)[segment]
        : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function plain(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    // Aliases without an anchor, or too many of them.
    return undefined;
  }
}
