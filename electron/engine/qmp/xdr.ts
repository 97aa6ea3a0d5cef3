/** Writes values as XDR (RFC 4506), in the few kinds that libvirt's protocol needs here. */
export class XdrWriter {
  readonly #parts: Buffer[] = [];

  uint(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value >>> 0);
    this.#parts.push(bytes);
    return this;
  }

  /** Bytes of a length that both sides know. */
  fixed(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes), Buffer.alloc(padding(bytes.length)));
    return this;
  }

  text(value: string): this {
    const bytes = Buffer.from(value, 'utf8');
    return this.uint(bytes.length).fixed(bytes);
  }

  optionalText(value: string | undefined): this {
    return value === undefined ? this.uint(0) : this.uint(1).text(value);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** Reads values in the order that they were written. Whatever goes beyond the end is a `RangeError`. */
export class XdrReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint(): number {
    return this.fixed(4).readUInt32BE();
  }

  int(): number {
    return this.uint() | 0;
  }

  fixed(length: number): Buffer {
    const end = this.#at + length;
    if (end + padding(length) > this.#bytes.length)
      throw new RangeError(`${length} bytes at ${this.#at} of ${this.#bytes.length}`);
    const found = this.#bytes.subarray(this.#at, end);
    this.#at = end + padding(length);
    return found;
  }

  text(): string {
    return this.fixed(this.uint()).toString('utf8');
  }

  optionalText(): string | undefined {
    return this.uint() === 0 ? undefined : this.text();
  }

  /** @param smallest bytes of the smallest element: a count that cannot be true is refused before memory is taken for it */
  list<T>(smallest: number, element: () => T): T[] {
    const count = this.uint();
    if (count * smallest > this.#bytes.length - this.#at)
      throw new RangeError(`${count} elements at ${this.#at} of ${this.#bytes.length} bytes`);
    return Array.from({ length: count }, element);
  }
}

function padding(length: number): number {
  return (4 - (length % 4)) % 4;
}
