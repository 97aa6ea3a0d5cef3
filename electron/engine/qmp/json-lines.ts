import { StringDecoder } from 'node:string_decoder';

/** Cuts a byte stream into lines of bounded length. */
export class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #maximum: number;
  #parts: string[] = [];
  #length = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** @throws RangeError when a line is longer than the maximum */
  *take(chunk: Buffer): Iterable<string> {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#parts.push(text.slice(start, end));
      const line = this.#parts.join('').trim();
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
      if (line !== '') yield line;
    }
    const rest = text.slice(start);
    this.#length += rest.length;
    if (this.#length > this.#maximum) throw new RangeError(`a line longer than ${this.#maximum} characters`);
    if (rest !== '') this.#parts.push(rest);
  }
}
