/** Reads DER of a protocol's answers (ITU-T X.690): tags of one byte, definite lengths. */

export interface DerNode {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

/** Bytes that are not what they should be. */
export class DerError extends Error {}

/** The node at the beginning of `bytes`. @throws `DerError` */
export function readNode(bytes: Buffer): DerNode {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new DerError('not DER');
  const size = first < 0x80 ? 0 : first & 0x7f;
  if ((first >= 0x80 && (size === 0 || size > 4)) || bytes.length < 2 + size) throw new DerError('not DER');
  const length = size === 0 ? first : bytes.readUIntBE(2, size);
  const end = 2 + size + length;
  if (end > bytes.length) throw new DerError('DER that is cut off');
  return { tag, content: bytes.subarray(2 + size, end), whole: bytes.subarray(0, end) };
}

/** The nodes that follow one another in the content of another one. */
export function readNodes(content: Buffer): readonly DerNode[] {
  const found: DerNode[] = [];
  for (let rest = content; rest.length > 0;) {
    const node = readNode(rest);
    found.push(node);
    rest = rest.subarray(node.whole.length);
  }
  return found;
}

/** What is in a node that has to have this tag. */
export function inside({ tag, content }: DerNode, expected: number): Buffer {
  if (tag !== expected) throw new DerError(`tag ${tag.toString(16)} instead of ${expected.toString(16)}`);
  return content;
}

/** The fields of a sequence by the numbers of their explicit tags. */
export function fieldsOf(sequence: DerNode): ReadonlyMap<number, DerNode> {
  return new Map(readNodes(inside(sequence, 0x30)).map((node) => [node.tag - 0xa0, readNode(node.content)]));
}

export function fieldOf(fields: ReadonlyMap<number, DerNode>, number: number): DerNode {
  const found = fields.get(number);
  if (found === undefined) throw new DerError(`field ${number} is missing`);
  return found;
}

export function numberOf(node: DerNode): number {
  const content = inside(node, 0x02);
  if (content.length === 0 || content.length > 6) throw new DerError('a number that is too long');
  return content.readIntBE(0, content.length);
}

export const bytesOf = (node: DerNode): Buffer => inside(node, 0x04);
export const textOf = (node: DerNode): string => inside(node, 0x1b).toString('utf8');

/** Of a time such as `20261231235959Z`, in milliseconds. */
export function timeOf(node: DerNode): number {
  const [, year, month, day, hour, minute, second] = (
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(inside(node, 0x18).toString('latin1')) ?? []
  ).map(Number);
  if (year === undefined || month === undefined) throw new DerError('not a time');
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
