import { textEnd, textStart } from '../../../../shared/model/cut-text.ts';
import { withoutEscapes } from '../console-text.ts';

const longest = 300;
/** Of a script's output, and of any evidence. */
export const longestEvidence = 1000;
const mostLines = 10;

/** A piece of what a guest or a server answered, as one short line without control characters or text that changes its direction. */
export function cleanAnswer(text: string, limit = longest): string {
  return textStart(oneLine(text.slice(0, 20 * limit)), limit);
}

/** The last lines of an output, in one line in the same way. */
export function cleanAnswerEnd(text: string): string {
  const lines = withoutEscapes(text.slice(-20 * longestEvidence))
    .split('\n')
    .map(oneLine)
    .filter((line) => line !== '');
  return textEnd(lines.slice(-mostLines).join(' | '), longestEvidence - 200);
}

function oneLine(text: string): string {
  const plain = withoutEscapes(text).toWellFormed();
  return plain
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
