import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormGroup from '@mui/material/FormGroup';
import LinearProgress from '@mui/material/LinearProgress';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { asCausewayError } from '../../app/query-store.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';
import { alike, changesOf, ownSettings, type ReplicaChange } from './apply-settings.ts';
import { shortText } from '../../forms/environment/environment-field.tsx';
import type { EnvironmentDraft } from '../../forms/environment/environment-draft.ts';

interface Props {
  readonly replica: Replica;
  readonly draft: EnvironmentDraft;
  /** As the form has it; empty for none. */
  readonly wave: string;
  readonly endpoints: { readonly source: Endpoint; readonly destination: Endpoint };
  readonly onClose: () => void;
}

/** Takes settings of one machine to others, after showing what that changes. */
export function ApplyToMany({ replica, draft, wave, onClose }: Props) {
  const id = useId();
  const replicas = useQuery('replica.list', {});
  const endpoints = useQuery('endpoint.list', {});
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="md" fullWidth>
      <DialogTitle id={id}>{text.configure.apply.title}</DialogTitle>
      <QueryView query={replicas}>
        {(all) => (
          <QueryView query={endpoints}>
            {(known) => <Choices draft={draft} wave={wave} others={alike(replica, all, known)} onClose={onClose} />}
          </QueryView>
        )}
      </QueryView>
    </Dialog>
  );
}

function Choices({
  draft,
  wave,
  others,
  onClose,
}: {
  readonly draft: EnvironmentDraft;
  readonly wave: string;
  readonly others: readonly Replica[];
  readonly onClose: () => void;
}) {
  const link = useLink();
  const toast = useToast();
  const settings = useMemo(() => ownSettings(draft), [draft]);
  const [chosenSettings, setChosenSettings] = useState<ReadonlySet<string>>(new Set());
  const [chosenReplicas, setChosenReplicas] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const stop = useRef(new AbortController());
  const [progress, setProgress] = useState<Progress>();
  const changes = useMemo(
    // While they are made, every one that is made changes what is left.
    () =>
      progress !== undefined
        ? []
        : changesOf(
            settings.filter(({ side, key }) => chosenSettings.has(`${side}/${key}`)),
            others.filter(({ id }) => chosenReplicas.has(id)),
            chosenSettings.has(waveItem) ? (wave === '' ? null : wave) : undefined,
          ),
    [progress, settings, wave, others, chosenSettings, chosenReplicas],
  );
  useEffect(() => () => stop.current.abort(), []);
  const apply = useAction(async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setFailures(new Map());
    const failed = new Map<string, readonly string[]>();
    // As they were confirmed: every change that is made leaves fewer to make.
    const confirmed = changes;
    let done = 0;
    for (const [at, { replica, update }] of confirmed.entries()) {
      if (signal.aborted) break;
      setProgress({ at, of: confirmed.length });
      try {
        await link.call('replica.update', update);
        done += 1;
      } catch (error) {
        const { message } = asCausewayError(error);
        failed.set(message, [...(failed.get(message) ?? []), replica.name]);
      }
    }
    setProgress(undefined);
    if (done > 0)
      toast(signal.aborted ? text.configure.apply.stopped(done, confirmed.length) : text.configure.apply.done(done));
    setFailures(failed);
    if (failed.size === 0 && !signal.aborted) onClose();
  });
  return (
    <>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {progress === undefined && (
          <>
            <Typography sx={{ color: 'text.secondary' }}>{text.configure.apply.lead}</Typography>
            {settings.length === 0 && <Alert severity="info">{text.configure.apply.noSettings}</Alert>}
            {others.length === 0 && <Alert severity="info">{text.configure.apply.noMachines}</Alert>}
            <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 2 }}>
              <Picker
                title={text.configure.apply.settings}
                items={[
                  { id: waveItem, label: text.configure.apply.wave(wave === '' ? text.configure.noWave : wave) },
                  ...settings.map(({ side, key, label }) => ({ id: `${side}/${key}`, label })),
                ]}
                chosen={chosenSettings}
                onChange={setChosenSettings}
              />
              <Picker
                title={text.configure.apply.machines}
                search={text.configure.apply.search}
                items={others.map(({ id, name, wave: own }) => ({ id, label: name, more: own }))}
                chosen={chosenReplicas}
                onChange={setChosenReplicas}
              />
            </Box>
            {chosenSettings.size > 0 && chosenReplicas.size > 0 && <Preview changes={changes} />}
          </>
        )}
        {[...failures].map(([message, names]) => (
          <Alert key={message} severity="error">
            {text.configure.apply.failed}: {names.slice(0, mostNames).join(', ')}
            {names.length > mostNames && ` ${text.configure.apply.more(names.length - mostNames)}`}. {message}
          </Alert>
        ))}
        {progress !== undefined && (
          <Box role="status">
            <Typography>{text.configure.apply.progress(progress.at, progress.of)}</Typography>
            <LinearProgress
              variant="determinate"
              value={(100 * progress.at) / progress.of}
              aria-label={text.configure.apply.title}
            />
          </Box>
        )}
      </DialogContent>
      <DialogActions>
        {apply.isBusy ? (
          <Button onClick={() => stop.current.abort()}>{text.configure.apply.stop}</Button>
        ) : (
          <Button onClick={onClose}>{text.app.cancel}</Button>
        )}
        <Button variant="contained" disabled={changes.length === 0 || apply.isBusy} onClick={() => void apply.run()}>
          {text.configure.apply.run(progress?.of ?? changes.length)}
        </Button>
      </DialogActions>
    </>
  );
}

