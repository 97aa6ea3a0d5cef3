import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { text } from '../../text/en.ts';
import type { FindingRow } from './checked-file.ts';

const icons = {
  error: <ErrorIcon color="error" fontSize="small" />,
  warning: <WarningIcon color="warning" fontSize="small" />,
  info: <InfoIcon color="info" fontSize="small" />,
} as const;

/** Findings with their places; a severity is told by icon and word, never by colour alone. */
export function FindingsTable({ rows }: { readonly rows: readonly FindingRow[] }) {
  return (
    <TableContainer>
      <Table size="small" aria-label={text.validation.title}>
        <TableHead>
          <TableRow>
            <TableCell>{text.validation.severity}</TableCell>
            <TableCell>{text.validation.file}</TableCell>
            <TableCell>{text.validation.place}</TableCell>
            <TableCell>{text.validation.finding}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <TableRow key={row.id} hover>
              <TableCell>
                <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
                  {icons[row.severity]}
                  {text.validation[row.severity]}
                </Box>
              </TableCell>
              <TableCell>{row.location === undefined ? row.file : `${row.file}:${row.location.line}`}</TableCell>
              <TableCell sx={{ fontFamily: 'monospace', overflowWrap: 'anywhere' }}>{row.path === '' ? '/' : row.path}</TableCell>
              <TableCell>
                {row.message}
                {row.suggestion !== undefined && (
                  <Typography variant="body2" sx={{ color: 'text.secondary' }}>
                    {row.suggestion}
                  </Typography>
                )}
                <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                  {row.rule}
                </Typography>
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
