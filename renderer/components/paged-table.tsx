import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TablePagination from '@mui/material/TablePagination';
import TableRow, { type TableRowProps } from '@mui/material/TableRow';
import TableSortLabel from '@mui/material/TableSortLabel';
import { useCallback, useDeferredValue, useState, type ReactNode } from 'react';
import { locale, text } from '../text/text.ts';
import { EmptyState } from './empty-state.tsx';
import { framedTable } from './section.tsx';
import { sortSteps, useInSlices } from './slices.ts';

export interface Column<T> {
  readonly id: string;
  readonly label: string;
  readonly align?: 'left' | 'right';
  /** Left out where there is little room. */
  readonly isMinor?: boolean;
  readonly cell: (row: T) => ReactNode;
  /** What rows are sorted by; without it the column can't be sorted. */
  readonly sortBy?: (row: T) => string | number;
}

interface Props<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly sortedBy?: { readonly column: string; readonly descending: boolean };
  /** What makes rows draggable. */
  readonly rowDrag?: (row: T) => Pick<TableRowProps, 'draggable' | 'onDragStart' | 'onDragEnd'>;
  /** Takes away what the rows are searched and filtered by; offered where nothing is left of them. Undefined: all rows are there. */
  readonly onClearFilters?: (() => void) | undefined;
}

const pageSizes = [25, 50, 100];
/** Rows that are drawn at once; more follow when these are shown. */
const firstRows = 20;
const minor = { display: { xs: 'none', md: 'table-cell' } } as const;

/** A table for thousands of rows: sorted in memory, in slices where there are very many, one page of them in the document. */
export function PagedTable<T>({ label, columns, rows, rowKey, sortedBy, rowDrag, onClearFilters }: Props<T>) {
  const [order, setOrder] = useState(sortedBy);
  const [chosenPage, setPage] = useState(0);
  const [pageSize, setPageSize] = useState(50);
  const drawn = useDeferredValue(pageSize, firstRows);
  const sortBy = columns.find(({ id }) => id === order?.column)?.sortBy;
  const isDescending = order?.descending === true;
  const sort = useCallback(() => sorting(rows, sortBy, isDescending), [rows, sortBy, isDescending]);
  const { value: sorted = rows, isCurrent } = useInSlices(sort, rows.length);
  const page = Math.min(chosenPage, Math.max(0, Math.ceil(rows.length / pageSize) - 1));
  if (rows.length === 0 && onClearFilters !== undefined) {
    return (
      <EmptyState title={text.widgets.noMatch}>
        <Button sx={{ mt: 1 }} onClick={onClearFilters}>
          {text.widgets.clearFilters}
        </Button>
      </EmptyState>
    );
  }
  const toggle = (column: string) => setOrder({ column, descending: order?.column === column && !order.descending });
  return (
    <Paper variant="outlined" className={framedTable}>
      <TableContainer>
        <Table
          size="small"
          aria-label={label}
          aria-busy={!isCurrent}
          sx={{ '& th, & td': { px: 1.5 }, '& tbody tr:last-child td': { border: 0 } }}
        >
          <TableHead>
            <TableRow>
              {columns.map(({ id, label: name, align = 'left', isMinor = false, sortBy }) => (
                <TableCell
                  key={id}
                  align={align}
                  sortDirection={order?.column === id ? (order.descending ? 'desc' : 'asc') : false}
                  sx={isMinor ? minor : undefined}
                >
                  {sortBy === undefined ? (
                    name
                  ) : (
                    <TableSortLabel
                      active={order?.column === id}
                      direction={order?.column === id && order.descending ? 'desc' : 'asc'}
                      onClick={() => toggle(id)}
                    >
                      {name}
                    </TableSortLabel>
                  )}
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {sorted.slice(page * pageSize, page * pageSize + Math.min(drawn, pageSize)).map((row) => (
              <TableRow key={rowKey(row)} hover {...rowDrag?.(row)}>
                {columns.map(({ id, align = 'left', isMinor = false, cell }) => (
                  <TableCell
                    key={id}
                    align={align}
                    sx={{
                      ...(align === 'right' ? { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } : {}),
                      ...(isMinor ? minor : {}),
                    }}
                  >
                    {cell(row)}
                  </TableCell>
                ))}
              </TableRow>
            ))}
            {rows.length === 0 && (
              <TableRow>
                <TableCell colSpan={columns.length} sx={{ color: 'text.secondary' }}>
                  {text.widgets.noRows}
                </TableCell>
              </TableRow>
            )}
          </TableBody>
        </Table>
      </TableContainer>
      {rows.length > pageSizes[0]! && (
        <TablePagination
          component="div"
          count={rows.length}
          page={page}
          rowsPerPage={pageSize}
          rowsPerPageOptions={pageSizes}
          onPageChange={(_event, next) => setPage(next)}
          onRowsPerPageChange={(event) => {
            setPageSize(Number(event.target.value));
            setPage(0);
          }}
        />
      )}
    </Paper>
  );
}

const collator = new Intl.Collator(locale, { numeric: true });

function* sorting<T>(
  rows: readonly T[],
  by: ((row: T) => string | number) | undefined,
  descending: boolean,
): Generator<undefined, readonly T[]> {
  if (by === undefined) return rows;
  const sign = descending ? -1 : 1;
  return yield* sortSteps(rows, (one, other) => {
    const [left, right] = [by(one), by(other)];
    return (
      sign *
      (typeof left === 'number' && typeof right === 'number'
        ? left - right
        : collator.compare(String(left), String(right)))
    );
  });
}
