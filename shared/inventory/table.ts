/** A table as it was read from a file, every cell as trimmed text. */
export interface Table {
  /** Name of the sheet, or of the file without its ending. */
  readonly name: string;
  readonly header: readonly string[];
  /** Cells by the position of their column; a short row has no cells at its end. */
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  /** Number of the row in the file as people count it: the header is usually row 1. */
  readonly number: number;
  readonly cells: readonly string[];
}

/**
 * Makes a table of raw rows: the first one that is not empty is its header. Rows without any text are left out, and so
 * are columns without a name at the right.
 */
export function tableOf(name: string, raw: readonly TableRow[]): Table | undefined {
  return tableOfFilled(
    name,
    raw.flatMap(({ number, cells }) => filledRow(number, cells) ?? []),
  );
}

/** A row with its cells trimmed; undefined for one without any text. */
export function filledRow(number: number, cells: readonly string[]): TableRow | undefined {
  const trimmed = cells.map((cell) => cell.trim());
  return trimmed.some((cell) => cell !== '') ? { number, cells: trimmed } : undefined;
}

/** The same as `tableOf`, of rows that are trimmed and have text. */
export function tableOfFilled(name: string, [first, ...rows]: readonly TableRow[]): Table | undefined {
  if (first === undefined) return undefined;
  const width = first.cells.findLastIndex((cell) => cell !== '') + 1;
  return { name, header: first.cells.slice(0, width), rows };
}
