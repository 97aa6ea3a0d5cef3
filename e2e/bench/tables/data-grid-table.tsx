import { DataGrid, type GridColDef, type GridRenderCellParams, type GridValidRowModel } from '@mui/x-data-grid';
import { useMemo } from 'react';
import type { Column, PagedTable } from '../../../renderer/components/paged-table.tsx';

type Props<T> = Parameters<typeof PagedTable<T>>[0];

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
const collator = new Intl.Collator(undefined, { numeric: true });

/** What PagedTable does, by the grid of the same makers as our components: same columns, same order, as many rows a page. */
export function DataGridTable<T extends GridValidRowModel>({ label, columns, rows, rowKey, sortedBy }: Props<T>) {
  const defined = useMemo(() => columns.map(columnOf), [columns]);
  return (
    <DataGrid
      aria-label={label}
      rows={rows}
      columns={defined}
      getRowId={rowKey}
      rowHeight={45}
      disableColumnFilter
      disableRowSelectionOnClick
      pageSizeOptions={[25, 50, 100]}
      initialState={{
        pagination: { paginationModel: { pageSize: 50 } },
        sorting: {
          sortModel:
            sortedBy === undefined ? [] : [{ field: sortedBy.column, sort: sortedBy.descending ? 'desc' : 'asc' }],
        },
      }}
      nonce={nonce}
      // It has its own scroll bar inside the page's, because only then it draws no more rows than are in sight.
      sx={{ height: 600 }}
    />
  );
}

function columnOf<T extends GridValidRowModel>({ id, label, align = 'left', cell, sortBy }: Column<T>): GridColDef<T> {
  return {
    field: id,
    headerName: label,
    align,
    headerAlign: align,
    flex: 1,
    minWidth: 90,
    sortable: sortBy !== undefined,
    renderCell: ({ row }: GridRenderCellParams<T>) => cell(row),
    ...(sortBy === undefined
      ? {}
      : {
          valueGetter: (_value: never, row: T) => sortBy(row),
          sortComparator: (one: string | number, other: string | number) =>
            typeof one === 'number' && typeof other === 'number'
              ? one - other
              : collator.compare(String(one), String(other)),
        }),
  };
}
