import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import type { RowProblem } from '../../../shared/inventory/row-cells.ts';
import { rowFaultText } from '../../../shared/inventory/row-faults.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { SeverityLabel } from '../../components/severity-label.tsx';
import { text } from '../../text/text.ts';

interface Row extends RowProblem {
  readonly key: string;
}

const columns: readonly Column<Row>[] = [
  {
    id: 'severity',
    label: text.inventory.severity,
    sortBy: ({ severity }) => severity,
    cell: ({ severity }) => <SeverityLabel severity={severity}>{text.inventory.severities[severity]}</SeverityLabel>,
  },
  { id: 'table', label: text.inventory.table, sortBy: ({ table }) => table, cell: ({ table }) => table },
  {
    id: 'row',
    label: text.inventory.row,
    align: 'right',
    sortBy: ({ row }) => row,
    cell: ({ row }) => (row === 0 ? '' : row),
  },
  {
    id: 'column',
    label: text.inventory.column,
    sortBy: ({ column }) => column ?? '',
    cell: ({ column }) => column ?? '',
  },
  {
    id: 'problem',
    label: text.inventory.problem,
    cell: ({ fault, message, advice }) =>
      [
        fault === undefined ? message : rowFaultText(fault, text.inventory.faults),
        ...(advice === undefined ? [] : [text.inventory.advices[advice]]),
      ].join('. '),
  },
];

/** Rows that could not be taken as they are, each with its place in the file. */
export function ProblemsTable({ problems }: { readonly problems: readonly RowProblem[] }) {
  const rows = useMemo(() => problems.map((problem, index): Row => ({ ...problem, key: String(index) })), [problems]);
  return (
    <Box>
      <Typography component="h3" sx={{ fontWeight: 600, mb: 1 }}>
        {text.inventory.problems}
      </Typography>
      <PagedTable label={text.inventory.problems} columns={columns} rows={rows} rowKey={({ key }) => key} />
    </Box>
  );
}
