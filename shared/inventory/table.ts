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
export function tableOf(name: string, raw: readonly { readonly number: number; readonly cells: readonly string[] }[]): Table | undefined {
  const filled = raw.map(({ number, cells }) => ({ number, cells: cells.map((cell) => cell.trim()) })).filter(({ cells }) => cells.some((cell) => cell !== ''));
  const [first, ...rows] = filled;
  if (first === undefined) return undefined;
  const width = first.cells.findLastIndex((cell) => cell !== '') + 1;
  return { name, header: first.cells.slice(0, width), rows };
}
