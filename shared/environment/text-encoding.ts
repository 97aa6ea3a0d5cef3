import { unreadable, type DocumentText } from './document-text.ts';

const byteOrderMark = '\uFEFF';

/** Bytes as text without a byte order mark, or what is wrong with them. */
export function decodeText(bytes: Uint8Array): string | DocumentText {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return unreadable('document/encoding', 'The file is UTF-16; save it as UTF-8', { line: 1, column: 1 });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return unreadable('document/encoding', 'The file is not valid UTF-8; save it as UTF-8', firstBadByte(bytes));
  }
}

export function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** No UTF-8 sequence contains a line feed, so that each line can be tried alone. */
function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  const strict = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const next = bytes.indexOf(10, start);
    const end = next === -1 ? bytes.length : next;
    const part = bytes.subarray(start, end);
    try {
      strict.decode(part);
    } catch {
      return { line, column: columnOfBadByte(part) };
    }
    start = end + 1;
  }
  return { line: 1, column: 1 };
}

/** Decodes ever longer beginnings; only the first bad place yields a replacement that the strict decoder refuses. */
function columnOfBadByte(line: Uint8Array): number {
  const strict = new TextDecoder('utf-8', { fatal: true });
  let good = 0;
  let bad = line.length;
  // A prefix that cuts a sequence is "incomplete", not wrong: streaming mode accepts it.
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(line.subarray(0, middle), { stream: true });
      good = middle;
    } catch {
      bad = middle;
    }
  }
  return strict.decode(line.subarray(0, good), { stream: true }).length + 1;
}
