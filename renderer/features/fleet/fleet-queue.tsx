import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import type { FleetObstacle, FleetQueueEntry, FleetView } from '../../../shared/model/fleet.ts';
import { hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { durationText } from '../../components/quantities.ts';
import { Section } from '../../components/section.tsx';
import { StateLabel } from '../../components/state-label.tsx';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';

const words = text.fleet.queue;

interface Props {
  readonly view: FleetView;
  /** Of replicas and endpoints, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly onChanged: () => void;
}

interface Row extends FleetQueueEntry {
  readonly place: number;
}

/** What waits for a member, in the order in which it starts, and what keeps it. */
export function FleetQueue({ view, names, onChanged }: Props) {
  const link = useLink();
  const toast = useToast();
  const now = useNow(5000);
  const hurry = useAction(async ({ replicaId }: Row, isUrgent: boolean) => {
    const name = names.get(replicaId) ?? replicaId;
    await link.call('fleet.setUrgent', { replica: replicaId, isUrgent }).finally(onChanged);
    toast(isUrgent ? words.made(name) : words.unmade(name));
  });
  const { run, isBusy } = hurry;
  const rows = useMemo(() => view.queue.map((entry, index) => ({ ...entry, place: index + 1 })), [view.queue]);
  const columns = useMemo(() => columnsOf(names, now), [names, now]);
  const actions: readonly Column<Row>[] = view.mayChange
    ? [
        {
          id: 'actions',
          label: words.columns.actions,
          cell: (row) => {
            const name = names.get(row.replicaId) ?? row.replicaId;
            const label = row.isUrgent ? words.unmakeOf(name) : words.makeOf(name);
            return (
              <Button
                size="small"
                disabled={isBusy}
                aria-label={label}
                title={label}
                onClick={() => void run(row, !row.isUrgent)}
              >
                {row.isUrgent ? words.unmake : words.make}
              </Button>
            );
          },
        },
      ]
    : [];
  return (
    <Section title={words.title} {...(view.waiting.length === 0 ? {} : { note: words.note(view.waiting.length) })}>
      {hurry.error !== undefined && <ErrorNotice error={hurry.error} onClose={hurry.clear} />}
      {rows.length === 0 ? (
        <Typography>{words.none}</Typography>
      ) : (
        <>
          <Typography sx={{ color: 'text.secondary', mb: 1.5 }}>
            {words.order} {rows.length < view.waiting.length && words.shown(rows.length, view.waiting.length)}
          </Typography>
          <PagedTable
            label={words.title}
            columns={[...columns, ...actions]}
            rows={rows}
            rowKey={({ replicaId }) => replicaId}
          />
        </>
      )}
    </Section>
  );
}

function columnsOf(names: ReadonlyMap<string, string>, now: number): readonly Column<Row>[] {
  const nameOf = (id: string): string => names.get(id) ?? id;
  return [
    {
      id: 'place',
      label: words.columns.place,
      align: 'right',
      sortBy: ({ place }) => place,
      cell: ({ place }) => place,
    },
    {
      id: 'replica',
      label: words.columns.replica,
      sortBy: ({ replicaId }) => nameOf(replicaId),
      cell: ({ replicaId, isUrgent }) => (
        <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap', overflowWrap: 'anywhere' }}>
          <Link href={hrefOf('replicas', replicaId)}>{nameOf(replicaId)}</Link>
          {isUrgent && <StateLabel tone="changed">{words.urgent}</StateLabel>}
        </Box>
      ),
    },
    {
      id: 'wave',
      label: words.columns.wave,
      sortBy: ({ wave }) => wave,
      cell: ({ wave }) => (wave === '' ? words.noWave : <Link href={hrefOf('waves', wave)}>{wave}</Link>),
    },
    {
      id: 'since',
      label: words.columns.since,
      align: 'right',
      sortBy: ({ since }) => since,
      cell: ({ since }) => durationText((now - Date.parse(since)) / 1000),
    },
    {
      id: 'waitsFor',
      label: words.columns.waitsFor,
      sortBy: ({ waitsFor }) => waitsFor.kind,
      cell: ({ waitsFor }) => obstacleText(waitsFor, nameOf),
    },
  ];
}

function obstacleText(obstacle: FleetObstacle, nameOf: (id: string) => string): string {
  switch (obstacle.kind) {
    case 'reach':
      return words.waitsFor.reach(words.both(obstacle.endpoints.map(nameOf)));
    case 'limit':
      return words.waitsFor.limit(obstacle.limits.join(', '));
    default:
      return words.waitsFor[obstacle.kind];
  }
}
