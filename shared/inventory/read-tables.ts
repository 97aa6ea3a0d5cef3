import Papa from 'papaparse';
import readSpreadsheet from 'read-excel-file/universal';
import { CausewayError } from '../model/causeway-error.ts';
import { filledRow, tableOf, tableOfFilled, type Table, type TableRow } from './table.ts';
import { checkWorkbook, tableBounds, tooMany, type TableBounds } from './workbook-bounds.ts';

/** Far above an export of ten thousand machines; what is larger is no list of machines. */
export const mostFileBytes = 64 * 1024 * 1024;

/** Interrupts long work now and then, for whoever must stay usable meanwhile. */
export interface Breaks {
  readonly isDue: () => boolean;
  readonly take: () => Promise<void>;
}

/**
 * Reads a CSV file (comma, semicolon or tab; UTF-8, UTF-16 or Windows-1252) or an Excel workbook, whose every sheet is
 * a table. Which of the two it is, its content says.
 * @param breaks while a CSV file is read; a workbook is read at one go
 * @throws CausewayError `inventory.unreadable` with what is wrong with the file
 */
export async function readTables(
  fileName: string,
  bytes: Uint8Array,
  bounds: TableBounds = tableBounds,
  breaks?: Breaks,
): Promise<Table[]> {
  if (/\.(xls|ods|js|ts|json|ya?ml|xml|html?|zip|pdf|docx?|exe|sh|py)$/i.test(fileName)) {
    throw unreadable(fileName, 'only .xlsx, .csv, .tsv and .txt files can be imported');
  }
  if (bytes.length > mostFileBytes)
    throw unreadable(
      fileName,
      `it has ${Math.ceil(bytes.length / 2 ** 20)} MiB, and the limit is ${mostFileBytes / 2 ** 20} MiB`,
    );
  const tables = isWorkbook(bytes)
    ? await sheetsOf(fileName, bytes, bounds)
    : [await csvTable(fileName, bytes, bounds, breaks)];
  const found = tables.filter((table) => table !== undefined);
  if (found.length === 0) throw unreadable(fileName, 'it has no rows');
  return found;
}

/** A workbook is a ZIP archive. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

async function sheetsOf(fileName: string, bytes: Uint8Array, bounds: TableBounds): Promise<(Table | undefined)[]> {
  try {
    await checkWorkbook(bytes, bounds);
  } catch (cause) {
    throw unreadable(fileName, cause instanceof Error ? cause.message : String(cause), cause);
  }
  try {
    const sheets = await readSpreadsheet(new Uint8Array(bytes).buffer);
    return sheets.map(({ sheet, data }) =>
      tableOf(
        sheet,
        data.map((cells, index) => ({ number: index + 1, cells: cells.map(cellText) })),
      ),
    );
  } catch (cause) {
    throw unreadable(
      fileName,
      `it is not an Excel workbook: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell as string | number | boolean);
}

async function csvTable(
  fileName: string,
  bytes: Uint8Array,
  bounds: TableBounds,
  breaks: Breaks | undefined,
): Promise<Table | undefined> {
  const text = decoded(bytes);
  if (text.includes('\0')) throw unreadable(fileName, 'it is neither text nor an Excel workbook');
  return tableOfFilled(fileName.replace(/\.[^.]*$/, ''), await csvRows(fileName, text, bounds, breaks));
}

/** Row by row, so that a file of nothing but separators ends at the bound and not with the memory. */
async function csvRows(
  fileName: string,
  text: string,
  bounds: TableBounds,
  breaks: Breaks | undefined,
): Promise<readonly TableRow[]> {
  const rows: TableRow[] = [];
  let read = 0;
  let cells = 0;
  let refusal: string | undefined;
  await new Promise<unknown>((resolve, reject) => {
    Papa.parse<string[]>(text, {
      delimiter: delimiterOf(text),
      // The fast mode splits all that is left into rows after each break.
      fastMode: false,
      step({ data, errors }, parser) {
        const quote = errors.find(({ type }) => type === 'Quotes');
        cells += data.length;
        if (quote !== undefined) refusal = `row ${read + 1}: ${quote.message}`;
        else if (cells > bounds.cells) refusal = tooMany('cells', bounds.cells).message;
        else if (read >= bounds.rows) refusal = tooMany('rows', bounds.rows).message;
        if (refusal !== undefined) return parser.abort();
        read += 1;
        const row = filledRow(read, data);
        if (row !== undefined) rows.push(row);
        if (breaks?.isDue() !== true) return;
        parser.pause();
        breaks
          .take()
          .then(() => parser.resume())
          .catch(reject);
      },
      complete: resolve,
    });
  });
  if (refusal !== undefined) throw unreadable(fileName, refusal);
  return rows;
}

/**
 * The delimiter of a CSV text: the candidate that is most frequent outside quotes in its first row, which holds the
 * column headings. Guessing from later rows takes a quoted delimiter within a value for a real one.
 */
function delimiterOf(text: string): string {
  const candidates = [',', ';', '\t', '|'];
  const counts = new Map(candidates.map((candidate) => [candidate, 0]));
  let isQuoted = false;
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (char === '\n' || char === '\r')) break;
    else if (!isQuoted && counts.has(char)) counts.set(char, counts.get(char)! + 1);
  }
  return candidates.reduce((best, candidate) => (counts.get(candidate)! > counts.get(best)! ? candidate : best));
}

/** Spreadsheet programs still write the code page of Windows; bytes that are no UTF-8 are taken for it. */
function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function unreadable(fileName: string, reason: string, cause?: unknown): CausewayError {
  return new CausewayError('inventory.unreadable', `${fileName}: ${reason}`, { cause });
}
