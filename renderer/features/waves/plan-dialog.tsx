import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { instantOf } from '../../../shared/model/wall-time.ts';
import { waveActions, type WaveAction } from '../../../shared/model/wave-action.ts';
import {
  isProfile,
  mostAtOnce,
  missedPolicies,
  waveScheduleSchema,
  waveWindowSchema,
  weekdays,
  type BlackOut,
  type MissedPolicy,
  type WavePlan,
  type Weekday,
} from '../../../shared/model/wave-plan.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { areSound, BlackOuts } from './black-outs.tsx';
import { isSoundOrder, orderOf, PlanOrder, plannedOrder } from './plan-order.tsx';
import { PlanPart } from './plan-part.tsx';

const words = text.waves.planFields;
const { calendar } = text.waves;

interface Props {
  readonly wave: WaveDetail;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** When a wave is done, who does it, and in which order. */
export function PlanDialog({ wave, onSaved, onClose }: Props) {
  const link = useLink();
  const { plan = {} } = wave;
  const [description, setDescription] = useState(plan.description ?? '');
  const [owner, setOwner] = useState(plan.owner ?? '');
  const [day, setDay] = useState(plan.window?.date ?? '');
  const [time, setTime] = useState(plan.window?.time ?? '');
  const [zone, setZone] = useState(plan.window?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [hours, setHours] = useState(String(plan.window?.hours ?? 4));
  const [order, setOrder] = useState(() => orderOf(plan, wave.memberList));
  const [startsWith, setStartsWith] = useState<WaveAction | ''>(plan.startsWith ?? '');
  const [ifMissed, setIfMissed] = useState<MissedPolicy>(plan.ifMissed ?? 'ask');
  const [network, setNetwork] = useState(plan.rehearsalNetwork ?? '');
  const [repeated, setRepeated] = useState(plan.synchronisation?.time ?? '');
  const [days, setDays] = useState<readonly Weekday[]>(plan.synchronisation?.days ?? []);
  const [bandwidth, setBandwidth] = useState(plan.bandwidth ?? '');
  const [blackOuts, setBlackOuts] = useState<readonly BlackOut[]>(plan.blackOuts ?? []);
  const [atOnce, setAtOnce] = useState(plan.atOnce === undefined ? '' : String(plan.atOnce));
  const isCount =
    atOnce === '' || (Number.isInteger(Number(atOnce)) && Number(atOnce) >= 1 && Number(atOnce) <= mostAtOnce);
  const schedule = waveScheduleSchema.safeParse({
    time: repeated,
    zone:
      plan.synchronisation === undefined || repeated !== plan.synchronisation.time ? zone : plan.synchronisation.zone,
    ...(days.length === 0 ? {} : { days: [...days] }),
  });
  const isPlanned = day !== '' || time !== '';
  const read = waveWindowSchema.safeParse({ date: day, time, zone, hours: Number(hours) });
  const isSound =
    (!isPlanned || read.success) &&
    (repeated === '' || schedule.success) &&
    isCount &&
    isSoundOrder(order, wave.memberList) &&
    areSound(blackOuts) &&
    (bandwidth.trim() === '' || isProfile(bandwidth));
  const save = useAction(async () => {
    const {
      description: _description,
      owner: _owner,
      window: _window,
      groups: _groups,
      startsWith: _startsWith,
      ifMissed: _ifMissed,
      rehearsalNetwork: _network,
      synchronisation: _synchronisation,
      blackOuts: _blackOuts,
      bandwidth: _bandwidth,
      atOnce: _atOnce,
      after: _after,
      ...rest
    } = plan;
    const next: WavePlan = {
      ...rest,
      ...(description.trim() === '' ? {} : { description: description.trim() }),
      ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
      ...(isPlanned && read.success ? { window: read.data } : {}),
      ...(isPlanned && startsWith !== '' ? { startsWith } : {}),
      ...(network.trim() === '' ? {} : { rehearsalNetwork: network.trim() }),
      ...(ifMissed === 'ask' ? {} : { ifMissed }),
      ...(repeated !== '' && schedule.success ? { synchronisation: schedule.data } : {}),
      ...(bandwidth.trim() === '' ? {} : { bandwidth: bandwidth.trim() }),
      ...(blackOuts.length === 0 ? {} : { blackOuts: [...blackOuts] }),
      ...(atOnce === '' ? {} : { atOnce: Number(atOnce) }),
      ...plannedOrder(order),
    };
    await link.call('wave.plan', { wave: wave.name, plan: next });
    onSaved();
    onClose();
  });
  return (
    <ConfirmDialog
      title={text.waves.planTitle(wave.name)}
      confirm={text.waves.planSave}
      width="md"
      isReady={isSound}
      action={save}
      onClose={onClose}
    >
      <Box sx={{ ...grid, mt: 1 }}>
        <TextField
          size="small"
          autoFocus
          label={words.description}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          slotProps={{ htmlInput: { maxLength: 1000 } }}
          sx={span(8)}
        />
        <TextField
          size="small"
          label={words.owner}
          value={owner}
          onChange={(event) => setOwner(event.target.value)}
          slotProps={{ htmlInput: { maxLength: 200 } }}
          sx={span(4)}
        />
      </Box>
      <PlanPart title={words.window}>
        <Box sx={grid}>
          <TextField
            type="date"
            size="small"
            label={words.date}
            value={day}
            onChange={(event) => setDay(event.target.value)}
            slotProps={shrunk}
            sx={span(3)}
          />
          <TextField
            type="time"
            size="small"
            label={words.time}
            value={time}
            onChange={(event) => setTime(event.target.value)}
            slotProps={shrunk}
            sx={span(3)}
          />
          <Autocomplete
            freeSolo
            size="small"
            options={zones}
            inputValue={zone}
            onInputChange={(_event, value) => setZone(value)}
            sx={span(4)}
            renderInput={(params) => <TextField {...params} label={words.zone} />}
          />
          <TextField
            type="number"
            size="small"
            label={words.hours}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
            slotProps={{ htmlInput: { min: 0.25, max: 168, step: 0.25 } }}
            sx={span(2)}
          />
          <TextField
            select
            size="small"
            label={calendar.startsWith}
            value={startsWith}
            disabled={!isPlanned}
            onChange={(event) => setStartsWith(event.target.value as WaveAction | '')}
            sx={span(6)}
            slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
          >
            <MenuItem value="">{calendar.nothing}</MenuItem>
            {waveActions.map((action) => (
              <MenuItem key={action} value={action}>
                {text.waves.actions[action]}
              </MenuItem>
            ))}
          </TextField>
          <TextField
            select
            size="small"
            label={calendar.ifMissed}
            value={ifMissed}
            onChange={(event) => setIfMissed(event.target.value as MissedPolicy)}
            sx={span(6)}
          >
            {missedPolicies.map((policy) => (
              <MenuItem key={policy} value={policy}>
                {calendar.policies[policy]}
              </MenuItem>
            ))}
          </TextField>
        </Box>
        {isPlanned && <WindowHint {...(read.success ? { window: read.data } : {})} />}
      </PlanPart>
      <PlanPart title={words.execution}>
        <Box sx={grid}>
          <TextField
            type="time"
            size="small"
            label={calendar.repeated}
            value={repeated}
            onChange={(event) => setRepeated(event.target.value)}
            helperText={calendar.repeatedHelp}
            slotProps={shrunk}
            sx={span(4)}
          />
          <TextField
            select
            size="small"
            label={calendar.days}
            value={days}
            disabled={repeated === ''}
            onChange={(event) => setDays(event.target.value as unknown as Weekday[])}
            sx={span(4)}
            slotProps={{
              inputLabel: { shrink: true },
              select: {
                multiple: true,
                displayEmpty: true,
                renderValue: (chosen) =>
                  (chosen as Weekday[]).length === 0
                    ? calendar.everyDay
                    : (chosen as Weekday[]).map((one) => calendar.weekdays[one]).join(', '),
              },
            }}
          >
            {weekdays.map((one) => (
              <MenuItem key={one} value={one}>
                {calendar.weekdays[one]}
              </MenuItem>
            ))}
          </TextField>
          <TextField
            size="small"
            label={words.rehearsalNetwork}
            value={network}
            onChange={(event) => setNetwork(event.target.value)}
            slotProps={{ htmlInput: { maxLength: 500, spellCheck: false } }}
            sx={span(4)}
            helperText={startsWith === 'rehearse' && network.trim() === '' ? words.noRehearsalNetwork : undefined}
          />
          <TextField
            type="number"
            size="small"
            label={text.waves.atOnce}
            value={atOnce}
            error={!isCount}
            onChange={(event) => setAtOnce(event.target.value)}
            placeholder="4"
            sx={span(4)}
            slotProps={{ inputLabel: { shrink: true }, htmlInput: { min: 1, max: mostAtOnce } }}
          />
          <TextField
            size="small"
            label={words.bandwidth}
            value={bandwidth}
            error={bandwidth.trim() !== '' && !isProfile(bandwidth)}
            helperText={words.bandwidthHelp}
            sx={span(8)}
            onChange={(event) => setBandwidth(event.target.value)}
            slotProps={{ htmlInput: { maxLength: 2000, spellCheck: false } }}
          />
        </Box>
      </PlanPart>
      <PlanPart title={text.waves.blackOuts.title} lead={text.waves.blackOuts.lead}>
        <BlackOuts blackOuts={blackOuts} zone={zone} onChange={setBlackOuts} />
      </PlanPart>
      <PlanOrder order={order} members={wave.memberList} onChange={setOrder} />
    </ConfirmDialog>
  );
}

/** Twelve columns; a narrow window has one. */
const grid = {
  display: 'grid',
  gridTemplateColumns: 'repeat(12, minmax(0, 1fr))',
  gap: 2,
  alignItems: 'start',
} as const;
const span = (columns: number) => ({ gridColumn: { xs: '1 / -1', sm: `span ${columns}` } }) as const;
const shrunk = { inputLabel: { shrink: true } } as const;
const zones: readonly string[] = Intl.supportedValuesOf('timeZone');

/** What people who plan a night on which clocks change should know. */
function WindowHint({ window }: { readonly window?: NonNullable<WavePlan['window']> }) {
  if (window === undefined) {
    return (
      <Alert severity="error" role="status">
        {words.invalid}
      </Alert>
    );
  }
  const { kind } = instantOf(window.date, window.time, window.zone);
  if (kind === 'exact') return null;
  return (
    <Alert severity="warning" role="status">
      {words[kind]}
    </Alert>
  );
}
