import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { WaveSummary } from '../../../shared/model/wave.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { windowText } from '../../forms/waves/wave-words.ts';
import { text } from '../../text/text.ts';
import { WaveCalendar } from './wave-calendar.tsx';
import { WaveState } from './wave-state.tsx';

const words = text.waves;

/** Every wave with how far its members are. */
export function WavesScreen() {
  const query = useRunQuery('wave.list', {}, 'states');
  const [isNaming, setIsNaming] = useState(false);
  const hasWaves = (query.data?.length ?? 0) > 0;
  const create = (
    <Button variant="contained" onClick={() => setIsNaming(true)}>
      {words.newWave}
    </Button>
  );
  return (
    <Screen isWide title={words.title} lead={words.lead} {...(hasWaves ? { actions: create } : {})}>
      <QueryView query={query}>
        {(waves) =>
          waves.length === 0 ? (
            <EmptyState title={words.none} lead={words.noneLead}>
              {create}
            </EmptyState>
          ) : (
            <>
              <WaveTable waves={waves} />
              <WaveCalendar />
            </>
          )
        }
      </QueryView>
      {isNaming && <NewWave taken={query.data?.map(({ name }) => name) ?? []} onClose={() => setIsNaming(false)} />}
    </Screen>
  );
}

function WaveTable({ waves }: { readonly waves: readonly WaveSummary[] }) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = waves.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          type="search"
          size="small"
          label={words.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          sx={{ width: 320 }}
        />
        <Typography role="status" sx={{ color: 'text.secondary' }}>
          {words.shown(found.length, waves.length)}
        </Typography>
      </Box>
      <PagedTable
        label={words.title}
        columns={columns}
        rows={found}
        rowKey={({ name }) => name}
        sortedBy={{ column: 'name', descending: false }}
        onClearFilters={wanted === '' ? undefined : () => setSearch('')}
      />
    </>
  );
}

const columns: readonly Column<WaveSummary>[] = [
  {
    id: 'name',
    label: words.columns.wave,
    sortBy: ({ name }) => name,
    cell: ({ name }) => <Link href={hrefOf('waves', name)}>{name}</Link>,
  },
  {
    id: 'members',
    label: words.columns.members,
    align: 'right',
    sortBy: ({ members }) => members,
    cell: ({ members }) => members,
  },
  {
    id: 'synchronised',
    label: words.columns.synchronised,
    align: 'right',
    sortBy: ({ synchronised }) => synchronised,
    cell: ({ synchronised }) => synchronised,
  },
  {
    id: 'rehearsed',
    label: words.columns.rehearsed,
    align: 'right',
    isMinor: true,
    sortBy: ({ rehearsed }) => rehearsed,
    cell: ({ rehearsed }) => rehearsed,
  },
  { id: 'moved', label: words.columns.moved, align: 'right', sortBy: ({ moved }) => moved, cell: ({ moved }) => moved },
  {
    id: 'failed',
    label: words.columns.failed,
    align: 'right',
    sortBy: ({ failed }) => failed,
    cell: ({ failed }) => failed,
  },
  {
    id: 'window',
    label: words.columns.window,
    isMinor: true,
    sortBy: ({ plan }) => (plan?.window === undefined ? '~' : `${plan.window.date} ${plan.window.time}`),
    cell: ({ plan }) => windowText(plan),
  },
  {
    id: 'state',
    label: words.columns.state,
    sortBy: ({ run }) => run?.state ?? '',
    cell: ({ run }) => <WaveState run={run} />,
  },
];

function NewWave({ taken, onClose }: { readonly taken: readonly string[]; readonly onClose: () => void }) {
  const link = useLink();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isTaken = taken.includes(name);
  const isReady = name !== '' && !isTaken;
  const make = useAction(async () => {
    await link.call('wave.create', { wave: name });
    onClose();
    goTo('waves', name);
  });
  return (
    <ConfirmDialog title={words.newTitle} confirm={words.create} isReady={isReady} action={make} onClose={onClose}>
      <TextField
        size="small"
        required
        autoFocus
        label={words.name}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={isTaken}
        helperText={isTaken ? words.nameTaken : undefined}
        onKeyDown={(event) => event.key === 'Enter' && isReady && !make.isBusy && void make.run()}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        sx={{ mt: 1 }}
      />
    </ConfirmDialog>
  );
}
