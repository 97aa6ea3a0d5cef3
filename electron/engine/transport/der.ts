/** DER, as far as certificates, key files of one form and Kerberos need it (ITU-T X.690). */

export function node(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : length < 0x10000
          ? [0x82, length >> 8, length & 0xff]
          : [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return node(0x30, ...parts);
}

export function setOf(...parts: readonly Buffer[]): Buffer {
  return node(0x31, ...parts);
}

/** An explicit tag around something. */
export function contextTag(number: number, ...parts: readonly Buffer[]): Buffer {
  return node(0xa0 + number, ...parts);
}

/** A tag that a protocol gives its own types. */
export function applicationTag(number: number, ...parts: readonly Buffer[]): Buffer {
  return node(0x60 + number, ...parts);
}

export function generalString(text: string): Buffer {
  return node(0x1b, Buffer.from(text, 'utf8'));
}

/** @param hex the encoded arcs */
export function objectId(hex: string): Buffer {
  return node(0x06, Buffer.from(hex, 'hex'));
}

export function octetString(bytes: Buffer): Buffer {
  return node(0x04, bytes);
}

export function bitString(bits: Buffer): Buffer {
  return node(0x03, Buffer.from([0]), bits);
}

/** @param value not negative, below 2^31 */
export function integer(value: number): Buffer {
  const hex = value.toString(16);
  return node(0x02, Buffer.from((hex.length % 2 === 0 ? (/^[89a-f]/.test(hex) ? '00' : '') : '0') + hex, 'hex'));
}

export const nullValue = node(0x05);

export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? node(0x17, Buffer.from(digits.slice(2))) : node(0x18, Buffer.from(digits));
}
