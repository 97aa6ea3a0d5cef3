import { gapMark, nothingRead, readConsole, type ConsoleReading } from './console-signs.ts';

const longestHistory = 1 << 20;
const shortestOverlap = 40;
const gap = `\n${gapMark}\n`;

/** Everything a console has shown, put together from its buffers, each of which may be cut, cleared or restarted. */
export interface ConsoleHistory {
  readonly text: string;
  /** What was read in text that is no longer kept. */
  readonly before: ConsoleReading;
}

export const emptyHistory: ConsoleHistory = { text: '', before: nothingRead };

/** Adds the buffer's present content. What was shown before stays, even if the buffer doesn't have it any more. */
export function withBuffer(history: ConsoleHistory, buffer: string): ConsoleHistory {
  // Half a character at a cut end becomes replacement characters, which the next buffer doesn't have.
  const next = buffer.replace(/^\ufffd+/, '').replace(/\ufffd+$/, '');
  if (next.trim() === '') return history;
  const joined = join(history.text, next);
  if (joined.length <= longestHistory) return { ...history, text: joined };
  const cut = joined.indexOf('\n', joined.length - longestHistory / 2) + 1;
  return { text: joined.slice(cut), before: readConsole(joined.slice(0, cut), history.before) };
}

export function readHistory({ text, before }: ConsoleHistory): ConsoleReading {
  return readConsole(text, before);
}

/**
 * A buffer holds the end of what was written, so that its beginning is somewhere in the known text. Where the common part is
 * short, the same lines may have been written twice: text may be missing between them.
 */
function join(known: string, next: string): string {
  if (known === '' || next.startsWith(known)) return next;
  if (known.endsWith(next)) return known;
  const solid = known.endsWith(gap) ? known.slice(0, -gap.length) : known;
  if (solid.includes(next)) return solid + gap;
  const overlap = overlapOf(solid, next);
  const isSure = overlap >= shortestOverlap && overlap * 2 >= Math.min(solid.length, next.length);
  return isSure ? solid + next.slice(overlap) : `${solid}${gap}${next.slice(overlap >= shortestOverlap ? overlap : 0)}`;
}

/** Length of the longest end of `known` that `next` begins with. */
function overlapOf(known: string, next: string): number {
  const tail = known.slice(-next.length);
  const borders = new Int32Array(next.length);
  for (let index = 1, border = 0; index < next.length; index += 1) {
    while (border > 0 && next[index] !== next[border]) border = borders[border - 1] ?? 0;
    if (next[index] === next[border]) border += 1;
    borders[index] = border;
  }
  let matched = 0;
  for (let index = 0; index < tail.length; index += 1) {
    const letter = tail[index];
    while (matched > 0 && (matched === next.length || letter !== next[matched])) matched = borders[matched - 1] ?? 0;
    if (letter === next[matched]) matched += 1;
  }
  return matched;
}
