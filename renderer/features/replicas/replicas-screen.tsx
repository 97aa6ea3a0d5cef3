import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { Deployment } from '../../../shared/model/deployment.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { findingLines } from '../../components/finding-lines.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { durationText, minuteText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { RunLine } from '../../components/executions/run-line.tsx';
import { ChoiceContext, ChooseBox } from './choose-box.tsx';
import { ChosenReplicas, type ChosenReplica } from './chosen-replicas.tsx';
import { LifeLabel } from '../../components/replicas/life-label.tsx';
import { NextStep } from './next-step.tsx';
import {
  isActive,
  isIdle,
  latestOf,
  replicaStatus,
  type ReplicaStatusKind,
  type ReplicaStatus,
} from '../../components/replicas/replica-status.ts';

interface Row extends ChosenReplica {
  readonly way: string;
  readonly found: Readiness | undefined;
}

type Readiness = WorkbenchOutput<'replica.readiness'>[number];

type StateFilter = ReplicaStatusKind | 'all' | 'with-errors';

/** No name of a wave, which are trimmed. */
const everyWave = ' ';

/** Every replica with where it stands and the next step. */
export function ReplicasScreen() {
  const query = useRunQuery('replica.list', {}, 'states');
  const executions = useRunQuery('execution.list', { latest: true }, 'states').data;
  const deployments = useRunQuery('deployment.list', { latest: true }, 'states').data;
  // Drawn when what is known without it is shown.
  const endpoints = useDeferredValue(useQuery('endpoint.list', {}).data);
  const isKnown = useDeferredValue(executions !== undefined && deployments !== undefined);
  return (
    <Screen isWide title={text.replicas.title} lead={text.replicas.lead}>
      <VaultNeeded />
      <QueryView query={query}>
        {(replicas) => {
          if (replicas.length === 0) {
            return (
              <EmptyState title={text.replicas.none} lead={text.replicas.noneLead}>
                <Button variant="contained" href={hrefOf('inventory')}>
                  {text.replicas.toInventory}
                </Button>
              </EmptyState>
            );
          }
          // Without its runs nobody can tell where a replica stands.
          if (!isKnown || executions === undefined || deployments === undefined) return null;
          return (
            <ReplicaTable replicas={replicas} executions={executions} deployments={deployments} endpoints={endpoints} />
          );
        }}
      </QueryView>
    </Screen>
  );
}

interface Known {
  readonly replicas: readonly Replica[];
  /** The newest of each replica. */
  readonly executions: readonly Execution[];
  readonly deployments: readonly Deployment[];
  readonly endpoints: readonly Endpoint[] | undefined;
  readonly readiness: readonly Readiness[] | undefined;
}

function rowsOf({ replicas, executions, deployments, endpoints = [], readiness = [] }: Known): readonly Row[] {
  const latest = latestOf(executions);
  const deployed = latestOf(deployments);
  const found = new Map(readiness.map((one) => [one.replicaId, one]));
  const names = new Map(endpoints.map(({ id, name }) => [id, name]));
  const name = (id: string): string => names.get(id) ?? text.replicas.unknownEndpoint;
  return replicas.map((replica) => ({
    replica,
    life: replicaStatus(replica, latest.get(replica.id), deployed.get(replica.id)),
    found: found.get(replica.id),
    way: `${name(replica.sourceEndpointId)} → ${name(replica.destinationEndpointId)}`,
  }));
}

function ReplicaTable({ replicas, executions, deployments, endpoints }: Omit<Known, 'readiness'>) {
  // Asked once the list is there, because rules are applied to each replica.
  const readiness = useDeferredValue(useQuery('replica.readiness', {}, ['project.changed']).data);
  const rows = useMemo(
    () => rowsOf({ replicas, executions, deployments, endpoints, readiness }),
    [replicas, executions, deployments, endpoints, readiness],
  );
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState<StateFilter>('all');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const now = useNow(10_000);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [wave, setWave] = useState(everyWave);
  const waves = useMemo(
    () =>
      [...new Set(replicas.flatMap((replica) => replica.wave ?? []))].sort((one, other) =>
        one.localeCompare(other, undefined, { numeric: true }),
      ),
    [replicas],
  );
  const columns = useMemo(() => columnsAt(now), [now]);
  const found = useMemo(
    () =>
      rows.filter(
        ({ replica, life, found: errors }) =>
          (kind === 'all' || (kind === 'with-errors' ? (errors?.errors ?? 0) > 0 : life.kind === kind)) &&
          (wave === everyWave || (replica.wave ?? '') === wave) &&
          `${replica.name} ${replica.vmName}`.toLowerCase().includes(wanted),
      ),
    [rows, kind, wave, wanted],
  );
  const clear = useCallback(() => {
    setSearch('');
    setKind('all');
    setWave(everyWave);
  }, []);
  const choice = useMemo(
    () => ({
      chosen,
      choose: (id: string, isChosen: boolean) =>
        setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((one) => one !== id))),
    }),
    [chosen],
  );
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          type="search"
          size="small"
          label={text.replicas.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          sx={{ width: 320 }}
        />
        <TextField
          select
          size="small"
          label={text.replicas.filter}
          value={kind}
          onChange={(event) => setKind(event.target.value as StateFilter)}
          sx={{ width: 200 }}
        >
          <MenuItem value="all">{text.replicas.all}</MenuItem>
          <MenuItem value="with-errors">{text.replicas.withErrors}</MenuItem>
          {(Object.keys(text.replicas.life) as ReplicaStatusKind[]).map((one) => (
            <MenuItem key={one} value={one}>
              {text.replicas.life[one]}
            </MenuItem>
          ))}
        </TextField>
        {waves.length > 0 && (
          <TextField
            select
            size="small"
            label={text.waves.waveFilter}
            value={wave}
            onChange={(event) => setWave(event.target.value)}
            sx={{ width: 200 }}
            slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
          >
            <MenuItem value={everyWave}>{text.waves.allWaves}</MenuItem>
            <MenuItem value="">{text.waves.noWave}</MenuItem>
            {waves.map((one) => (
              <MenuItem key={one} value={one}>
                {one}
              </MenuItem>
            ))}
          </TextField>
        )}
        <Typography role="status" sx={{ color: 'text.secondary' }}>
          {text.replicas.shown(found.length, rows.length)}
        </Typography>
      </Box>
      <ChosenReplicas
        chosen={rows.filter(({ replica }) => chosen.has(replica.id))}
        shown={found.filter(({ life }) => isIdle(life))}
        onChoose={(replicas) => setChosen(new Set(replicas.map(({ replica }) => replica.id)))}
      />
      <ChoiceContext value={choice}>
        <Rows columns={columns} rows={found} onClearFilters={clear} />
      </ChoiceContext>
    </>
  );
}

