import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useMemo, useState } from 'react';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { MachineLife } from '../../../shared/model/machine-life.ts';
import { isEnded, type WaveCause, type WaveDetail, type WaveMember } from '../../../shared/model/wave.ts';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { bytesText, minuteText } from '../../components/quantities.ts';
import { MachineLifeLabel } from '../../components/replicas/life-label.tsx';
import { ChecksDialog } from '../../forms/life/checks-dialog.tsx';
import type { LifeDialogProps } from '../../forms/life/life-parts.tsx';
import { LifeButton } from '../../forms/life/life-button.tsx';
import { choicesOf, isPossible } from '../../forms/life/life-choices.ts';
import { AssignWaveDialog } from '../../forms/waves/assign-wave-dialog.tsx';
import { text } from '../../text/text.ts';
import { AddMembersDialog } from './add-members-dialog.tsx';
import { MemberLabel } from './wave-state.tsx';

const words = text.waves;

interface Props {
  readonly wave: WaveDetail;
  /** Only members that it holds back. */
  readonly cause: WaveCause | undefined;
  readonly onShowAll: () => void;
  readonly onChanged: () => void;
}

/** The members of a wave, in their order. */
export function WaveMembers({ wave, cause, onShowAll, onChanged }: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'add' | 'assign' | 'checks'>();
  const isFixed = wave.run !== undefined && !isEnded(wave.run);
  const shown = useMemo(
    () =>
      cause === undefined
        ? wave.memberList
        : wave.memberList.filter(({ replicaId }) => cause.replicas.includes(replicaId)),
    [wave, cause],
  );
  const lives = useRunQuery('replica.life', { wave: wave.name }, 'states');
  const ways = useMemo(() => new Map((lives.data ?? []).map((life) => [life.replicaId, life])), [lives.data]);
  const { reload } = lives;
  const ids = [...chosen].filter((id) => wave.memberList.some(({ replicaId }) => replicaId === id));
  const columns = useMemo(
    () =>
      columnsOf(
        wave,
        ways,
        reload,
        isFixed
          ? undefined
          : {
              chosen,
              choose: (id, isChosen) =>
                setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((one) => one !== id))),
            },
      ),
    [wave, ways, reload, isFixed, chosen],
  );
  const chosenLives = ids.flatMap((id) => ways.get(id) ?? []);
  const areAll = shown.length > 0 && shown.every(({ replicaId }) => chosen.has(replicaId));
  return (
    <Box component="section" aria-label={words.members}>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap', minHeight: 40, mb: 1 }}>
        <Typography variant="h6" component="h2">
          {words.members}
        </Typography>
        {cause !== undefined && (
          <>
            <Typography role="status">{words.filtered(cause.message)}</Typography>
            <Button size="small" onClick={onShowAll}>
              {words.clearFilter}
            </Button>
          </>
        )}
        <Box sx={{ flexGrow: 1 }} />
        {!isFixed && (
          <>
            <Button
              size="small"
              onClick={() => setChosen(new Set(areAll ? [] : shown.map(({ replicaId }) => replicaId)))}
            >
              {areAll ? text.replicas.clearChosen : text.replicas.chooseAll}
            </Button>
            {inBulk.map((choice) => {
              const able = chosenLives.filter((life) => isPossible(life, choice));
              return able.length === 0 ? null : (
                <LifeButton key={choice} choice={choice} lives={able} look="beside" onDone={reload} />
              );
            })}
            {chosenLives.length > 0 && (
              <Button size="small" variant="outlined" onClick={() => setOpen('checks')}>
                {text.proof.checks.editOf(chosenLives.length)}
              </Button>
            )}
            {ids.length > 0 && (
              <Button
                size="small"
                variant="outlined"
                onClick={() => setOpen('assign')}
                aria-label={words.assignOf(ids.length)}
              >
                {words.assign}
              </Button>
            )}
            <Button size="small" onClick={() => setOpen('add')}>
              {words.addMembers}
            </Button>
          </>
        )}
      </Box>
      <PagedTable label={words.members} columns={columns} rows={shown} rowKey={({ replicaId }) => replicaId} />
      {open === 'checks' && <MembersChecks lives={chosenLives} onDone={onChanged} onClose={() => setOpen(undefined)} />}
      {open === 'add' && <AddMembersDialog wave={wave.name} onAdded={onChanged} onClose={() => setOpen(undefined)} />}
      {open === 'assign' && (
        <AssignWaveDialog
          replicas={ids}
          onClose={() => setOpen(undefined)}
          onAssigned={() => {
            setChosen(new Set());
            onChanged();
          }}
        />
      )}
    </Box>
  );
}

