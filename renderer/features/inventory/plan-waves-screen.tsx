import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { parseChangeRate, type MeasuredChange, type WindowCopies } from '../../../shared/inventory/change-rate.ts';
import { shortQuotas } from '../../../shared/inventory/destination-quotas.ts';
import { machineLabels, type Inventory, type MachineLabel } from '../../../shared/inventory/inventory.ts';
import { readFlows, type FlowsRead } from '../../../shared/inventory/network-flows.ts';
import { bytesWithin, suggestWaves } from '../../../shared/inventory/suggest-waves.ts';
import { limitsOf } from '../../../shared/inventory/wave-limits.ts';
import { loadOf, sumOfLoads } from '../../../shared/inventory/wave-load.ts';
import type { CatalogQuota } from '../../../shared/model/catalog.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { bytesText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { rateOf } from '../../components/written-rate.ts';
import { text } from '../../text/text.ts';
import { DraftWaves } from './draft-waves.tsx';
import type { Draft, DraftHistory } from './wave-drafts.ts';

const words = text.inventory.planWaves;
const quotaNames = text.waves.estimate.quotas;
const noChanges: readonly MeasuredChange[] = [];
const noQuotas: readonly CatalogQuota[] = [];

/** An empty text is no limit. */
function limitOf(written: string): number | undefined | 'invalid' {
  if (written.trim() === '') return undefined;
  const number = Number(written);
  return Number.isFinite(number) && number > 0 ? number : 'invalid';
}

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
          return (
            <QueryView query={endpoints}>
              {(known) => {
                const sources = known.filter(({ plugin }) => plugins[plugin].source !== undefined);
                const destinations = known.filter(({ plugin }) => plugins[plugin].destination !== undefined);
                return sources.length === 0 || destinations.length === 0 ? (
                  <NoEndpoints />
                ) : (
                  <Plan list={list} sources={sources} destinations={destinations} />
                );
              }}
            </QueryView>
          );
        }}
      </QueryView>
    </Screen>
  );
}

function NoEndpoints() {
  return (
    <EmptyState title={words.noEndpoints} lead={words.noEndpointsLead}>
      <Button variant="contained" href={hrefOf('endpoints', 'new')}>
        {text.endpoints.add}
      </Button>
    </EmptyState>
  );
}

interface PlanProps {
  readonly list: Inventory;
  readonly sources: readonly Endpoint[];
  readonly destinations: readonly Endpoint[];
}