/** How many VMs were gone through. */
interface Progress {
  readonly at: number;
  readonly of: number;
}

/** More are found by searching; each is an element that takes time to draw. */
const [mostItems, mostChanges, mostNames] = [100, 200, 5];

/** No key of a setting, as these have their side before them. */
const waveItem = 'wave';

interface PickerProps {
  readonly title: string;
  /** What the field is called that finds items among many. */
  readonly search?: string;
  readonly items: readonly { readonly id: string; readonly label: string; readonly more?: string | undefined }[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

function Picker({ title, search, items, chosen, onChange }: PickerProps) {
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const shown = items.filter(({ label, more = '' }) => `${label}\n${more}`.toLowerCase().includes(wanted));
  const chosenHere = shown.filter(({ id }) => chosen.has(id)).length;
  const toggleAll = () => {
    const rest = [...chosen].filter((id) => !shown.some((one) => one.id === id));
    onChange(new Set(chosenHere === shown.length ? rest : [...rest, ...shown.map(({ id }) => id)]));
  };
  const toggle = (id: string) =>
    onChange(new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id]));
  return (
    <Box role="group" aria-label={title}>
      <Typography sx={{ fontWeight: 600 }}>{title}</Typography>
      {search !== undefined && items.length > 8 && (
        <TextField
          type="search"
          size="small"
          label={search}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          sx={{ my: 1, width: '100%' }}
        />
      )}
      <FormGroup sx={{ maxHeight: 'max(260px, 45vh)', overflow: 'auto', flexWrap: 'nowrap' }}>
        {shown.length > 1 && (
          <FormControlLabel
            control={
              <Checkbox
                size="small"
                checked={chosenHere === shown.length}
                indeterminate={chosenHere > 0 && chosenHere < shown.length}
                onChange={toggleAll}
              />
            }
            label={wanted === '' ? text.configure.apply.all : text.configure.apply.allFound(shown.length)}
          />
        )}
        {shown.slice(0, mostItems).map(({ id, label, more }) => (
          <FormControlLabel
            key={id}
            control={<Checkbox size="small" checked={chosen.has(id)} onChange={() => toggle(id)} />}
            label={more === undefined ? label : `${label} · ${more}`}
          />
        ))}
        {shown.length > mostItems && (
          <Typography sx={{ color: 'text.secondary', py: 1 }}>
            {text.configure.apply.more(shown.length - mostItems)}
          </Typography>
        )}
      </FormGroup>
    </Box>
  );
}

function Preview({ changes }: { readonly changes: readonly ReplicaChange[] }) {
  if (changes.length === 0) return <Alert severity="success">{text.configure.apply.nothing}</Alert>;
  const said = (value: unknown, wasCleared: boolean): string =>
    wasCleared ? text.configure.cleared : value === undefined ? text.configure.apply.inherited : shortText(value);
  return (
    <Box component="section" aria-label={text.configure.apply.preview} sx={{ maxHeight: 320, overflow: 'auto' }}>
      <Typography sx={{ fontWeight: 600 }}>{text.configure.apply.preview}</Typography>
      <Table size="small" stickyHeader>
        <TableHead>
          <TableRow>
            <TableCell>{text.configure.apply.machine}</TableCell>
            <TableCell>{text.configure.apply.setting}</TableCell>
            <TableCell>{text.configure.apply.before}</TableCell>
            <TableCell>{text.configure.apply.after}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {changes.slice(0, mostChanges).flatMap(({ replica, changes: own, wave }) => [
            ...(wave === undefined
              ? []
              : [
                  <TableRow key={`${replica.id} ${waveItem}`}>
                    <TableCell>{replica.name}</TableCell>
                    <TableCell>{text.configure.wave}</TableCell>
                    <TableCell>{wave.before ?? text.configure.noWave}</TableCell>
                    <TableCell sx={{ fontWeight: 600 }}>{wave.after ?? text.configure.noWave}</TableCell>
                  </TableRow>,
                ]),
            ...own.map((change) => (
              <TableRow key={`${replica.id} ${change.side} ${change.key}`}>
                <TableCell>{replica.name}</TableCell>
                <TableCell>{change.label}</TableCell>
                <TableCell sx={{ overflowWrap: 'anywhere' }}>{said(change.before, change.wasCleared)}</TableCell>
                <TableCell sx={{ overflowWrap: 'anywhere', fontWeight: 600 }}>
                  {said(change.shown, change.value === undefined)}
                </TableCell>
              </TableRow>
            )),
          ])}
        </TableBody>
      </Table>
      {changes.length > mostChanges && (
        <Typography sx={{ color: 'text.secondary', p: 1 }}>
          {text.configure.apply.more(changes.length - mostChanges)}
        </Typography>
      )}
    </Box>
  );
}
