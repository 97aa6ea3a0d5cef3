import type { JsonValue } from '../model/json.ts';
import type { Finding } from '../schema/finding.ts';
import { toPointer, type PathSegment } from '../schema/json-pointer.ts';
import { LineIndex, unreadable, UnreadableText, type DocumentText } from './document-text.ts';
import { readLimits } from './read-limits.ts';

/** Offsets of the members of each object and list, by key or index. */
type Offsets = Map<object, Map<PathSegment, number>>;

/**
 * Reads JSON with comments (to the end of the line, or in slash and star) and trailing commas. Unlike `JSON.parse` it knows where each key stands,
 * and reports a key that is given twice (the first one counts) and `__proto__` (left out).
 */
export function readJson(text: string): DocumentText {
  const lines = new LineIndex(text);
  try {
    const reader = new JsonReader(text, lines);
    const value = reader.readDocument();
    let positions: Positions | undefined;
    return {
      value,
      findings: reader.findings,
      locate: (path) => lines.locate((positions ??= readPositions(text, lines))(path)),
    };
  } catch (error) {
    if (error instanceof UnreadableText) return unreadable(error.rule, error.message, lines.locate(error.offset));
    throw error;
  }
}

type Positions = (path: readonly PathSegment[]) => number;

/** Reads the text once more, now taking offsets down: most documents have no finding, and never need them. */
function readPositions(text: string, lines: LineIndex): Positions {
  const offsets: Offsets = new Map();
  const reader = new JsonReader(text, lines, offsets);
  const root: unknown = reader.readDocument();
  return (path) => {
    let container = root;
    let offset = reader.rootOffset;
    for (const segment of path) {
      if (typeof container !== 'object' || container === null) break;
      const key = Array.isArray(container) ? Number(segment) : String(segment);
      const found = offsets.get(container)?.get(key);
      if (found === undefined) break;
      offset = found;
      container = (container as Record<PathSegment, unknown>)[key];
    }
    return offset;
  };
}

class JsonReader {
  readonly findings: Finding[] = [];
  rootOffset = 0;
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #offsets: Offsets | undefined;
  #at = 0;
  readonly #path: PathSegment[] = [];

  constructor(text: string, lines: LineIndex, offsets?: Offsets) {
    this.#text = text;
    this.#lines = lines;
    this.#offsets = offsets;
  }

  readDocument(): JsonValue {
    this.#skipBlank();
    if (this.#at >= this.#text.length) throw new UnreadableText('document/empty', 'The document is empty', 0);
    this.rootOffset = this.#at;
    const value = this.#readValue();
    this.#skipBlank();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the document');
    return value;
  }

  #readValue(): JsonValue {
    const code = this.#text.charCodeAt(this.#at);
    if (code === 0x7b || code === 0x5b) {
      if (this.#path.length >= readLimits.depth) {
        throw new UnreadableText(
          'document/too-deep',
          `The document is nested more than ${readLimits.depth} levels deep`,
          this.#at,
        );
      }
      return code === 0x7b ? this.#readObject() : this.#readList();
    }
    if (code === 0x22) return this.#readString();
    return this.#readLiteral();
  }

