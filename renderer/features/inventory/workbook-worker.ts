import { toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { readTables } from '../../../shared/inventory/read-tables.ts';
import type { Table } from '../../../shared/inventory/table.ts';

/** A part of what a workbook holds: a sheet without its rows, rows of the last sheet, or the end. */
export type WorkbookPart =
  | { readonly kind: 'table'; readonly name: string; readonly header: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: Table['rows'] }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: ErrorRecord };

/** The page takes each message apart in one task: this many rows take it some milliseconds. */
const rowsAtATime = 2_000;

const say = (part: WorkbookPart): void => self.postMessage(part);

self.addEventListener(
  'message',
  ({ data: { name, bytes } }: MessageEvent<{ readonly name: string; readonly bytes: Uint8Array }>) => {
    readTables(name, bytes).then(
      (tables) => {
        for (const { name: sheet, header, rows } of tables) {
          say({ kind: 'table', name: sheet, header });
          for (let at = 0; at < rows.length; at += rowsAtATime)
            say({ kind: 'rows', rows: rows.slice(at, at + rowsAtATime) });
        }
        say({ kind: 'end' });
      },
      (thrown: unknown) => say({ kind: 'failed', error: toErrorRecord(thrown) }),
    );
  },
);
