/**
 * How well a text fits what somebody types; undefined when a letter is missing. All letters must come in order; those at
 * the beginnings of words and next to each other count more, long texts less.
 */
export function fit(text: string, typed: string): number | undefined {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '');
  if (wanted === '') return 0;
  const lower = text.toLowerCase();
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = bestPlace(lower, letter, at + 1);
    if (next < 0) return undefined;
    score += next === at + 1 ? 3 : isWordStart(lower, next) ? 2 : 0;
    at = next;
  }
  return score - text.length / 1000;
}

/** The next place of a letter: right here, else at the beginning of a later word, else anywhere. */
function bestPlace(text: string, letter: string, from: number): number {
  if (text[from] === letter) return from;
  for (let at = from; at < text.length; at += 1) if (text[at] === letter && isWordStart(text, at)) return at;
  return text.indexOf(letter, from);
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /[\s\-_./:(]/.test(text[at - 1]!);
}
