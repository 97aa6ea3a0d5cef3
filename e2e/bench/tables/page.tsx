import '../../../renderer/app/parsers-without-eval.ts';
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import Button from '@mui/material/Button';
import CssBaseline from '@mui/material/CssBaseline';
import TextField from '@mui/material/TextField';
import { ThemeProvider } from '@mui/material/styles';
import { useDeferredValue, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { theme } from '../../../renderer/app/theme.ts';
import { PagedTable, type Column } from '../../../renderer/components/paged-table.tsx';
import { bytesText } from '../../../renderer/components/quantities.ts';
import { StateLabel } from '../../../renderer/components/state-label.tsx';
import { DataGridTable } from './data-grid-table.tsx';

/** One table of machines as the inventory has it, drawn by what the address names. */
const asked = new URLSearchParams(location.search);
const Table = asked.get('table') === 'grid' ? DataGridTable : PagedTable;

interface Machine {
  readonly id: string;
  readonly name: string;
  readonly os: string;
  readonly cpus: number;
  readonly memory: number;
  readonly disks: number;
  readonly network: string;
}

const machines: readonly Machine[] = Array.from({ length: Number(asked.get('rows')) }, (_, index) => ({
  id: `vm-${index}`,
  name: `web-${String((index * 7919) % 100_003).padStart(5, '0')}`,
  os: index % 3 === 0 ? 'Windows' : 'Linux',
  cpus: 1 << (index % 5),
  memory: 2 ** (30 + (index % 6)),
  disks: (index % 50) * 2 ** 33,
  network: `VLAN ${index % 40}`,
}));

const columns: readonly Column<Machine>[] = [
  { id: 'name', label: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => name },
  { id: 'os', label: 'Guest OS', sortBy: ({ os }) => os, cell: ({ os }) => os },
  { id: 'power', label: 'Power state', cell: () => 'Running' },
  { id: 'cpus', label: 'CPUs', align: 'right', sortBy: ({ cpus }) => cpus, cell: ({ cpus }) => cpus },
  {
    id: 'memory',
    label: 'Memory',
    align: 'right',
    sortBy: ({ memory }) => memory,
    cell: ({ memory }) => bytesText(memory),
  },
  { id: 'disks', label: 'Disks', align: 'right', sortBy: ({ disks }) => disks, cell: ({ disks }) => bytesText(disks) },
  { id: 'network', label: 'Networks', sortBy: ({ network }) => network, cell: ({ network }) => network },
  { id: 'state', label: 'Change', cell: () => <StateLabel tone="running">New</StateLabel> },
  {
    id: 'create',
    label: 'Replica',
    cell: ({ name }) => (
      <Button size="small" aria-label={`Create replica of ${name}`}>
        Create
      </Button>
    ),
  },
];

function Page() {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const found = useMemo(() => machines.filter(({ name }) => name.includes(wanted)), [wanted]);
  return (
    <main style={{ padding: 24 }}>
      <h1>Inventory</h1>
      <TextField
        type="search"
        size="small"
        label="Search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <Table
        label="Machines"
        columns={columns as never}
        rows={found as never}
        rowKey={({ id }: { id: string }) => id}
        sortedBy={{ column: 'name', descending: false }}
      />
    </main>
  );
}

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
createRoot(document.getElementById('root')!).render(
  <CacheProvider value={createCache({ key: 'cw', nonce, prepend: true })}>
    <ThemeProvider theme={theme} defaultMode="system">
      <CssBaseline enableColorScheme />
      <Page />
    </ThemeProvider>
  </CacheProvider>,
);
