/** Rows in columns of equal width, two blanks between them; a heading in capitals. Empty when there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  if (rows.length === 0) return '';
  const cells = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map((cell) => (cell === undefined ? '-' : String(cell))))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))));
  return cells
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell))).join('  ').trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

/** Names and values, one a line. */
export function pairs(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(values).filter((entry) => entry[1] !== undefined);
  const widest = Math.max(...given.map(([name]) => width(name)), 0);
  return given.map(([name, value]) => `${name}${' '.repeat(widest - width(name))}  ${String(value)}\n`).join('');
}

function width(text: string): number {
  return [...text].length;
}
