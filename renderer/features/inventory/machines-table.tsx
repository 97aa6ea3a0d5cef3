import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { machineStates, type KeptMachine } from '../../../shared/inventory/inventory.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { bytesText } from '../../components/quantities.ts';
import { filterSteps, useInSlices } from '../../components/slices.ts';
import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { text } from '../../text/text.ts';

type StateFilter = KeptMachine['state'] | 'all';

interface Props {
  readonly label: string;
  readonly machines: readonly KeptMachine[];
  /** Columns after the usual ones, e.g. with buttons. */
  readonly more?: readonly Column<KeptMachine>[];
}

const noColumns: readonly Column<KeptMachine>[] = [];

/** Machines of a list with what became of them since the import before: searched, filtered by that, sorted. */
export const MachinesTable = memo(function MachinesTable({ label, machines, more = noColumns }: Props) {
  const [search, setSearch] = useState('');
  const [state, setState] = useState<StateFilter>('all');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const isUnfiltered = state === 'all' && wanted === '';
  const find = useCallback(
    () =>
      filterSteps(
        isUnfiltered ? [] : machines,
        (machine) =>
          (state === 'all' || machine.state === state) && (wanted === '' || searchText(machine).includes(wanted)),
      ),
    [machines, wanted, state, isUnfiltered],
  );
  const { value: matching = machines } = useInSlices(find, isUnfiltered ? 0 : machines.length);
  const found = isUnfiltered ? machines : matching;
  const clear = (): void => {
    setSearch('');
    setState('all');
  };
  const counts = useMemo(() => countStates(machines), [machines]);
  const all = useMemo(() => [...columns, ...more], [more]);
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
        <ToggleButtonGroup
          size="small"
          exclusive
          value={state}
          aria-label={text.inventory.state}
          onChange={(_event, value: StateFilter | null) => setState(value ?? 'all')}
        >
          <ToggleButton value="all">{text.inventory.allStates}</ToggleButton>
          {machineStates.map((one) => (
            <ToggleButton key={one} value={one} disabled={!counts.has(one)}>
              {text.inventory.states[one]} {counts.get(one) ?? 0}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <Typography role="status" sx={{ color: 'text.secondary' }}>
          {text.inventory.shown(found.length, machines.length)}
        </Typography>
      </Box>
      <PagedTable
        label={label}
        columns={all}
        rows={found}
        rowKey={({ vm }) => vm.id}
        sortedBy={{ column: 'name', descending: false }}
        onClearFilters={isUnfiltered ? undefined : clear}
      />
    </>
  );
});

function countStates(machines: readonly KeptMachine[]): ReadonlyMap<KeptMachine['state'], number> {
  const counts = new Map<KeptMachine['state'], number>();
  for (const { state } of machines) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

function searchText({ vm }: KeptMachine): string {
  return `${vm.name}\n${vm.id}\n${vm.nics.map(({ network, ip_addresses: addresses = [] }) => `${network} ${addresses.join(' ')}`).join('\n')}`.toLowerCase();
}

function networksOf({ vm }: KeptMachine): string {
  return [...new Set(vm.nics.map(({ network }) => network))].join(', ');
}

function sizeOf({ vm }: KeptMachine): number {
  return vm.disks.reduce((sum, disk) => sum + disk.size_bytes, 0);
}

const tones: Readonly<Record<KeptMachine['state'], StateTone>> = {
  new: 'added',
  changed: 'changed',
  same: 'good',
  gone: 'ended',
};

const columns: readonly Column<KeptMachine>[] = [
  { id: 'name', label: text.inventory.name, sortBy: ({ vm }) => vm.name, cell: ({ vm }) => vm.name },
  {
    id: 'os',
    label: text.inventory.os,
    sortBy: ({ vm }) => vm.os_type,
    cell: ({ vm }) => text.inventory.osTypes[vm.os_type],
  },
  {
    id: 'power',
    label: text.inventory.power,
    sortBy: ({ power }) => power,
    cell: ({ power }) => text.inventory.powerStates[power],
  },
  {
    id: 'cpus',
    label: text.inventory.cpus,
    align: 'right',
    sortBy: ({ vm }) => vm.vcpus ?? 0,
    cell: ({ vm }) => vm.vcpus ?? '',
  },
  {
    id: 'memory',
    label: text.inventory.memory,
    align: 'right',
    sortBy: ({ vm }) => vm.memory_mb ?? 0,
    cell: ({ vm }) => (vm.memory_mb === undefined ? '' : bytesText(vm.memory_mb * 1024 ** 2)),
  },
  {
    id: 'disks',
    label: text.inventory.disks,
    align: 'right',
    sortBy: sizeOf,
    cell: (machine) => text.inventory.disksOf(machine.vm.disks.length, bytesText(sizeOf(machine))),
  },
  { id: 'networks', label: text.inventory.networks, sortBy: networksOf, cell: networksOf },
  {
    id: 'state',
    label: text.inventory.change,
    sortBy: ({ state }) => machineStates.indexOf(state),
    cell: ({ state, changes }) =>
      changes === undefined ? (
        <StateLabel tone={tones[state]}>{text.inventory.states[state]}</StateLabel>
      ) : (
        <Tooltip
          title={changes.map((change) => (
            <div key={change}>{change}</div>
          ))}
        >
          <Box tabIndex={0} component="span">
            <StateLabel tone={tones[state]}>{text.inventory.states[state]}</StateLabel>
            <Typography variant="caption" component="div" sx={{ color: 'text.secondary', maxWidth: 280 }} noWrap>
              {changes.join('; ')}
            </Typography>
          </Box>
        </Tooltip>
      ),
  },
];
