import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { StateLabel } from '../../components/state-label.tsx';
import { text } from '../../text/en.ts';
import { VaultNeeded } from '../home/vault-card.tsx';
import { RemoveOrphans } from './remove-orphans.tsx';

/** What exists where because of this project. */
export function LedgerScreen() {
  const link = useLink();
  const toast = useToast();
  const query = useQuery('ledger.list', {}, ['execution.event']);
  // What the platforms said, until something changes.
  const [asked, setAsked] = useState<readonly LedgerItem[]>();
  const [isRemoving, setIsRemoving] = useState(false);
  const ask = useAction(async () => {
    setAsked(await link.call('ledger.list', { check: true }));
    toast(text.ledger.asked);
  });
  const refresh = () => {
    setAsked(undefined);
    query.reload();
  };
  return (
    <Screen
      title={text.ledger.title}
      lead={text.ledger.lead}
      actions={
        <Button variant="outlined" disabled={ask.isBusy} onClick={() => void ask.run()} title={text.ledger.askHelp}>
          {text.ledger.ask}
        </Button>
      }
    >
      <VaultNeeded />
      {ask.error !== undefined && <ErrorNotice error={ask.error} onClose={ask.clear} />}
      <QueryView query={query}>{(items) => <Items items={asked ?? items} onRemove={() => setIsRemoving(true)} />}</QueryView>
      {isRemoving && <RemoveOrphans onClose={() => setIsRemoving(false)} onRemoved={refresh} />}
    </Screen>
  );
}

function Items({ items, onRemove }: { readonly items: readonly LedgerItem[]; readonly onRemove: () => void }) {
  const [show, setShow] = useState<'all' | 'orphans'>('all');
  const orphans = items.filter(({ orphan }) => orphan !== undefined);
  if (items.length === 0) return <EmptyState title={text.ledger.none} lead={text.ledger.noneLead} />;
  const shown = show === 'all' ? items : orphans;
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <ToggleButtonGroup size="small" exclusive value={show} aria-label={text.ledger.show} onChange={(_event, value: 'all' | 'orphans' | null) => setShow(value ?? 'all')}>
          <ToggleButton value="all">
            {text.ledger.all} ({items.length})
          </ToggleButton>
          <ToggleButton value="orphans">
            {text.ledger.orphans} ({orphans.length})
          </ToggleButton>
        </ToggleButtonGroup>
        {orphans.length === 0 ? (
          <Typography sx={{ color: 'text.secondary' }}>{text.ledger.noOrphans}</Typography>
        ) : (
          <Button color="error" variant="outlined" onClick={onRemove}>
            {text.ledger.remove}
          </Button>
        )}
      </Box>
      {shown.length > 0 && <PagedTable label={text.ledger.title} columns={columns} rows={shown} rowKey={({ entryId }) => entryId} sortedBy={{ column: 'since', descending: true }} />}
    </>
  );
}

const columns: readonly Column<LedgerItem>[] = [
  { id: 'kind', label: text.ledger.kind, sortBy: ({ kind }) => kind, cell: ({ kind }) => kind.replaceAll('-', ' ') },
  {
    id: 'name',
    label: text.ledger.name,
    sortBy: ({ name }) => name,
    cell: ({ name, resourceId }) => (
      <Box sx={{ overflowWrap: 'anywhere' }}>
        {name}
        {resourceId !== undefined && resourceId !== name && (
          <Typography variant="caption" component="div" sx={{ color: 'text.secondary', fontFamily: 'monospace' }}>
            {resourceId}
          </Typography>
        )}
      </Box>
    ),
  },
  { id: 'endpoint', label: text.ledger.endpoint, sortBy: (item) => item.endpointName ?? '', cell: ({ endpointName }) => endpointName ?? text.ledger.unknownEndpoint },
  { id: 'lifetime', label: text.ledger.lifetime, sortBy: ({ lifetime }) => lifetime, cell: ({ lifetime }) => text.ledger.lifetimes[lifetime] },
  {
    id: 'state',
    label: text.ledger.state,
    sortBy: ({ state, orphan }) => `${orphan ?? ''} ${state}`,
    cell: ({ state, orphan }) =>
      orphan === undefined ? (
        <StateLabel tone={state === 'existing' ? 'good' : 'waiting'}>{text.ledger.states[state]}</StateLabel>
      ) : (
        <StateLabel tone="paused">
          {text.ledger.orphan}: {text.ledger.reasons[orphan]}
        </StateLabel>
      ),
  },
  { id: 'since', label: text.ledger.since, sortBy: ({ createdAt }) => createdAt, cell: ({ createdAt }) => timeText(createdAt) },
];