/** Drawn anew when its rows change, not at every key in the search field. */
const Rows = memo(function Rows({
  columns,
  rows,
  onClearFilters,
}: {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly onClearFilters: () => void;
}) {
  return (
    <PagedTable
      label={text.replicas.title}
      columns={columns}
      rows={rows}
      onClearFilters={onClearFilters}
      rowKey={({ replica }) => replica.id}
      sortedBy={{ column: 'name', descending: false }}
    />
  );
});

function columnsAt(now: number): readonly Column<Row>[] {
  return [
    {
      id: 'chosen',
      label: text.replicas.choose,
      cell: ({ replica, life }) => <ChooseBox replica={replica} life={life} />,
    },
    {
      id: 'name',
      label: text.replicas.name,
      sortBy: ({ replica }) => replica.name,
      cell: ({ replica }) => <Link href={hrefOf('replicas', replica.id)}>{replica.name}</Link>,
    },
    { id: 'way', label: text.replicas.way, isMinor: true, sortBy: ({ way }) => way, cell: ({ way }) => way },
    {
      id: 'wave',
      label: text.waves.waveFilter,
      isMinor: true,
      sortBy: ({ replica }) => replica.wave ?? '',
      cell: ({ replica }) =>
        replica.wave === undefined ? '' : <Link href={hrefOf('waves', replica.wave)}>{replica.wave}</Link>,
    },
    {
      id: 'state',
      label: text.replicas.state,
      sortBy: ({ life }) => life.kind,
      cell: ({ replica, life, found }) => (
        <>
          <Box component="span" sx={{ whiteSpace: { md: 'nowrap' } }}>
            <LifeLabel kind={life.kind} />
          </Box>
          {found !== undefined && found.errors > 0 && (
            <Link
              href={hrefOf('replicas', replica.id, 'configure')}
              title={findingLines({ rule: found.code, message: found.message })
                .map(({ words }) => words)
                .join(' ')}
              aria-label={text.replicas.errorsOf(found.errors, replica.name)}
              variant="caption"
              sx={{ display: 'block', color: 'error.main' }}
            >
              {text.replicas.errorsFound(found.errors)}
            </Link>
          )}
          {life.latest !== undefined && isActive(life.latest) && <RunLine execution={life.latest} />}
          <QueuePlace position={life.deployment?.queuePosition ?? life.latest?.queuePosition} />
        </>
      ),
    },
    {
      id: 'synced',
      label: text.replicas.synced,
      sortBy: ({ life }) => life.syncedTo ?? '',
      cell: ({ life }) => <SyncedTo life={life} now={now} />,
    },
    { id: 'next', label: text.replicas.next, cell: ({ replica, life }) => <NextStep replica={replica} life={life} /> },
  ];
}

function SyncedTo({ life, now }: { readonly life: ReplicaStatus; readonly now: number }) {
  if (life.syncedTo === undefined) return text.replicas.neverSynced;
  return (
    <>
      <Box component="span" sx={{ whiteSpace: 'nowrap' }}>
        {minuteText(life.syncedTo)}
      </Box>
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
        {text.replicas.lag(durationText((now - Date.parse(life.syncedTo)) / 1000))}
      </Typography>
    </>
  );
}

function QueuePlace({ position }: { readonly position: number | undefined }) {
  if (position === undefined) return null;
  return (
    <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
      {text.replicas.queuePlace(position)}
    </Typography>
  );
}
