import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { machineLabels, type Inventory, type MachineLabel } from '../../../shared/inventory/inventory.ts';
import { readFlows, type FlowsRead } from '../../../shared/inventory/network-flows.ts';
import { bytesWithin, suggestWaves } from '../../../shared/inventory/suggest-waves.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { bytesText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { rateOf } from '../../components/written-rate.ts';
import { text } from '../../text/text.ts';
import { DraftWaves } from './draft-waves.tsx';
import type { Draft, DraftHistory } from './wave-drafts.ts';

const words = text.inventory.planWaves;
const TiB = 1024 ** 4;

/** From a list of machines to replicas in waves: a suggestion within limits, which can be changed before anything is created. */
export function PlanWavesScreen({ list: name }: { readonly list: string }) {
  const lists = useQuery('inventory.list', {});
  const endpoints = useQuery('endpoint.list', {});
  return (
    <Screen isWide title={words.title} lead={words.lead}>
      <VaultNeeded />
      <QueryView query={lists}>
        {(all) => {
          const list = all.find((one) => one.name === name);
          if (list === undefined) return <EmptyState title={text.inventory.noLists} />;
          return <QueryView query={endpoints}>{(known) => <Plan list={list} endpoints={known} />}</QueryView>;
        }}
      </QueryView>
    </Screen>
  );
}