  #readObject(): JsonValue {
    const object: Record<string, JsonValue> = {};
    const offsets = this.#offsetsOf(object);
    this.#at++;
    for (;;) {
      this.#skipBlank();
      if (this.#text[this.#at] === '}') break;
      const keyOffset = this.#at;
      if (this.#text[this.#at] !== '"') throw this.#unexpected('a key in double quotes, or }');
      const key = this.#readString();
      this.#skipBlank();
      if (this.#text[this.#at] !== ':') throw this.#unexpected(': after the key');
      this.#at++;
      this.#skipBlank();
      this.#path.push(key);
      const value = this.#readValue();
      if (this.#mayStand(object, key, keyOffset)) {
        object[key] = value;
        offsets?.set(key, keyOffset);
      }
      this.#path.pop();
      if (!this.#readComma('}')) break;
    }
    this.#at++;
    return object;
  }

  #readList(): JsonValue {
    const list: JsonValue[] = [];
    const offsets = this.#offsetsOf(list);
    this.#at++;
    for (;;) {
      this.#skipBlank();
      if (this.#text[this.#at] === ']') break;
      offsets?.set(list.length, this.#at);
      this.#path.push(list.length);
      list.push(this.#readValue());
      this.#path.pop();
      if (!this.#readComma(']')) break;
    }
    this.#at++;
    return list;
  }

  /** Goes past a comma; false at the closing bracket, which is left standing. */
  #readComma(closing: string): boolean {
    this.#skipBlank();
    const character = this.#text[this.#at];
    if (character === closing) return false;
    if (character !== ',') throw this.#unexpected(`, or ${closing}`);
    this.#at++;
    return true;
  }

  #readString(): string {
    const start = this.#at;
    let at = start + 1;
    let plain = true;
    for (;;) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x22) break;
      if (Number.isNaN(code)) throw new UnreadableText('document/syntax', 'The string is not closed; it begins', start);
      if (code < 0x20)
        throw new UnreadableText('document/syntax', 'The string contains a line break or control character', at);
      if (code === 0x5c) {
        plain = false;
        at++;
      }
      at++;
    }
    this.#at = at + 1;
    if (plain) return this.#text.slice(start + 1, at);
    try {
      return JSON.parse(this.#text.slice(start, at + 1)) as string;
    } catch {
      throw new UnreadableText(
        'document/syntax',
        'The string contains an invalid backslash sequence; it begins',
        start,
      );
    }
  }

  #readLiteral(): JsonValue {
    const token = /[^\s,:[\]{}"/]*/y;
    token.lastIndex = this.#at;
    const word = token.exec(this.#text)?.[0] ?? '';
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word))
      throw this.#unexpected('a value');
    const value = JSON.parse(word) as JsonValue;
    if (value === Infinity || value === -Infinity) {
      throw new UnreadableText('document/syntax', `The number ${word} is out of range`, this.#at);
    }
    this.#at += word.length;
    return value;
  }

  #mayStand(object: object, key: string, offset: number): boolean {
    const refusal = refuseKey(object, key);
    if (refusal === undefined) return true;
    this.findings.push({ ...refusal, path: toPointer(this.#path), location: this.#lines.locate(offset) });
    return false;
  }

  #skipBlank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at++;
      else if (code === 0x2f) this.#skipComment();
      else return;
    }
  }

  #skipComment(): void {
    const next = this.#text[this.#at + 1];
    if (next === '/') {
      while (this.#at < this.#text.length && this.#text[this.#at] !== '\n' && this.#text[this.#at] !== '\r') this.#at++;
    } else if (next === '*') {
      const end = this.#text.indexOf('*/', this.#at + 2);
      if (end === -1) throw new UnreadableText('document/syntax', 'The comment is not closed; it begins', this.#at);
      this.#at = end + 2;
    } else {
      throw this.#unexpected('a value or a comment');
    }
  }

  #offsetsOf(container: object): Map<PathSegment, number> | undefined {
    if (this.#offsets === undefined) return undefined;
    const members = new Map<PathSegment, number>();
    this.#offsets.set(container, members);
    return members;
  }

  #unexpected(wanted: string): UnreadableText {
    const character = this.#text.codePointAt(this.#at);
    const seen = character === undefined ? 'the end of the document' : JSON.stringify(String.fromCodePoint(character));
    return new UnreadableText('document/syntax', `Expected ${wanted}, not ${seen}`, this.#at);
  }
}

/** Why a key may not be added to an object: it is there already, or it would reach into the object's prototype. */
export function refuseKey(object: object, key: string): Omit<Finding, 'path' | 'location'> | undefined {
  if (key === '__proto__') {
    return {
      severity: 'error',
      rule: 'document/forbidden-key',
      message: 'The key "__proto__" is not accepted anywhere',
    };
  }
  if (Object.hasOwn(object, key)) {
    return {
      severity: 'error',
      rule: 'document/duplicate-key',
      message: `The key ${JSON.stringify(key)} is used twice; remove one of them`,
    };
  }
  return undefined;
}
