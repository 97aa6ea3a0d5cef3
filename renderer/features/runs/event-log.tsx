import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Event } from '../../../shared/model/event.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/en.ts';
import { useEvents } from './use-events.ts';

/** More than this the document does not hold at once; what was filtered out and what is older can still be copied. */
const mostShown = 300;

/** What happened in a run, the newest first. */
export function EventLog({ executionId }: { readonly executionId: string }) {
  const query = useEvents(executionId);
  const [filter, setFilter] = useState('');
  return (
    <Paper component="section" variant="outlined" aria-label={text.runs.events} sx={{ p: 2.5 }}>
      <QueryView query={query}>
        {(events) => {
          const wanted = filter.trim().toLowerCase();
          const found = wanted === '' ? events : events.filter((event) => lineOf(event).toLowerCase().includes(wanted));
          return (
            <>
              <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', mb: 1.5, flexWrap: 'wrap' }}>
                <Typography variant="h6" component="h2" sx={{ flexGrow: 1 }}>
                  {text.runs.events}
                </Typography>
                <TextField type="search" size="small" label={text.runs.filter} value={filter} onChange={(event) => setFilter(event.target.value)} />
                <CopyButton label={text.runs.copyEvents} content={found.map(lineOf).join('\n')} />
              </Box>
              {found.length === 0 ? <Typography sx={{ color: 'text.secondary' }}>{text.runs.noEvents}</Typography> : <Lines events={found.slice(-mostShown).toReversed()} />}
            </>
          );
        }}
      </QueryView>
    </Paper>
  );
}

function Lines({ events }: { readonly events: readonly Event[] }) {
  return (
    <TableContainer tabIndex={0} role="region" aria-label={text.runs.events} sx={{ maxHeight: 360 }}>
      <Table size="small">
        <TableBody>
          {events.map((event) => (
            <TableRow key={event.id}>
              <TableCell sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums', verticalAlign: 'top', color: 'text.secondary' }}>
                {new Date(event.at).toLocaleTimeString()}
              </TableCell>
              <TableCell sx={{ overflowWrap: 'anywhere' }}>{event.message}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

function lineOf({ at, type, message }: Event): string {
  return `${at} ${type} ${message}`;
}
