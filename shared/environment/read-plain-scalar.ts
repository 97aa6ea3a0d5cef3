import type { JsonValue } from '../model/json.ts';

/** Nothing of what ends the quick way is an error: the full reader decides then. */
export const notPlain = Symbol('not plain');
type Read = JsonValue | typeof notPlain;

/** A scalar that fills the rest of a line in block context, with a comment behind it at the most. */
export function readPlainScalar(text: string): Read {
  if (text.startsWith('"') || text.startsWith("'")) {
    const quoted = /^(?:"([^"\\]*)"|'([^']*)')(?: +#.*)?$/.exec(text);
    return quoted === null ? notPlain : (quoted[1] ?? quoted[2] ?? '');
  }
  const comment = text.indexOf(' #');
  const word = comment === -1 ? text : text.slice(0, comment).trimEnd();
  return /: |:$/.test(word) ? notPlain : resolve(word);
}

/** A flow collection that ends on its line, with a comment behind it at the most. */
export function readPlainFlow(text: string): Read {
  const reader = new FlowReader(text);
  const value = reader.readValue(0);
  return value === notPlain || !/^(?: +#.*)?$/.test(reader.rest()) ? notPlain : value;
}

class FlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  rest(): string {
    return this.#text.slice(this.#at);
  }

  readValue(level: number): Read {
    if (level > 20) return notPlain;
    const character = this.#text[this.#at];
    if (character === '[') return this.#readList(level);
    if (character === '{') return this.#readObject(level);
    const word = this.#readWord();
    if (word === undefined) return notPlain;
    return word.quoted ? word.text : resolve(word.text);
  }

  #readList(level: number): Read {
    const list: JsonValue[] = [];
    if (this.#skip(/\[ *\]/y)) return list;
    this.#skip(/\[ */y);
    do {
      const value = this.readValue(level + 1);
      if (value === notPlain) return notPlain;
      list.push(value);
    } while (this.#skip(/ *, */y));
    return this.#skip(/ *\]/y) ? list : notPlain;
  }

  #readObject(level: number): Read {
    const object: Record<string, JsonValue> = {};
    if (this.#skip(/\{ *\}/y)) return object;
    this.#skip(/\{ */y);
    do {
      const key = this.#readWord();
      if (key === undefined || key.text === '__proto__' || Object.hasOwn(object, key.text) || !this.#skip(/: +/y))
        return notPlain;
      const value = this.readValue(level + 1);
      if (value === notPlain) return notPlain;
      object[key.text] = value;
    } while (this.#skip(/ *, */y));
    return this.#skip(/ *\}/y) ? object : notPlain;
  }

  /** A quoted text without escapes, or a plain one without any sign that means something in flow context. */
  #readWord(): { readonly text: string; readonly quoted: boolean } | undefined {
    const word =
      /"([^"\\]*)"|'([^']*)'|(?:-(?=[^\s,[\]{}:])|[^\s,[\]{}:#"'?&*!|>%@`-])(?:[^,[\]{}:#"']*[^\s,[\]{}:#"'])?/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    const text = found[1] ?? found[2];
    return text === undefined ? { text: found[0], quoted: false } : { text, quoted: true };
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at += found[0].length;
    return found !== null;
  }
}

/** A plain scalar by the core schema; numbers other than simple whole ones are left to the full reader. */
function resolve(word: string): Read {
  if (word === '' || /^(?:[?:,[\]{}#&*!|>'"%@`]|-(?:$| ))/.test(word)) return notPlain;
  if (/^-?[1-9]\d{0,14}$/.test(word) || word === '0') return Number(word);
  if (/^[-+.\d]/.test(word) && numberLike.test(word)) return notPlain;
  if (/^(?:true|True|TRUE)$/.test(word)) return true;
  if (/^(?:false|False|FALSE)$/.test(word)) return false;
  return /^(?:~|null|Null|NULL)$/.test(word) ? null : word;
}

/** At least everything that the core schema takes for a number. */
const numberLike = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|0[ox][\da-fA-F]+|\.(?:inf|Inf|INF|nan|NaN|NAN))$/;