/** Starts with the checks of the first of them. */
function MembersChecks({ lives, onDone, onClose }: LifeDialogProps) {
  // Those that were meant when the dialog was opened.
  const [meant] = useState(lives);
  const first = useQuery('replica.show', { replica: meant[0]?.replicaId ?? '' }).data;
  return first === undefined ? null : (
    <ChecksDialog lives={meant} initial={first.checks ?? []} onDone={onDone} onClose={onClose} />
  );
}

/** What is decided for many VMs together. Rehearsals and cut-overs of many are the wave's own actions, in its order. */
const inBulk = ['approve', 'roll-back', 'finalise'] as const;

interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (id: string, isChosen: boolean) => void;
}

function columnsOf(
  wave: WaveDetail,
  ways: ReadonlyMap<string, MachineLife>,
  onDone: () => void,
  choice: Choice | undefined,
): readonly Column<WaveMember>[] {
  const names = new Map(wave.memberList.map(({ replicaId, name }) => [replicaId, name]));
  const column = words.memberColumns;
  return [
    ...(choice === undefined
      ? []
      : [
          {
            id: 'chosen',
            label: text.replicas.choose,
            cell: ({ replicaId, name }: WaveMember) => (
              <Checkbox
                size="small"
                checked={choice.chosen.has(replicaId)}
                onChange={(event) => choice.choose(replicaId, event.target.checked)}
                slotProps={{ input: { 'aria-label': text.replicas.chooseOne(name) } }}
                sx={{ p: 0.25 }}
              />
            ),
          },
        ]),
    {
      id: 'name',
      label: column.name,
      cell: ({ replicaId, name }) => <Link href={hrefOf('replicas', replicaId)}>{name}</Link>,
    },
    ...(wave.groups.length < 2
      ? []
      : [{ id: 'group', label: column.group, cell: ({ group }: WaveMember) => wave.groups[group]?.name ?? '' }]),
    { id: 'state', label: column.state, cell: (member) => <State member={member} action={wave.run?.action} /> },
    {
      id: 'synchronised',
      label: column.synchronised,
      cell: ({ synchronisedAt }) => (synchronisedAt === undefined ? words.never : minuteText(synchronisedAt)),
    },
    { id: 'way', label: text.life.column, cell: ({ replicaId }) => <Way life={ways.get(replicaId)} /> },
    ...(wave.memberList.every(({ after }) => after.length === 0)
      ? []
      : [
          {
            id: 'waits',
            label: column.waits,
            isMinor: true,
            cell: ({ after }: WaveMember) => after.map((id) => names.get(id) ?? id).join(', '),
          },
        ]),
    { id: 'problem', label: column.problem, cell: (member) => <Problem member={member} /> },
    { id: 'next', label: text.life.next, cell: ({ replicaId }) => <Next life={ways.get(replicaId)} onDone={onDone} /> },
  ];
}

function State({ member, action }: { readonly member: WaveMember; readonly action: string | undefined }) {
  const { state, startedId, progress } = member;
  if (state === undefined) return '–';
  const path =
    startedId === undefined
      ? undefined
      : action === 'synchronise'
        ? hrefOf('runs', startedId)
        : hrefOf('deployments', startedId);
  return (
    <>
      <MemberLabel state={state} />
      {state === 'running' && progress !== undefined && progress.bytesTotal > 0 && (
        <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
          {words.bytes(bytesText(progress.bytesDone), bytesText(progress.bytesTotal))}
        </Typography>
      )}
      {path !== undefined && (
        <Link href={path} variant="caption" aria-label={`${words.view}: ${member.name}`} sx={{ ml: 1 }}>
          {words.view}
        </Link>
      )}
    </>
  );
}

/** Where a member stands on its way, since when, and who brought it there. */
function Way({ life }: { readonly life: MachineLife | undefined }) {
  if (life === undefined) return null;
  return (
    <>
      <MachineLifeLabel state={life.state} />
      {life.since !== undefined && (
        <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
          {life.by === undefined ? minuteText(life.since) : text.life.whoAndWhen(life.by, minuteText(life.since))}
        </Typography>
      )}
    </>
  );
}

function Next({ life, onDone }: { readonly life: MachineLife | undefined; readonly onDone: () => void }) {
  const next = life === undefined ? undefined : choicesOf(life).next;
  return life === undefined || next === undefined ? null : (
    <Box sx={{ ml: -1 }}>
      <LifeButton choice={next} lives={[life]} look="row" onDone={onDone} />
    </Box>
  );
}

function Problem({ member: { error, errors, replicaId, name } }: { readonly member: WaveMember }) {
  if (error !== undefined) return errorText(error.code).title;
  if (errors === 0) return null;
  return (
    <Link href={hrefOf('replicas', replicaId, 'configure')} aria-label={`${words.errors(errors)}: ${name}`}>
      {words.errors(errors)}
    </Link>
  );
}
