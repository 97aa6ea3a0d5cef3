import DetailIcon from '@mui/icons-material/NotesOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import type { Event } from '../../../shared/model/event.ts';
import type { Query } from '../../app/workbench-context.tsx';
import { fonts } from '../../app/theme.ts';
import { CopyButton } from '../copy-button.tsx';
import { QueryView } from '../query-view.tsx';
import { timeOfDayText } from '../quantities.ts';
import { text } from '../../text/text.ts';
import { eventLevels, isAtLeast, levelOf, type EventLevel } from './event-level.ts';
import { useDeploymentEvents, useExecutionEvents } from './use-events.ts';

/** More than this the document does not hold at once; what was filtered out and what is older can still be copied. */
const mostShown = 300;

const icons: Readonly<Record<EventLevel, ReactNode>> = {
  error: <ErrorIcon fontSize="inherit" color="error" />,
  warning: <WarningIcon fontSize="inherit" color="warning" />,
  info: <InfoIcon fontSize="inherit" color="info" />,
  detail: <DetailIcon fontSize="inherit" color="disabled" />,
};

export function ExecutionEvents({ executionId }: { readonly executionId: string }) {
  return <EventLog title={text.runs.events} query={useExecutionEvents(executionId)} />;
}

export function DeploymentEvents({ deploymentId, title }: { readonly deploymentId: string; readonly title: string }) {
  return <EventLog title={title} query={useDeploymentEvents(deploymentId)} />;
}

/** What happened in a run, the newest first. */
function EventLog({ title, query }: { readonly title: string; readonly query: Query<Event[]> }) {
  const [filter, setFilter] = useState('');
  const [least, setLeast] = useState<EventLevel>('detail');
  return (
    <Paper component="section" variant="outlined" aria-label={title} sx={{ p: 2.5 }}>
      <QueryView query={query}>
        {(events) => {
          const wanted = filter.trim().toLowerCase();
          const found = events.filter(
            (event) =>
              isAtLeast(levelOf(event), least) && (wanted === '' || lineOf(event).toLowerCase().includes(wanted)),
          );
          return (
            <>
              <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', mb: 1.5, flexWrap: 'wrap' }}>
                <Typography variant="h6" component="h2">
                  {title}
                </Typography>
                <Typography variant="body2" role="status" sx={{ color: 'text.secondary', flexGrow: 1 }}>
                  {text.runs.eventsShown(Math.min(found.length, mostShown), events.length)}
                </Typography>
                <TextField
                  select
                  size="small"
                  label={text.runs.level}
                  value={least}
                  onChange={(event) => setLeast(event.target.value as EventLevel)}
                  sx={{ width: 200 }}
                >
                  {eventLevels.toReversed().map((level) => (
                    <MenuItem key={level} value={level}>
                      {text.runs.levelsFrom[level]}
                    </MenuItem>
                  ))}
                </TextField>
                <TextField
                  type="search"
                  size="small"
                  label={text.runs.filter}
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                />
                <CopyButton label={text.runs.copyEvents} content={found.map(lineOf).join('\n')} />
              </Box>
              {found.length === 0 ? (
                <Typography sx={{ color: 'text.secondary' }}>{text.runs.noEvents}</Typography>
              ) : (
                <Lines label={title} events={found.slice(-mostShown).toReversed()} />
              )}
            </>
          );
        }}
      </QueryView>
    </Paper>
  );
}

function Lines({ label, events }: { readonly label: string; readonly events: readonly Event[] }) {
  return (
    <TableContainer tabIndex={0} role="region" aria-label={text.runs.linesOf(label)} sx={{ maxHeight: 360 }}>
      <Table size="small" sx={{ '& td': { py: 0.5, verticalAlign: 'top' } }}>
        <TableBody>
          {events.map((event) => {
            const level = levelOf(event);
            return (
              <TableRow key={event.id}>
                <TableCell
                  sx={{
                    width: '1px',
                    whiteSpace: 'nowrap',
                    fontVariantNumeric: 'tabular-nums',
                    color: 'text.secondary',
                  }}
                >
                  {timeOfDayText(event.at)}
                </TableCell>
                <TableCell
                  sx={{
                    width: '1px',
                    whiteSpace: 'nowrap',
                    color: level === 'detail' ? 'text.secondary' : 'text.primary',
                    fontWeight: level === 'error' ? 600 : 400,
                  }}
                >
                  <Box component="span" sx={{ display: 'inline-flex', gap: 0.75, alignItems: 'center' }}>
                    {icons[level]}
                    {text.runs.levels[level]}
                  </Box>
                </TableCell>
                <TableCell
                  sx={{
                    overflowWrap: 'anywhere',
                    whiteSpace: 'pre-wrap',
                    ...(level === 'detail' || event.type === 'guest.console'
                      ? { fontFamily: fonts.code, fontSize: 12 }
                      : {}),
                  }}
                >
                  {event.message}
                </TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

function lineOf(event: Event): string {
  return `${event.at} ${levelOf(event)} ${event.type} ${event.message}`;
}
