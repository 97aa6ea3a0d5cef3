import type { JsonValue } from '../model/json.ts';
import { notPlain, readPlainFlow, readPlainScalar } from './read-plain-scalar.ts';

type Read = JsonValue | typeof notPlain;

interface Line {
  readonly indent: number;
  readonly content: string;
}

const levels = 50;

/**
 * Reads the everyday part of YAML: block mappings and sequences, scalars and flow collections that end on their line,
 * comments. Answers `notPlain` for everything else and whenever anything is odd, repeated or doubtful. About ten times
 * as fast as the full reader, which matters for ten thousand documents; a property test holds the two together.
 */
export function readPlainYaml(text: string): Read {
  // Control characters, tabs and exotic line ends have rules of their own.
  if (/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\r(?!\n)/.test(text)) return notPlain;
  const lines = contentLines(text);
  if (lines === undefined || lines.length === 0) return notPlain;
  const reader = new PlainReader(lines);
  const value = reader.readBlock(0, 0);
  return value === notPlain || !reader.atEnd() ? notPlain : value;
}

/** Lines that hold something; undefined for document marks other than one at the beginning, and for directives. */
function contentLines(text: string): Line[] | undefined {
  const lines: Line[] = [];
  let marked = false;
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const indent = line.length - line.trimStart().length;
    if (indent === 0 && /^(?:---|\.\.\.|%)/.test(line)) {
      if (line !== '---' || marked || lines.length > 0) return undefined;
      marked = true;
      continue;
    }
    lines.push({ indent, content });
  }
  return lines;
}

class PlainReader {
  readonly #lines: Line[];
  #at = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  atEnd(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** The collection that begins at the current line, whose indentation must be exactly `indent`. */
  readBlock(indent: number, level: number): Read {
    const line = this.#lines[this.#at];
    if (line === undefined || line.indent !== indent || level > levels) return notPlain;
    return isItem(line.content) ? this.#readSequence(indent, level) : this.#readMapping(indent, level);
  }

  #readSequence(indent: number, level: number): Read {
    const list: JsonValue[] = [];
    for (
      let line = this.#lines[this.#at];
      line?.indent === indent && isItem(line.content);
      line = this.#lines[this.#at]
    ) {
      const rest = line.content.slice(1).trimStart();
      let value: Read;
      if (rest === '' || rest.startsWith('#')) {
        this.#at++;
        value = this.#readBelow(indent, level, false);
      } else if (isItem(rest)) {
        return notPlain;
      } else if (keyOf(rest) === undefined) {
        this.#at++;
        value = this.#readInline(rest, indent);
      } else {
        // A mapping that begins behind the hyphen: its first key stands where the others will.
        const inner = indent + line.content.length - rest.length;
        this.#lines[this.#at] = { indent: inner, content: rest };
        value = this.#readMapping(inner, level + 1);
      }
      if (value === notPlain) return notPlain;
      list.push(value);
    }
    return this.#endsAt(indent) ? list : notPlain;
  }

  #readMapping(indent: number, level: number): Read {
    const object: Record<string, JsonValue> = {};
    for (
      let line = this.#lines[this.#at];
      line?.indent === indent && !isItem(line.content);
      line = this.#lines[this.#at]
    ) {
      const found = keyOf(line.content);
      if (found === undefined || found.key === '__proto__' || Object.hasOwn(object, found.key)) return notPlain;
      this.#at++;
      const isBelow = found.rest === '' || found.rest.startsWith('#');
      const value = isBelow ? this.#readBelow(indent, level, true) : this.#readInline(found.rest, indent);
      if (value === notPlain) return notPlain;
      object[found.key] = value;
    }
    return this.#endsAt(indent) ? object : notPlain;
  }

  /** What stands below a key or hyphen without a value on its line. A sequence may stand as far left as its key. */
  #readBelow(indent: number, level: number, sequenceMayAlign: boolean): Read {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent) return null;
    if (next.indent > indent) return this.readBlock(next.indent, level + 1);
    return sequenceMayAlign && isItem(next.content) ? this.#readSequence(indent, level + 1) : null;
  }

  /** A value on the line of its key or hyphen; a deeper line behind it would belong to it, which is not plain. */
  #readInline(text: string, indent: number): Read {
    const next = this.#lines[this.#at];
    if (next !== undefined && next.indent > indent) return notPlain;
    return text.startsWith('[') || text.startsWith('{') ? readPlainFlow(text) : readPlainScalar(text);
  }

  /** A collection ends before a line that stands further left, or (a sequence beside its key) at the same place. */
  #endsAt(indent: number): boolean {
    const next = this.#lines[this.#at];
    return next === undefined || next.indent <= indent;
  }
}

function isItem(content: string): boolean {
  return content === '-' || content.startsWith('- ');
}

/** The key that a line begins with, and what follows its colon. Undefined when there is none, or no plain one. */
function keyOf(content: string): { readonly key: string; readonly rest: string } | undefined {
  const quoted = /^(?:"([^"\\]*)"|'([^']*)'):(?: +(.*))?$/.exec(content);
  if (quoted !== null) return { key: quoted[1] ?? quoted[2] ?? '', rest: quoted[3] ?? '' };
  if (/^[-?:,[\]{}#&*!|>'"%@`]/.test(content)) return undefined;
  const end = content.search(/:(?: |$)/);
  if (end < 1 || end > 1000) return undefined;
  const key = content.slice(0, end);
  return key.endsWith(' ') || key.includes(' #') ? undefined : { key, rest: content.slice(end + 1).trimStart() };
}
