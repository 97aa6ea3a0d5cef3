/** The beginning of a text in at most `longest` characters: it ends between words, with "…" where something is left out. */
export function textStart(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 2);
  const blank = Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'));
  // A word that is longer than what fits is cut all the same.
  return `${(blank > longest / 2 ? cut.slice(0, blank) : cut).trimEnd()} …`;
}

/** The end of a text, such as a log's last words, in at most `longest` characters: it begins between words. */
export function textEnd(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(text.length - (longest - 2));
  const blank = cut.search(/\s/);
  return `… ${(blank >= 0 && blank < longest / 2 ? cut.slice(blank) : cut).trimStart()}`;
}
