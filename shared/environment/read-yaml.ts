import {
  Composer,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type Alias,
  type Document,
  type Node,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { JsonValue } from '../model/json.ts';
import type { Finding, TextLocation } from '../schema/finding.ts';
import { toPointer, type PathSegment } from '../schema/json-pointer.ts';
import { LineIndex, unreadable, UnreadableText, type DocumentText } from './document-text.ts';
import { notPlain } from './read-plain-scalar.ts';
import { readPlainYaml } from './read-plain-yaml.ts';
import { refuseKey } from './read-json.ts';
import { readLimits } from './read-limits.ts';

/** Each collection takes one place of the parser's stack; the rest is for the document and what is read inside. */
const parserStackLimit = readLimits.depth + 10;

/**
 * Reads one YAML 1.2 document with the core schema, as far as its content is JSON: keys are texts, tags are refused,
 * aliases are repeated in full (within a bound), infinities are refused.
 */
export function readYaml(text: string): DocumentText {
  const value = readPlainYaml(text);
  if (value === notPlain) return readAnyYaml(text);
  let complete: DocumentText | undefined;
  return { value, findings: [], locate: (path) => (complete ??= readAnyYaml(text)).locate(path) };
}

/** The full reader, which also knows places. */
export function readAnyYaml(text: string): DocumentText {
  const lines = new LineIndex(text);
  const place = (offset: number): TextLocation => lines.locate(offset);
  try {
    const document = composeOnly(text);
    const [error] = document.errors;
    if (error !== undefined) {
      return unreadable('document/syntax', withoutPlace(error.message), place(error.pos[0]));
    }
    if (
      document.contents === null ||
      (isScalar(document.contents) && document.contents.type === 'PLAIN' && document.contents.source === '')
    ) {
      return unreadable('document/empty', 'The document is empty', { line: 1, column: 1 });
    }
    const conversion = new Conversion(place);
    const value = conversion.convert(document.contents);
    const members: MemberIndex = new Map();
    return {
      value,
      findings: conversion.findings,
      locate: (path) => place(offsetOfMember(document, path, members, conversion.targets)),
    };
  } catch (error) {
    if (error instanceof UnreadableText) return unreadable(error.rule, error.message, place(error.offset));
    throw error;
  }
}

/** The library's stages one by one, so that too deep a nesting stops the reading before anything recurses over it. */
function composeOnly(text: string): Document.Parsed {
  const parser = new Parser();
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent', stringKeys: false });
  const documents: Document.Parsed[] = [];
  const accept = (document: Document.Parsed): void => {
    documents.push(document);
    if (documents.length > 1) {
      const message =
        'The file contains several YAML documents; put each environment document in a separate file. The second begins';
      throw new UnreadableText('document/multiple-documents', message, document.range[0]);
    }
  };
  const lexer = new Lexer();
  let read = 0;
  for (const lexeme of lexer.lex(text)) {
    if (parser.stack.length > parserStackLimit) throw tooDeep(read);
    for (const token of parser.next(lexeme)) for (const document of composer.next(token)) accept(document);
    read = parser.offset;
  }
  for (const token of parser.end()) for (const document of composer.next(token)) accept(document);
  for (const document of composer.end(true, text.length)) accept(document);
  const [document] = documents;
  if (document === undefined) throw new UnreadableText('document/empty', 'The document is empty', 0);
  return document;
}

/** Turns nodes into plain values; what cannot be said in JSON becomes a finding or ends the reading. */
class Conversion {
  readonly findings: Finding[] = [];
  /** What each alias stands for. The library's own look-up goes through the whole document for each alias. */
  readonly targets = new Map<Node, ParsedNode>();
  readonly #anchors = new Map<string, ParsedNode>();
  readonly #place: (offset: number) => TextLocation;
  readonly #path: PathSegment[] = [];
  /** Anchors whose content is being converted: an alias to one of them would never end. */
  readonly #open = new Set<Node>();
  #insideAliases = 0;
  #aliasNodes = 0;

  constructor(place: (offset: number) => TextLocation) {
    this.#place = place;
  }

  convert(node: ParsedNode | null): JsonValue {
    if (node === null) return null;
    if (this.#insideAliases > 0 && ++this.#aliasNodes > readLimits.aliasNodes) {
      throw new UnreadableText(
        'document/yaml-alias',
        `The YAML aliases expand to more than ${readLimits.aliasNodes} values`,
        offsetOf(node),
      );
    }
    if (isAlias(node)) return this.#follow(node);
    // An alias means the anchor of its name that stood last before it.
    if (node.anchor !== undefined && this.#insideAliases === 0) this.#anchors.set(node.anchor, node);
    if (node.tag !== undefined) this.#report('document/yaml-tag', `YAML tags (${node.tag}) are not accepted`, node);
    if (!isScalar(node) && this.#path.length >= readLimits.depth) throw tooDeep(offsetOf(node));
    if (isMap(node)) return this.#convertMap(node);
    if (isSeq(node)) return this.#convertSequence(node);
    return this.#convertScalar(node);
  }

  #convertMap(map: YAMLMap.Parsed): JsonValue {
    const object: Record<string, JsonValue> = {};
    this.#open.add(map);
    for (const pair of map.items) {
      const key = this.#keyText(pair.key);
      this.#path.push(key);
      const value = this.convert(pair.value);
      const refusal = refuseKey(object, key);
      if (refusal === undefined) object[key] = value;
      else this.findings.push({ ...refusal, path: toPointer(this.#path), location: this.#place(offsetOf(pair.key)) });
      this.#path.pop();
    }
    this.#open.delete(map);
    return object;
  }

  #convertSequence(sequence: YAMLSeq.Parsed): JsonValue {
    const list: JsonValue[] = [];
    this.#open.add(sequence);
    for (const item of sequence.items) {
      this.#path.push(list.length);
      if (isPair(item))
        throw new UnreadableText(
          'document/syntax',
          'A list element is a key and value without braces',
          offsetOf(sequence),
        );
      list.push(this.convert(item));
      this.#path.pop();
    }
    this.#open.delete(sequence);
    return list;
  }

  #convertScalar(scalar: Scalar.Parsed): JsonValue {
    const { value } = scalar;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new UnreadableText('document/syntax', `The number ${scalar.source} is out of range`, offsetOf(scalar));
    }
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value;
    return scalar.source;
  }

  #follow(alias: Alias.Parsed): JsonValue {
    const target = this.targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target === undefined) {
      throw new UnreadableText('document/yaml-alias', `The alias *${alias.source} has no anchor`, offsetOf(alias));
    }
    this.targets.set(alias, target);
    if (this.#open.has(target)) {
      throw new UnreadableText('document/yaml-alias', `The alias *${alias.source} refers to itself`, offsetOf(alias));
    }
    this.#insideAliases++;
    const value = this.convert(target);
    this.#insideAliases--;
    return value;
  }

  #keyText(key: ParsedNode | null): string {
    if (isScalar(key)) {
      if (key.tag !== undefined) this.#report('document/yaml-tag', `YAML tags (${key.tag}) are not accepted`, key);
      const text = keyText(key as Scalar.Parsed);
      if (text !== undefined) return text;
    }
    throw new UnreadableText('document/syntax', 'A key must be a string', key === null ? 0 : offsetOf(key));
  }

  #report(rule: string, message: string, node: ParsedNode): void {
    this.findings.push({
      severity: 'error',
      path: toPointer(this.#path),
      rule,
      message,
      location: this.#place(offsetOf(node)),
    });
  }
}

