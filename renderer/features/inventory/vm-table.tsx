import RefreshIcon from '@mui/icons-material/RefreshOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useDeferredValue, useMemo, useState } from 'react';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { bytesText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';

type VmSummary = WorkbenchOutput<'vm.list'>[number];
type Replicas = WorkbenchOutput<'replica.list'>;

/** All virtual machines of a source: searched and sorted here, without asking again. */
export function VmTable({ endpointId }: { readonly endpointId: string }) {
  const query = useQuery('vm.list', { endpoint: endpointId });
  const replicas = useQuery('replica.list', {}).data;
  return (
    <QueryView query={query}>
      {(vms) =>
        vms.length === 0 ? (
          <EmptyState title={text.inventory.none} lead={text.inventory.noneLead}>
            <Button onClick={query.reload}>{text.inventory.refresh}</Button>
          </EmptyState>
        ) : (
          <SearchedVms vms={vms} replicas={replicas ?? []} endpointId={endpointId} onRefresh={query.reload} />
        )
      }
    </QueryView>
  );
}

interface Props {
  readonly vms: readonly VmSummary[];
  readonly replicas: Replicas;
  readonly endpointId: string;
  readonly onRefresh: () => void;
}

function SearchedVms({ vms, replicas, endpointId, onRefresh }: Props) {
  const [search, setSearch] = useState('');
  // Typing stays quick however many rows there are.
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const found = useMemo(
    () =>
      wanted === ''
        ? vms
        : vms.filter(({ name, id, folder = '', cluster = '', tags = [] }) =>
            [name, id, folder, cluster, ...tags].some((part) => part.toLowerCase().includes(wanted)),
          ),
    [vms, wanted],
  );
  const shown = useMemo(
    () => ({
      hasFolders: vms.some(({ folder = '' }) => folder !== ''),
      hasClusters: vms.some(({ cluster = '' }) => cluster !== ''),
      hasTags: vms.some(({ tags = [] }) => tags.length > 0),
    }),
    [vms],
  );
  const columns = useMemo(() => columnsFor(endpointId, replicas, shown), [endpointId, replicas, shown]);
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <TextField
          type="search"
          size="small"
          label={text.inventory.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          sx={{ width: 360 }}
        />
        <Typography role="status" sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {text.inventory.shown(found.length, vms.length)}
        </Typography>
        <Button startIcon={<RefreshIcon />} onClick={onRefresh}>
          {text.inventory.refresh}
        </Button>
      </Box>
      <PagedTable
        label={text.inventory.title}
        columns={columns}
        rows={found}
        rowKey={({ id }) => id}
        sortedBy={{ column: 'name', descending: false }}
        onClearFilters={wanted === '' ? undefined : () => setSearch('')}
      />
    </>
  );
}

/** What any VM of the source has. */
interface Shown {
  readonly hasFolders: boolean;
  readonly hasClusters: boolean;
  readonly hasTags: boolean;
}

function columnsFor(
  endpointId: string,
  replicas: Replicas,
  { hasFolders, hasClusters, hasTags }: Shown,
): Column<VmSummary>[] {
  const byVm = Map.groupBy(
    replicas.filter((replica) => replica.sourceEndpointId === endpointId),
    ({ vmId }) => vmId,
  );
  return [
    { id: 'name', label: text.inventory.name, sortBy: ({ name }) => name, cell: ({ name }) => name },
    ...(hasFolders
      ? ([
          {
            id: 'folder',
            label: text.inventory.folder,
            sortBy: ({ folder = '' }) => folder,
            cell: ({ folder = '' }) => folder,
          },
        ] satisfies Column<VmSummary>[])
      : []),
    ...(hasClusters
      ? ([
          {
            id: 'cluster',
            label: text.inventory.cluster,
            sortBy: ({ cluster = '' }) => cluster,
            cell: ({ cluster = '' }) => cluster,
          },
        ] satisfies Column<VmSummary>[])
      : []),
    ...(hasTags
      ? ([
          {
            id: 'tags',
            label: text.inventory.tags,
            sortBy: ({ tags = [] }) => tags.join(', '),
            cell: ({ tags = [] }) => tags.join(', '),
          },
        ] satisfies Column<VmSummary>[])
      : []),
    {
      id: 'os',
      label: text.inventory.os,
      sortBy: ({ os_type: os }) => os,
      cell: ({ os_type: os }) => text.inventory.osTypes[os],
    },
    {
      id: 'power',
      label: text.inventory.power,
      sortBy: ({ power }) => power,
      cell: ({ power }) => text.inventory.powerStates[power],
    },
    {
      id: 'disks',
      label: text.inventory.disks,
      align: 'right',
      sortBy: ({ diskCount }) => diskCount,
      cell: ({ diskCount }) => diskCount,
    },
    {
      id: 'size',
      label: text.inventory.size,
      align: 'right',
      sortBy: ({ totalBytes }) => totalBytes,
      cell: ({ totalBytes }) => bytesText(totalBytes),
    },
    {
      id: 'replica',
      label: text.inventory.replica,
      cell: ({ id, name }) => {
        const own = byVm.get(id) ?? [];
        return own.length === 0 ? (
          <Button
            size="small"
            href={hrefOf('replicas', 'new', endpointId, id)}
            aria-label={text.inventory.createOf(name)}
            sx={{ whiteSpace: 'nowrap' }}
          >
            {text.inventory.create}
          </Button>
        ) : (
          <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1.5 }}>
            {own.map((replica) => (
              <Link key={replica.id} href={hrefOf('replicas', replica.id)}>
                {text.inventory.open(replica.name)}
              </Link>
            ))}
          </Box>
        );
      },
    },
  ];
}
