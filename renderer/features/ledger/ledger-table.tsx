import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { fonts } from '../../app/theme.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { durationText, minuteText } from '../../components/quantities.ts';
import { StateLabel } from '../../components/state-label.tsx';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';
import { kindText } from '../../components/resource-list.tsx';
import type { Owners } from './use-owners.ts';

const words = text.ledger;
type Shown = 'all' | 'orphans' | 'removed';

interface Props {
  readonly items: readonly LedgerItem[];
  readonly owners: Owners;
  readonly onRemove: () => void;
}

/** What exists, what of it should not, and what once did; in one cloud or in all. */
export function LedgerTable({ items, owners, onRemove }: Props) {
  const [show, setShow] = useState<Shown>('all');
  const [endpoint, setEndpoint] = useState('');
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const now = useNow(30_000);
  const columns = useMemo(() => columnsAt(now, owners), [now, owners]);
  const lists = useMemo(
    (): Readonly<Record<Shown, readonly LedgerItem[]>> => ({
      all: items.filter(({ state }) => state !== 'removed'),
      orphans: items.filter(({ orphan }) => orphan !== undefined),
      removed: items.filter(({ state }) => state === 'removed'),
    }),
    [items],
  );
  const endpoints = [...new Map(items.map((item) => [item.endpointId, item.endpointName ?? words.unknownEndpoint]))];
  const found = useMemo(
    () =>
      lists[show].filter(
        (item) =>
          (endpoint === '' || item.endpointId === endpoint) &&
          `${kindText(item.kind)} ${item.name} ${item.resourceId ?? ''} ${owners(item).words}`
            .toLowerCase()
            .includes(wanted),
      ),
    [lists, show, endpoint, owners, wanted],
  );
  const isSearched = wanted !== '' || endpoint !== '';
  const clear = useCallback(() => {
    setSearch('');
    setEndpoint('');
  }, []);
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <ToggleButtonGroup
          size="small"
          exclusive
          value={show}
          aria-label={words.show}
          onChange={(_event, value: Shown | null) => setShow(value ?? show)}
        >
          {(['all', 'orphans', 'removed'] as const).map((each) => (
            <ToggleButton key={each} value={each}>
              {words[each]} ({lists[each].length})
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <TextField
          type="search"
          size="small"
          label={words.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <TextField
          select
          size="small"
          label={words.endpoint}
          value={endpoint}
          onChange={(event) => setEndpoint(event.target.value)}
          slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
          sx={{ width: 240 }}
        >
          <MenuItem value="">{words.everywhere}</MenuItem>
          {endpoints.map(([id, name]) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
        <Box sx={{ flexGrow: 1 }} />
        {lists.orphans.length === 0 ? (
          <Typography sx={{ color: 'text.secondary' }}>
            {lists.all.length === 0 ? words.none : words.noOrphans}
          </Typography>
        ) : (
          <Button color="error" variant="outlined" onClick={onRemove}>
            {words.remove}
          </Button>
        )}
      </Box>
      {(found.length > 0 || isSearched) && (
        <Rows columns={columns} rows={found} onClearFilters={isSearched ? clear : undefined} />
      )}
    </>
  );
}

/** Drawn anew when its rows change, not at every key in the search field. */
const Rows = memo(function Rows({
  columns,
  rows,
  onClearFilters,
}: {
  readonly columns: readonly Column<LedgerItem>[];
  readonly rows: readonly LedgerItem[];
  readonly onClearFilters: (() => void) | undefined;
}) {
  return (
    <PagedTable
      label={words.title}
      columns={columns}
      rows={rows}
      onClearFilters={onClearFilters}
      rowKey={({ entryId }) => entryId}
      sortedBy={{ column: 'since', descending: true }}
    />
  );
});

function columnsAt(now: number, owners: Owners): readonly Column<LedgerItem>[] {
  return [
    {
      id: 'kind',
      label: words.kind,
      sortBy: ({ kind }) => kind,
      cell: ({ kind }) => <Box sx={{ '&::first-letter': { textTransform: 'uppercase' } }}>{kindText(kind)}</Box>,
    },
    {
      id: 'name',
      label: words.name,
      sortBy: ({ name }) => name,
      cell: ({ name, resourceId }) => (
        <Box sx={{ overflowWrap: 'anywhere' }}>
          {name}
          {resourceId !== undefined && resourceId !== name && (
            <Typography
              variant="caption"
              component="div"
              sx={{
                color: 'text.secondary',
                fontFamily: fonts.code,
                fontSize: 11.5,
                overflowWrap: 'anywhere',
                minWidth: 256,
              }}
            >
              {resourceId}
            </Typography>
          )}
        </Box>
      ),
    },
    {
      id: 'endpoint',
      label: words.endpoint,
      sortBy: (item) => item.endpointName ?? '',
      cell: ({ endpointName }) => endpointName ?? words.unknownEndpoint,
    },
    {
      id: 'lifetime',
      label: words.lifetime,
      sortBy: (item) => owners(item).words,
      cell: (item) => {
        const owner = owners(item);
        return owner.href === undefined ? owner.words : <Link href={owner.href}>{owner.words}</Link>;
      },
    },
    {
      id: 'state',
      label: words.state,
      sortBy: ({ state, orphan }) => `${orphan ?? ''} ${state}`,
      cell: ({ state, orphan, madeBy }) =>
        madeBy !== undefined ? (
          <StateLabel tone="waiting">{words.madeElsewhere(madeBy)}</StateLabel>
        ) : orphan === undefined ? (
          <StateLabel tone={state === 'existing' ? 'good' : state === 'removed' ? 'ended' : 'waiting'}>
            {words.states[state]}
          </StateLabel>
        ) : (
          <StateLabel tone="paused">
            {words.orphan}: {words.reasons[orphan]}
          </StateLabel>
        ),
    },
    {
      id: 'since',
      label: words.since,
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt, state }) => (
        <>
          {createdAt !== '' && (
            <Box component="span" sx={{ whiteSpace: 'nowrap' }}>
              {minuteText(createdAt)}
            </Box>
          )}
          {state !== 'removed' && createdAt !== '' && (
            <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
              {words.age(durationText((now - Date.parse(createdAt)) / 1000))}
            </Typography>
          )}
        </>
      ),
    },
  ];
}