function Plan({ list, endpoints }: { readonly list: Inventory; readonly endpoints: readonly Endpoint[] }) {
  const link = useLink();
  const toast = useToast();
  const sources = endpoints.filter(({ plugin }) => plugins[plugin].source !== undefined);
  const destinations = endpoints.filter(({ plugin }) => plugins[plugin].destination !== undefined);
  const [source, setSource] = useState(sources.length === 1 ? sources[0]!.id : '');
  const [chosenDestination, setDestination] = useState('');
  const others = destinations.filter(({ id }) => id !== source);
  const destination = chosenDestination === '' && others.length === 1 ? others[0]!.id : chosenDestination;
  const machines = useMemo(() => list.machines.filter(({ state }) => state !== 'gone'), [list]);
  const labels = machineLabels.filter((label) => machines.some((machine) => machine.labels?.[label] !== undefined));
  const [by, setBy] = useState<MachineLabel | 'size' | 'flows'>(labels.find((label) => label !== 'annotation') ?? 'size');
  const [read, setRead] = useState<FlowsRead>();
  const [most, setMost] = useState('100');
  const [mostTib, setMostTib] = useState('');
  const [hours, setHours] = useState('');
  const [rate, setRate] = useState('');
  const [base, setBase] = useState<string>(words.waveName);
  const mostMachines = Number(most);
  const bytesPerSecond = rateOf(rate);
  const windowHours = hours.trim() === '' ? undefined : Number(hours);
  const mostBytes = Math.min(mostTib.trim() === '' ? Infinity : Number(mostTib) * TiB, bytesPerSecond === 'invalid' ? Infinity : bytesWithin(windowHours, bytesPerSecond));
  const areLimits = Number.isInteger(mostMachines) && mostMachines >= 1 && mostBytes > 0 && bytesPerSecond !== 'invalid' && base.trim() !== '';
  const suggested = useMemo<Draft>(
    () => (areLimits ? suggestWaves(machines, { by, mostMachines, mostBytes, name: base.trim(), ...(read === undefined ? {} : { flows: read.flows }) }) : []),
    [machines, by, mostMachines, mostBytes, base, areLimits, read],
  );
  // What was moved belongs to one suggestion; other limits begin anew.
  const [edited, setEdited] = useState<{ readonly of: Draft; readonly history: DraftHistory }>();
  const history = edited?.of === suggested ? edited.history : [];
  const draft = history.at(-1) ?? suggested;
  const create = useAction(async () => {
    const { created, skipped } = await link.call('replica.createMany', {
      source, destination, machines: draft.flatMap((wave) => wave.machines.map(({ vm }) => ({ vm: vm.id, name: vm.name, wave: wave.name }))),
    });
    toast(skipped.length === 0 ? words.created(created.length) : words.createdSome(created.length, skipped.length, skipped.slice(0, 5).map((one) => `${one.name}: ${words.skipped[one.reason]}`).join(', ')));
    if (created.length > 0) goTo('waves');
  });
  if (sources.length === 0 || destinations.length === 0) {
    return (
      <EmptyState title={words.noEndpoints} lead={words.noEndpointsLead}>
        <Button variant="contained" href={hrefOf('endpoints', 'new')}>
          {text.endpoints.add}
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
        <EndpointField label={words.source} endpoints={sources} value={source} onChange={setSource} />
        <EndpointField label={words.destination} endpoints={others} value={destination} onChange={setDestination} />
        <TextField select size="small" label={words.by} value={by} onChange={(event) => setBy(event.target.value as typeof by)} sx={{ width: 180 }}>
          {[...labels, 'size' as const, ...(read === undefined ? [] : ['flows' as const])].map((one) => (
            <MenuItem key={one} value={one}>
              {words.criteria[one]}
            </MenuItem>
          ))}
        </TextField>
        <TextField type="number" size="small" label={words.most} value={most} onChange={(event) => setMost(event.target.value)} slotProps={{ htmlInput: { min: 1 } }} sx={{ width: 150 }} />
        <TextField type="number" size="small" label={words.mostTib} value={mostTib} onChange={(event) => setMostTib(event.target.value)} slotProps={{ htmlInput: { min: 0.1, step: 0.1 } }} sx={{ width: 150 }} />
        <TextField type="number" size="small" label={words.hours} value={hours} onChange={(event) => setHours(event.target.value)} slotProps={{ htmlInput: { min: 0.25, step: 0.25 } }} sx={{ width: 150 }} />
        <TextField size="small" label={words.rate} placeholder={words.rateExample} value={rate} error={bytesPerSecond === 'invalid'} onChange={(event) => setRate(event.target.value)} slotProps={{ htmlInput: { spellCheck: false } }} sx={{ width: 150 }} />
        <TextField size="small" label={words.name} value={base} onChange={(event) => setBase(event.target.value)} slotProps={{ htmlInput: { maxLength: 80 } }} sx={{ width: 180 }} />
        <FileButton
          label={words.flows} endings=".csv,.txt" size="small"
          onText={(csv) => {
            const found = readFlows(csv);
            setRead(found.flows.length === 0 ? undefined : found);
            setBy(found.flows.length === 0 ? (labels[0] ?? 'size') : 'flows');
            if (found.flows.length === 0) toast(words.flowsNone);
          }}
        />
        {read !== undefined && <Typography role="status">{words.flowsRead(read.flows.length, read.skipped)}</Typography>}
      </Box>
      {Number.isFinite(mostBytes) && (hours !== '' || rate !== '') && <Typography sx={{ color: 'text.secondary' }}>{words.mostIs(bytesText(mostBytes))}</Typography>}
      {create.error !== undefined && <ErrorNotice error={create.error} onClose={create.clear} />}
      <DraftWaves
        draft={draft} base={base.trim()} previous={history.length === 0 ? undefined : (history.at(-2) ?? suggested)}
        onChange={(next) => setEdited({ of: suggested, history: [...history, next] })} onUndo={() => setEdited({ of: suggested, history: history.slice(0, -1) })}
      />
      {/* In reach however long the list is. */}
      <Box sx={{ display: 'flex', columnGap: 2, rowGap: 0.5, alignItems: 'center', flexWrap: 'wrap', position: 'sticky', bottom: 0, zIndex: 2, py: 1.5, bgcolor: 'background.paper', borderTop: 1, borderColor: 'divider' }}>
        <Button variant="contained" disabled={source === '' || destination === '' || draft.length === 0 || create.isBusy} onClick={() => void create.run()}>
          {words.create(draft.reduce((sum, wave) => sum + wave.machines.length, 0), draft.length)}
        </Button>
        <Typography sx={{ color: 'text.secondary' }}>{words.createLead}</Typography>
      </Box>
    </>
  );
}

interface EndpointFieldProps {
  readonly label: string;
  readonly endpoints: readonly Endpoint[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function EndpointField({ label, endpoints, value, onChange }: EndpointFieldProps) {
  return (
    <TextField select required size="small" label={label} value={value} onChange={(event) => onChange(event.target.value)} sx={{ width: 220 }}>
      {endpoints.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  );
}
