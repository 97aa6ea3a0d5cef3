import { findNodeAtLocation, modify, applyEdits, parseTree } from 'jsonc-parser';
import { isMap, isPair, isScalar, isSeq, parseDocument, stringify, type Node, type Pair } from 'yaml';
import type { JsonValue } from '../model/json.ts';
import type { Fix } from '../schema/finding.ts';
import { fromPointer } from '../schema/json-pointer.ts';
import type { DocumentFormat } from './read-document.ts';

/**
 * The text with one change carried out. Everything else stays as it was written: comments, order, quotes, line ends.
 * Undefined when the place is not there (any more), or has a neighbour of the new name already.
 *
 * @param path RFC 6901 pointer, as a finding has it
 */
export function applyFix(text: string, format: DocumentFormat, path: string, fix: Fix): string | undefined {
  const segments = fromPointer(path);
  if (segments.length === 0) return undefined;
  if (text.startsWith('\uFEFF')) {
    const fixed = applyFix(text.slice(1), format, path, fix);
    return fixed === undefined ? undefined : `\uFEFF${fixed}`;
  }
  try {
    return format === 'json' ? fixJson(text, segments, fix) : fixYaml(text, segments, fix);
  } catch {
    // A text that neither library can take apart is not changed.
    return undefined;
  }
}

function fixJson(text: string, path: readonly string[], fix: Fix): string | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  // A pointer does not tell a list's index from a key; the text does.
  const steps: (string | number)[] = [];
  for (const segment of path) {
    const holder = steps.length === 0 ? root : findNodeAtLocation(root, steps);
    steps.push(holder?.type === 'array' ? Number(segment) : segment);
  }
  const value = findNodeAtLocation(root, steps);
  if (value === undefined) return undefined;
  if (fix.kind === 'rename-key') {
    const key = value.parent?.type === 'property' ? value.parent.children?.[0] : undefined;
    if (key === undefined || findNodeAtLocation(root, [...steps.slice(0, -1), fix.to]) !== undefined) return undefined;
    return splice(text, key.offset, key.offset + key.length, JSON.stringify(fix.to));
  }
  if (fix.kind === 'set-value')
    return splice(text, value.offset, value.offset + value.length, JSON.stringify(fix.value));
  return applyEdits(text, modify(text, steps, undefined, {}));
}

function fixYaml(text: string, path: readonly string[], fix: Fix): string | undefined {
  const document = parseDocument(text, { keepSourceTokens: true });
  const found = memberAt(document.contents, path);
  if (found === undefined) return undefined;
  const { holder, pair, node } = found;
  if (fix.kind === 'set-value') {
    const range = node?.range;
    return range === undefined || range === null ? undefined : splice(text, range[0], range[1], inYaml(fix.value));
  }
  if (pair === undefined || !isScalar(pair.key) || !pair.key.range) return undefined;
  const [start, end] = pair.key.range;
  if (fix.kind === 'rename-key') {
    const isTaken = holder.items.some((item) => isPair(item) && isScalar(item.key) && item.key.value === fix.to);
    return isTaken ? undefined : splice(text, start, end, inYaml(fix.to));
  }
  return withoutPair(text, start, node?.range?.[1] ?? end, holder.flow === true);
}

interface Member {
  readonly holder: { readonly items: readonly unknown[]; readonly flow?: boolean };
  /** There when it is a member of a map. */
  readonly pair?: Pair;
  readonly node: Node | undefined;
}

function memberAt(root: unknown, path: readonly string[]): Member | undefined {
  let node = root;
  let member: Member | undefined;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment);
      if (pair === undefined) return undefined;
      node = pair.value;
      member = { holder: heldBy(member, pair, root), pair, node: node as Node | undefined };
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(segment)];
      member = { holder: node as Member['holder'], node: item as Node | undefined };
      node = item;
    } else {
      return undefined;
    }
  }
  return member;
}

/** The map that a pair stands in: the value of the member before it, or the document itself. */
function heldBy(before: Member | undefined, pair: Pair, root: unknown): Member['holder'] {
  const map = before === undefined ? root : before.node;
  return isMap(map) ? (map as Member['holder']) : { items: [pair] };
}

/** Takes a pair out: in block style with its lines, in flow style with one comma. */
function withoutPair(text: string, start: number, end: number, isFlow: boolean): string {
  if (isFlow) {
    const after = /^\s*,[ \t]*/.exec(text.slice(end));
    if (after !== null) return splice(text, start, end + after[0].length, '');
    const before = /,\s*$/.exec(text.slice(0, start));
    return splice(text, before === null ? start : before.index, end, '');
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lead = text.slice(lineStart, start);
  const rest = /^[^\n]*\n?/.exec(text.slice(end))?.[0] ?? '';
  const isWholeLine = lead.trim() === '' && (text[end - 1] === '\n' || /^\s*(#.*)?\s*$/.test(rest));
  if (!isWholeLine) return splice(text, start, end, '{}');
  return splice(text, lineStart, text[end - 1] === '\n' ? end : end + rest.length, '');
}

/** As one line: a scalar as plain as YAML allows, a list in brackets. */
function inYaml(value: JsonValue): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
