/** A line of two texts: in both, or in one of them. */
export interface DifferenceLine {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** Lines in which a comparison of every pair is still quick. */
const mostLines = 3000;

/**
 * What of a text was removed and added to make another one: the fewest lines, removals before additions. Long texts are shown as replaced between
 * their common beginning and end.
 */
export function lineDifference(before: string, after: string): readonly DifferenceLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const same = (lines: readonly string[]): DifferenceLine[] => lines.map((line) => ({ sign: ' ', line }));
  return [
    ...same(old.slice(0, start)),
    ...changed(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(end === 0 ? [] : old.slice(-end)),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function changed(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  if (old.length > mostLines || now.length > mostLines)
    return [
      ...old.map((line): DifferenceLine => ({ sign: '-', line })),
      ...now.map((line): DifferenceLine => ({ sign: '+', line })),
    ];
  // Lengths of the longest common sequence of what follows.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: DifferenceLine[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', line: old[i]! });
      i++;
      j++;
    } else if (i < old.length && (j === now.length || common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push({ sign: '-', line: old[i++]! });
    else lines.push({ sign: '+', line: now[j++]! });
  }
  return lines;
}
