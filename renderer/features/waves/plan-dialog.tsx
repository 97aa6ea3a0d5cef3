import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { instantOf } from '../../../shared/model/wall-time.ts';
import { waveActions, type WaveAction } from '../../../shared/model/wave-action.ts';
import { isProfile, missedPolicies, waveScheduleSchema, waveWindowSchema, weekdays, type BlackOut, type MissedPolicy, type WavePlan, type Weekday } from '../../../shared/model/wave-plan.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { areSound, BlackOuts } from './black-outs.tsx';

const words = text.waves.planFields;
const { calendar } = text.waves;

interface Group {
  readonly name: string;
  readonly needsGo: boolean;
  readonly members: readonly string[];
}

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
  const [groups, setGroups] = useState<readonly Group[]>(() => (plan.groups ?? []).map(({ name, needsGo = false, members }) => ({ name, needsGo, members })));
  const [startsWith, setStartsWith] = useState<WaveAction | ''>(plan.startsWith ?? '');
  const [ifMissed, setIfMissed] = useState<MissedPolicy>(plan.ifMissed ?? 'ask');
  const [network, setNetwork] = useState(plan.rehearsalNetwork ?? '');
  const [repeated, setRepeated] = useState(plan.synchronisation?.time ?? '');
  const [days, setDays] = useState<readonly Weekday[]>(plan.synchronisation?.days ?? []);
  const [bandwidth, setBandwidth] = useState(plan.bandwidth ?? '');
  const [blackOuts, setBlackOuts] = useState<readonly BlackOut[]>(plan.blackOuts ?? []);
  const schedule = waveScheduleSchema.safeParse({ time: repeated, zone: plan.synchronisation === undefined || repeated !== plan.synchronisation.time ? zone : plan.synchronisation.zone, ...(days.length === 0 ? {} : { days: [...days] }) });
  const isPlanned = day !== '' || time !== '';
  const read = waveWindowSchema.safeParse({ date: day, time, zone, hours: Number(hours) });
  const isSound = (!isPlanned || read.success) && (repeated === '' || schedule.success) && groups.every(({ name }) => name.trim() !== '') && areSound(blackOuts) && (bandwidth.trim() === '' || isProfile(bandwidth));
  const save = useAction(async () => {
    const { description: _description, owner: _owner, window: _window, groups: _groups, startsWith: _startsWith, ifMissed: _ifMissed, rehearsalNetwork: _network, synchronisation: _synchronisation, blackOuts: _blackOuts, bandwidth: _bandwidth, ...rest } = plan;
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
      ...(groups.length === 0 ? {} : { groups: groups.map(({ name, needsGo, members }) => ({ name: name.trim(), ...(needsGo ? { needsGo } : {}), members: [...members] })) }),
    };
    await link.call('wave.plan', { wave: wave.name, plan: next });
    onSaved();
    onClose();
  });
  const change = (index: number, part: Partial<Group>) => setGroups((before) => before.map((group, at) => (at === index ? { ...group, ...part } : group)));
  return (
    <ConfirmDialog title={text.waves.planTitle(wave.name)} confirm={text.waves.planSave} width="md" isReady={isSound} action={save} onClose={onClose}>
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '2fr 1fr' }, gap: 2, mt: 1 }}>
        <TextField size="small" autoFocus label={words.description} value={description} onChange={(event) => setDescription(event.target.value)} slotProps={{ htmlInput: { maxLength: 1000 } }} />
        <TextField size="small" label={words.owner} value={owner} onChange={(event) => setOwner(event.target.value)} slotProps={{ htmlInput: { maxLength: 200 } }} />
      </Box>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap' }}>
        <TextField type="date" size="small" label={words.date} value={day} onChange={(event) => setDay(event.target.value)} slotProps={{ inputLabel: { shrink: true } }} sx={{ width: 170 }} />
        <TextField type="time" size="small" label={words.time} value={time} onChange={(event) => setTime(event.target.value)} slotProps={{ inputLabel: { shrink: true } }} sx={{ width: 130 }} />
        <Autocomplete
          freeSolo size="small" options={zones} inputValue={zone} onInputChange={(_event, value) => setZone(value)} sx={{ width: 240 }}
          renderInput={(params) => <TextField {...params} label={words.zone} />}
        />
        <TextField type="number" size="small" label={words.hours} value={hours} onChange={(event) => setHours(event.target.value)} slotProps={{ htmlInput: { min: 0.25, max: 168, step: 0.25 } }} sx={{ width: 140 }} />
      </Box>
      {isPlanned && <WindowHint {...(read.success ? { window: read.data } : {})} />}
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap' }}>
        <TextField
          select size="small" label={calendar.startsWith} value={startsWith} onChange={(event) => setStartsWith(event.target.value as WaveAction | '')} sx={{ width: 240 }}
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
          type="time" size="small" label={calendar.repeated} value={repeated} onChange={(event) => setRepeated(event.target.value)} helperText={calendar.repeatedHelp}
          slotProps={{ inputLabel: { shrink: true } }} sx={{ width: 220 }}
        />
        <TextField
          select size="small" label={calendar.days} value={days} disabled={repeated === ''} onChange={(event) => setDays(event.target.value as unknown as Weekday[])} sx={{ width: 200 }}
          slotProps={{ inputLabel: { shrink: true }, select: { multiple: true, displayEmpty: true, renderValue: (chosen) => ((chosen as Weekday[]).length === 0 ? calendar.everyDay : (chosen as Weekday[]).map((one) => calendar.weekdays[one]).join(', ')) } }}
        >
          {weekdays.map((one) => (
            <MenuItem key={one} value={one}>
              {calendar.weekdays[one]}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          size="small" label={words.rehearsalNetwork} value={network} onChange={(event) => setNetwork(event.target.value)} slotProps={{ htmlInput: { maxLength: 500, spellCheck: false } }} sx={{ width: 240 }}
          helperText={startsWith === 'rehearse' && network.trim() === '' ? words.noRehearsalNetwork : undefined}
        />
        <TextField select size="small" label={calendar.ifMissed} value={ifMissed} onChange={(event) => setIfMissed(event.target.value as MissedPolicy)} sx={{ width: 220 }}>
          {missedPolicies.map((policy) => (
            <MenuItem key={policy} value={policy}>
              {calendar.policies[policy]}
            </MenuItem>
          ))}
        </TextField>
      </Box>
      <TextField
        size="small" label={words.bandwidth} value={bandwidth} error={bandwidth.trim() !== '' && !isProfile(bandwidth)} helperText={words.bandwidthHelp}
        onChange={(event) => setBandwidth(event.target.value)} slotProps={{ htmlInput: { maxLength: 2000, spellCheck: false } }}
      />
      <BlackOuts blackOuts={blackOuts} zone={zone} onChange={setBlackOuts} />
      <Typography variant="subtitle2" component="h3">
        {words.groups}
      </Typography>
      {groups.map(({ name, needsGo, members }, index) => (
        <Box key={index} sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'flex-start' }}>
          <TextField size="small" label={words.groupName(index + 1)} value={name} error={name.trim() === ''} onChange={(event) => change(index, { name: event.target.value })} sx={{ width: 200 }} />
          <Autocomplete
            multiple size="small" limitTags={3} options={wave.memberList.map((member) => member.name)} value={[...members]} disableCloseOnSelect sx={{ flex: '1 1 280px' }}
            onChange={(_event, chosen) => change(index, { members: chosen })} renderInput={(params) => <TextField {...params} label={words.groupMembers(index + 1)} />}
          />
          <FormControlLabel
            control={<Checkbox size="small" checked={needsGo} onChange={(event) => change(index, { needsGo: event.target.checked })} slotProps={{ input: { 'aria-label': words.needsGo(index + 1) } }} />}
            label={words.needsGoShort}
          />
          <IconButton size="small" aria-label={words.removeGroup(index + 1)} onClick={() => setGroups((before) => before.filter((_, at) => at !== index))}>
            <DeleteIcon fontSize="small" />
          </IconButton>
        </Box>
      ))}
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center' }}>
        <Button size="small" startIcon={<AddIcon />} onClick={() => setGroups((before) => [...before, { name: '', needsGo: false, members: [] }])}>
          {words.addGroup}
        </Button>
        {groups.length > 0 && (
          <Typography variant="caption" sx={{ color: 'text.secondary' }}>
            {words.rest}
          </Typography>
        )}
      </Box>
    </ConfirmDialog>
  );
}

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
