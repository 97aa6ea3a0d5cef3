import { applyEdits, modify } from 'jsonc-parser';
import { isMap, isScalar, parseDocument, type Document } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { valueAt } from '../schema/json-pointer.ts';
import { readDocument, type DocumentFormat } from './read-document.ts';

/**
 * The text with the object at `path` holding exactly `members`. Only what differs is written: comments, order and blank
 * lines of everything else stay. Undefined where that is not possible, e.g. because an alias shares a part that differs.
 *
 * @param path keys from the root; objects that are missing on the way are made
 */
export function editMembers(
  text: string,
  format: DocumentFormat,
  path: readonly string[],
  members: JsonObject,
): string | undefined {
  const { value, findings } = readDocument(text, format);
  if (value === undefined || findings.some(({ severity }) => severity === 'error')) return undefined;
  const found = valueAt(value, path);
  const before = isJsonObject(found as JsonValue) ? (found as JsonObject) : undefined;
  if (before !== undefined && sameValue(before, members)) return text;
  try {
    const edited = format === 'json' ? editJson(text, path, before, members) : editYaml(text, path, before, members);
    return sameValue(valueAt(readDocument(edited, format).value, path), members) ? edited : undefined;
  } catch {
    // A text that the library cannot change in this place.
    return undefined;
  }
}

function editJson(text: string, path: readonly string[], before: JsonObject | undefined, after: JsonObject): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  let edited = text;
  for (const { at, value } of differences(before, after, path))
    edited = applyEdits(edited, modify(edited, [...at], value, { formattingOptions }));
  return edited;
}

function editYaml(text: string, path: readonly string[], before: JsonObject | undefined, after: JsonObject): string {
  const document = parseDocument(text);
  for (const { at, value } of differences(before, after, path)) setInYaml(document, at, value);
  return document.toString({ lineWidth: 0 });
}

function setInYaml(document: Document, at: readonly string[], value: JsonValue | undefined): void {
  // Keys are looked up as they are in the text: `100: net` has a number there.
  const steps = at.map((key, index) => {
    const holder = index === 0 ? document.contents : document.getIn(at.slice(0, index), true);
    return isMap(holder)
      ? (holder.items.find((item) => isScalar(item.key) && String(item.key.value) === key)?.key ?? key)
      : key;
  });
  if (value === undefined) {
    document.deleteIn(steps);
    return;
  }
  const node = document.getIn(steps, true);
  if (isScalar(node) && (typeof value !== 'object' || value === null)) {
    node.value = value;
    // A text that was written in another way than the new one needs, e.g. a number in quotes, is written anew.
    delete node.source;
    if (typeof value !== 'string') delete node.type;
    return;
  }
  document.setIn(steps, document.createNode(value));
}

/** The members that differ, the deepest objects first compared: what is equal is not written again. */
function* differences(
  before: JsonObject | undefined,
  after: JsonObject,
  path: readonly string[],
): Iterable<{ readonly at: readonly string[]; readonly value: JsonValue | undefined }> {
  if (before === undefined) {
    yield { at: path, value: after };
    return;
  }
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) yield { at: [...path, key], value: undefined };
  for (const [key, value] of Object.entries(after)) {
    const former = Object.hasOwn(before, key) ? before[key] : undefined;
    if (former !== undefined && isJsonObject(former) && isJsonObject(value) && Object.keys(former).length > 0)
      yield* differences(former, value, [...path, key]);
    else if (former === undefined || !sameValue(former, value)) yield { at: [...path, key], value };
  }
}

function sameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => sameValue(item, other[index]))
    );
  }
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameValue((one as JsonObject)[key], (other as JsonObject)[key]))
  );
}