function Plan({ list, sources, destinations }: PlanProps) {
  const link = useLink();
  const toast = useToast();
  const [source, setSource] = useState(sources.length === 1 ? sources[0]!.id : '');
  const [chosenDestination, setDestination] = useState('');
  const others = destinations.filter(({ id }) => id !== source);
  const destination = chosenDestination === '' && others.length === 1 ? others[0]!.id : chosenDestination;
  const machines = useMemo(() => list.machines.filter(({ state }) => state !== 'gone'), [list]);
  const labels = machineLabels.filter((label) => machines.some((machine) => machine.labels?.[label] !== undefined));
  const [by, setBy] = useState<MachineLabel | 'size' | 'flows'>(
    labels.find((label) => label !== 'annotation') ?? 'size',
  );
  const [read, setRead] = useState<FlowsRead>();
  const [most, setMost] = useState('100');
  const [mostTib, setMostTib] = useState('');
  const [hours, setHours] = useState('');
  const [rate, setRate] = useState('');
  const [change, setChange] = useState('');
  const [copies, setCopies] = useState<WindowCopies['copies']>('all');
  const [mostVcpus, setMostVcpus] = useState('');
  const [mostMemory, setMostMemory] = useState('');
  const [mostVolumes, setMostVolumes] = useState('');
  const [isByQuotas, setByQuotas] = useState(true);
  const [isMore, setMore] = useState(false);
  const [base, setBase] = useState<string>(words.waveName);
  const measured = useQuery('wave.measuredChanges', {}).data ?? noChanges;
  const catalog = useQuery('catalog.last', destination === '' ? {} : { endpoint: destination }).data?.catalog;
  const quotas = catalog?.quotas ?? noQuotas;
  const bytesPerSecond = rateOf(rate);
  const changeRate = useMemo(() => parseChangeRate(change), [change]);
  const limits = useMemo(() => {
    if (most.trim() === '' || bytesPerSecond === 'invalid' || changeRate === 'invalid') return undefined;
    const numbers = [most, mostTib, mostVcpus, mostMemory, mostVolumes, hours].map(limitOf);
    if (numbers.includes('invalid')) return undefined;
    const [count, tib, vcpus, memoryGib, volumes, windowHours] = numbers as (number | undefined)[];
    return limitsOf({
      machines: count,
      tib,
      vcpus,
      memoryGib,
      volumes,
      hours: windowHours,
      bytesPerSecond,
      copies,
      change: changeRate,
      measured,
      quotas: isByQuotas ? quotas : [],
    });
  }, [
    most,
    mostTib,
    mostVcpus,
    mostMemory,
    mostVolumes,
    hours,
    bytesPerSecond,
    copies,
    changeRate,
    measured,
    quotas,
    isByQuotas,
  ]);
  const suggested = useMemo<Draft>(
    () =>
      limits === undefined || base.trim() === ''
        ? []
        : suggestWaves(machines, {
            ...limits,
            by,
            name: base.trim(),
            ...(read === undefined ? {} : { flows: read.flows }),
          }),
    [machines, by, limits, base, read],
  );
  const short = useMemo(
    () => shortQuotas(sumOfLoads(machines.map((machine) => loadOf(machine))), quotas),
    [machines, quotas],
  );
  // The field of what changes stays while it is mended.
  const windowMost =
    bytesPerSecond === 'invalid' || bytesPerSecond === undefined || !(Number(hours) > 0)
      ? undefined
      : bytesWithin(Number(hours), bytesPerSecond);
  // What was moved belongs to one suggestion; other limits begin anew.
  const [edited, setEdited] = useState<{ readonly of: Draft; readonly history: DraftHistory }>();
  const history = edited?.of === suggested ? edited.history : [];
  const draft = history.at(-1) ?? suggested;
  const create = useAction(async () => {
    const { created, skipped } = await link.call('replica.createMany', {
      source,
      destination,
      machines: draft.flatMap((wave) => wave.machines.map(({ vm }) => ({ vm: vm.id, name: vm.name, wave: wave.name }))),
    });
    toast(
      skipped.length === 0
        ? words.created(created.length)
        : words.createdSome(
            created.length,
            skipped.length,
            skipped
              .slice(0, 5)
              .map((one) => `${one.name}: ${words.skipped[one.reason]}`)
              .join(', '),
          ),
    );
    if (created.length > 0) goTo('waves');
  });
  return (
    <>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
        <EndpointField label={words.source} endpoints={sources} value={source} onChange={setSource} />
        <EndpointField label={words.destination} endpoints={others} value={destination} onChange={setDestination} />
        <TextField
          select
          size="small"
          label={words.by}
          value={by}
          onChange={(event) => setBy(event.target.value as typeof by)}
          sx={{ width: 180 }}
        >
          {[...labels, 'size' as const, ...(read === undefined ? [] : ['flows' as const])].map((one) => (
            <MenuItem key={one} value={one}>
              {words.criteria[one]}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          type="number"
          size="small"
          label={words.most}
          value={most}
          onChange={(event) => setMost(event.target.value)}
          slotProps={{ htmlInput: { min: 1 } }}
          sx={{ width: 150 }}
        />
        <TextField
          type="number"
          size="small"
          label={words.mostTib}
          value={mostTib}
          onChange={(event) => setMostTib(event.target.value)}
          slotProps={{ htmlInput: { min: 0.1, step: 0.1 } }}
          sx={{ width: 150 }}
        />
        <TextField
          size="small"
          label={words.name}
          value={base}
          onChange={(event) => setBase(event.target.value)}
          slotProps={{ htmlInput: { maxLength: 80 } }}
          sx={{ width: 180 }}
        />
        <FileButton
          label={words.flows}
          endings=".csv,.txt"
          size="small"
          onText={(csv) => {
            const found = readFlows(csv);
            setRead(found.flows.length === 0 ? undefined : found);
            setBy(found.flows.length === 0 ? (labels[0] ?? 'size') : 'flows');
            if (found.flows.length === 0) toast(words.flowsNone);
          }}
        />
        {read !== undefined && (
          <Typography role="status">{words.flowsRead(read.flows.length, read.skipped)}</Typography>
        )}
        <Button size="small" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
          {words.moreLimits(
            [mostVcpus, mostMemory, mostVolumes, hours, rate].filter((written) => written.trim() !== '').length,
          )}
        </Button>
      </Box>
      {isMore && (
        <Box
          role="group"
          aria-label={words.moreLimits(0)}
          sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'center' }}
        >
          <TextField
            type="number"
            size="small"
            label={words.mostVcpus}
            value={mostVcpus}
            onChange={(event) => setMostVcpus(event.target.value)}
            slotProps={{ htmlInput: { min: 1 } }}
            sx={{ width: 150 }}
          />
          <TextField
            type="number"
            size="small"
            label={words.mostMemory}
            value={mostMemory}
            onChange={(event) => setMostMemory(event.target.value)}
            slotProps={{ htmlInput: { min: 1 } }}
            sx={{ width: 180 }}
          />
          <TextField
            type="number"
            size="small"
            label={words.mostVolumes}
            value={mostVolumes}
            onChange={(event) => setMostVolumes(event.target.value)}
            slotProps={{ htmlInput: { min: 1 } }}
            sx={{ width: 150 }}
          />
          <TextField
            type="number"
            size="small"
            label={words.hours}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
            slotProps={{ htmlInput: { min: 0.25, step: 0.25 } }}
            sx={{ width: 150 }}
          />
          <TextField
            size="small"
            label={words.rate}
            placeholder={words.rateExample}
            value={rate}
            error={bytesPerSecond === 'invalid'}
            onChange={(event) => setRate(event.target.value)}
            slotProps={{ htmlInput: { spellCheck: false } }}
            sx={{ width: 150 }}
          />
          {windowMost !== undefined && (
            <>
              <TextField
                select
                size="small"
                label={words.copies}
                value={copies}
                onChange={(event) => setCopies(event.target.value as typeof copies)}
                sx={{ width: 230 }}
              >
                {(['all', 'last-pass'] as const).map((one) => (
                  <MenuItem key={one} value={one}>
                    {words.copiesOf[one]}
                  </MenuItem>
                ))}
              </TextField>
              <TextField
                size="small"
                label={words.change}
                placeholder={words.changeExample}
                value={change}
                error={changeRate === 'invalid'}
                onChange={(event) => setChange(event.target.value)}
                slotProps={{ htmlInput: { spellCheck: false } }}
                sx={{ width: 230 }}
              />
            </>
          )}
        </Box>
      )}
      {windowMost !== undefined && (
        <Typography sx={{ color: 'text.secondary' }}>
          {words.mostIs[copies](bytesText(windowMost))} {words.changeHelp(measured.length)}
        </Typography>
      )}
      {quotas.length > 0 && (
        <FormControlLabel
          control={
            <Checkbox size="small" checked={isByQuotas} onChange={(event) => setByQuotas(event.target.checked)} />
          }
          label={words.byQuotas(
            destinations.find(({ id }) => id === destination)?.name ?? '',
            catalog?.captured_at === undefined ? undefined : timeText(catalog.captured_at),
          )}
        />
      )}
      {short.length > 0 && (
        <Alert severity="warning">
          {words.quotasShort(
            short
              .map(({ kind, needed, free }) =>
                words.quotaOf(quotaNames[kind as keyof typeof quotaNames] ?? kind, needed, free),
              )
              .join('; '),
          )}
        </Alert>
      )}
      {create.error !== undefined && <ErrorNotice error={create.error} onClose={create.clear} />}
      <DraftWaves
        draft={draft}
        base={base.trim()}
        previous={history.length === 0 ? undefined : (history.at(-2) ?? suggested)}
        onChange={(next) => setEdited({ of: suggested, history: [...history, next] })}
        onUndo={() => setEdited({ of: suggested, history: history.slice(0, -1) })}
      />
      {/* In reach however long the list is. */}
      <Box
        sx={{
          display: 'flex',
          columnGap: 2,
          rowGap: 0.5,
          alignItems: 'center',
          flexWrap: 'wrap',
          position: 'sticky',
          bottom: 0,
          zIndex: 2,
          py: 1.5,
          bgcolor: 'background.paper',
          borderTop: 1,
          borderColor: 'divider',
        }}
      >
        <Button
          variant="contained"
          disabled={source === '' || destination === '' || draft.length === 0 || create.isBusy}
          onClick={() => void create.run()}
        >
          {words.create(
            draft.reduce((sum, wave) => sum + wave.machines.length, 0),
            draft.length,
          )}
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
    <TextField
      select
      required
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ width: 220 }}
    >
      {endpoints.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  );
}