/** The pairs of each mapping by key, made when a place in it is asked for. */
type MemberIndex = Map<Node, Map<string, YAMLMap.Parsed['items'][number]>>;

function offsetOfMember(
  document: Document.Parsed,
  path: readonly PathSegment[],
  members: MemberIndex,
  targets: ReadonlyMap<Node, ParsedNode>,
): number {
  let node = document.contents as ParsedNode | null | undefined;
  let offset = node ? offsetOf(node) : 0;
  for (const segment of path) {
    if (isAlias(node)) node = targets.get(node);
    if (isMap(node)) {
      const pair = pairsOf(node as YAMLMap.Parsed, members).get(String(segment));
      if (pair === undefined) break;
      offset = offsetOf(pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(segment)] as ParsedNode | undefined;
      if (item === undefined) break;
      offset = offsetOf(item);
      node = item;
    } else {
      break;
    }
  }
  return offset;
}

function pairsOf(map: YAMLMap.Parsed, members: MemberIndex): Map<string, YAMLMap.Parsed['items'][number]> {
  const known = members.get(map);
  if (known !== undefined) return known;
  const pairs: ReturnType<typeof pairsOf> = new Map();
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? keyText(pair.key) : undefined;
    if (key !== undefined && !pairs.has(key)) pairs.set(key, pair);
  }
  members.set(map, pairs);
  return pairs;
}

/** Plain keys count as they are written (`100: net` is the key "100"); nothing written is no key. */
function keyText(key: Scalar.Parsed): string | undefined {
  if (typeof key.value === 'string') return key.value;
  return key.source === '' ? undefined : key.source;
}

function offsetOf(node: ParsedNode): number {
  return node.range[0];
}

function tooDeep(offset: number): UnreadableText {
  return new UnreadableText(
    'document/too-deep',
    `The document is nested more than ${readLimits.depth} levels deep`,
    offset,
  );
}

function withoutPlace(message: string): string {
  return message.replace(/ at line \d+, column \d+:?[\s\S]*$/, '');
}
