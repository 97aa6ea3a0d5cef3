/** CSI (7 and 8 bit), OSC with either terminator, character sets, and the two-character sequences. */
const escapes =
  /(?:\u001b\[|\u009b)[0-9;:?=<>]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]+[0-~]|\u001b[0-~]/g;
/** A sequence that a truncated buffer begins or ends in the middle of. */
const cutEscape = /\u001b(?:\[[0-9;:?=<>]*)?$/;

/** The console's text without terminal control. What a carriage return overwrites stays, as a line of its own. */
export function withoutEscapes(text: string): string {
  return text
    .replace(cutEscape, '')
    .replaceAll(escapes, '')
    .replaceAll(/\r+\n?/g, '\n')
    .replaceAll(/[\u0000\ufeff]/g, '');
}

const kernelLine = /(?:<\d+>)?\[ *\d+\.\d{3,6}\](?:\[ *[TC]\d+\])? [^\n]*(?:\n|$)/g;

/** Text with the offset of each of its characters in the text that it was taken from. */
export interface TextPart {
  readonly text: string;
  offsetOf(index: number): number;
}

/** The text without the kernel's lines. A kernel message in the middle of a prompt disappears, the halves meet. */
export function withoutKernelLines(text: string): TextPart {
  const pieces: string[] = [];
  const starts: { readonly at: number; readonly from: number }[] = [];
  let length = 0;
  let from = 0;
  const keep = (to: number): void => {
    if (to <= from) return;
    starts.push({ at: length, from });
    pieces.push(text.slice(from, to));
    length += to - from;
  };
  for (const match of text.matchAll(kernelLine)) {
    keep(match.index);
    from = match.index + match[0].length;
  }
  keep(text.length);
  return {
    text: pieces.join(''),
    offsetOf: (index) => {
      const start = starts.findLast(({ at }) => at <= index);
      return start === undefined ? 0 : start.from + index - start.at;
    },
  };
}
