import { textStart } from '../../../../shared/model/cut-text.ts';
import { withoutEscapes } from '../console-text.ts';

const longest = 300;

/** A piece of what a guest or a server answered, as one short line without control characters or text that changes its direction. */
export function cleanAnswer(text: string): string {
  const plain = withoutEscapes(text.slice(0, 20 * longest)).toWellFormed();
  const line = plain.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]+/gu, ' ').replaceAll(/\s+/gu, ' ').trim();
  return textStart(line, longest);
}
