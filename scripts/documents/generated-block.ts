/** The part of a Markdown page that a script writes, between two comments that name it. */
const begins = (name: string): string => `<!-- generated: ${name} (npm run docs) -->`;
const ends = (name: string): string => `<!-- end: ${name} -->`;

/**
 * The page with its generated part replaced.
 * @throws Error when the page does not have exactly one such part
 */
export function withBlock(page: string, name: string, content: string): string {
  const before = page.split(begins(name));
  const after = before[1]?.split(ends(name));
  if (before.length !== 2 || after?.length !== 2)
    throw new Error(`the page needs one part from "${begins(name)}" to "${ends(name)}"`);
  return `${before[0]}${begins(name)}\n${content.trim()}\n${ends(name)}${after[1]}`;
}

/** A Markdown table; `|` in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
