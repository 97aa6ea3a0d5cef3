import Papa from 'papaparse';
import readSpreadsheet from 'read-excel-file/universal';
import { CausewayError } from '../model/causeway-error.ts';
import { tableOf, type Table } from './table.ts';

/** Far above an export of ten thousand machines; what is larger is no list of machines. */
export const mostFileBytes = 64 * 1024 * 1024;

/**
 * Reads a CSV file (comma, semicolon or tab; UTF-8, UTF-16 or Windows-1252) or an Excel workbook, whose every sheet is
 * a table. Which of the two it is, its content says.
 * @throws CausewayError `inventory.unreadable` with what is wrong with the file
 */
export async function readTables(fileName: string, bytes: Uint8Array): Promise<Table[]> {
  if (bytes.length > mostFileBytes) throw unreadable(fileName, `${bytes.length} bytes are more than ${mostFileBytes}`);
  const tables = isWorkbook(bytes) ? await sheetsOf(fileName, bytes) : [csvTable(fileName, bytes)];
  const found = tables.filter((table) => table !== undefined);
  if (found.length === 0) throw unreadable(fileName, 'there is no row in it');
  return found;
}

/** A workbook is a ZIP archive. */
function isWorkbook(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

async function sheetsOf(fileName: string, bytes: Uint8Array): Promise<(Table | undefined)[]> {
  try {
    const sheets = await readSpreadsheet(new Uint8Array(bytes).buffer);
    return sheets.map(({ sheet, data }) => tableOf(sheet, data.map((cells, index) => ({ number: index + 1, cells: cells.map(cellText) }))));
  } catch (cause) {
    throw unreadable(fileName, `it is no Excel workbook: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell as string | number | boolean);
}

function csvTable(fileName: string, bytes: Uint8Array): Table | undefined {
  const text = decoded(bytes);
  if (text.includes('\0')) throw unreadable(fileName, 'it is neither text nor an Excel workbook');
  const { data, errors } = Papa.parse<string[]>(text, { delimitersToGuess: [',', ';', '\t', '|'] });
  const quote = errors.find(({ type }) => type === 'Quotes');
  if (quote !== undefined) throw unreadable(fileName, `row ${(quote.row ?? 0) + 1}: ${quote.message}`);
  return tableOf(fileName.replace(/\.[^.]*$/, ''), data.map((cells, index) => ({ number: index + 1, cells })));
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
