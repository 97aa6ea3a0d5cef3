import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ExpandMoreIcon from '@mui/icons-material/ExpandMore';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { LifeRecord, LifeState, MachineLife } from '../../../shared/model/machine-life.ts';
import { hrefOf } from '../../app/route.ts';
import { shade, stateColor } from '../../app/theme.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { durationText, minuteText, timeText } from '../../components/quantities.ts';
import { GlyphLabel, machineLooks, MachineLifeLabel } from '../../components/replicas/life-label.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { LifeButton } from './life-button.tsx';
import { choicesOf } from './life-choices.ts';

const words = text.life;

/** Where a VM stands on its way, what can be done, and who did what so far. */
export function LifeSection({ life, onDone }: { readonly life: MachineLife; readonly onDone: () => void }) {
  const { state, problem, since, by } = life;
  return (
    <Section title={words.title}>
      <Milestones life={life} />
      <Box sx={{ display: 'flex', columnGap: 2, rowGap: 1, flexWrap: 'wrap', alignItems: 'baseline', mt: 2 }}>
        <Box role="status" sx={{ fontWeight: 600 }}>
          <MachineLifeLabel state={state} />
        </Box>
        {since !== undefined && (
          <Typography sx={{ color: 'text.secondary' }}>{words.since(minuteText(since), by ?? '')}</Typography>
        )}
        <Typography sx={{ flex: '1 1 300px' }}>{meaningOf(life)}</Typography>
      </Box>
      {problem !== undefined && (
        <Alert severity={state === 'cut-over-failed' ? 'error' : 'warning'} sx={{ mt: 1.5, overflowWrap: 'anywhere' }}>
          {problem}
        </Alert>
      )}
      <Others life={life} onDone={onDone} />
      <History records={life.history} />
    </Section>
  );
}

function meaningOf({ state, next, rehearsal }: MachineLife): string {
  if (next === 'fix-settings' && state !== 'not-ready') return words.toFix;
  return state === 'in-sync' && rehearsal?.outcome === 'running' ? words.rehearsing : words.meaning[state];
}

/** What can be done besides the next step, which leads at the top of the page. */
function Others({ life, onDone }: { readonly life: MachineLife; readonly onDone: () => void }) {
  const { others } = choicesOf(life);
  const { rehearsal, cutOver } = life;
  const link = useLink();
  const toast = useToast();
  const end = useAction(async (deployment: string) => {
    await link.call('rehearsal.end', { deployment });
    toast(words.rehearsal.ended(life.replicaName));
    onDone();
  });
  const isCut = cutOver !== undefined && life.state !== 'rolled-back';
  return (
    <>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', mt: 1.5, '&:empty': { display: 'none' } }}>
        {others.map((choice) => (
          <LifeButton key={choice} choice={choice} lives={[life]} look="beside" onDone={onDone} />
        ))}
        {life.next === 'fix-settings' && (
          <Button size="small" variant="outlined" href={hrefOf('replicas', life.replicaId, 'configure')}>
            {words.fix}
          </Button>
        )}
        {rehearsal !== undefined && (rehearsal.outcome === 'running' || rehearsal.endsAt !== undefined) && (
          <Button size="small" href={hrefOf('deployments', rehearsal.deploymentId)}>
            {words.rehearsal.watch}
          </Button>
        )}
        {rehearsal?.endsAt !== undefined && (
          <Button size="small" disabled={end.isBusy} onClick={() => void end.run(rehearsal.deploymentId)}>
            {words.rehearsal.end}
          </Button>
        )}
        {isCut && (
          <Button size="small" href={hrefOf('deployments', cutOver.deploymentId)}>
            {words.cutOver.watch}
          </Button>
        )}
      </Box>
      {end.error !== undefined && <ErrorNotice error={end.error} onClose={end.clear} />}
    </>
  );
}

interface Milestone {
  readonly name: keyof typeof words.milestones;
  readonly state: 'done' | 'open' | 'now' | 'bad';
  /** Whose glyph it has. */
  readonly shows: LifeState;
  readonly facts: readonly string[];
}

/** The five stations of the way, with who and when. */
export function milestonesOf({
  state,
  synchronisedTo,
  rehearsal,
  approval,
  cutOver,
  since,
  by,
}: MachineLife): readonly Milestone[] {
  const isOver = ['running-at-destination', 'finalising', 'finalised'].includes(state);
  const signed =
    by === undefined || since === undefined
      ? since === undefined
        ? []
        : [minuteText(since)]
      : [words.whoAndWhen(by, minuteText(since))];
  const downtime =
    cutOver?.downtime?.seconds === undefined ? [] : [words.downtime(durationText(cutOver.downtime.seconds))];
  const outcome = rehearsal?.outcome;
  return [
    {
      name: 'synchronised',
      shows: 'in-sync',
      state: synchronisedTo !== undefined ? 'done' : state === 'initial-copy' ? 'now' : 'open',
      facts: synchronisedTo === undefined ? [] : [minuteText(synchronisedTo)],
    },
    {
      name: 'rehearsed',
      shows: 'rehearsed',
      state: outcome === 'passed' ? 'done' : outcome === 'failed' ? 'bad' : outcome === 'running' ? 'now' : 'open',
      facts:
        rehearsal === undefined
          ? []
          : [
              outcome === 'failed'
                ? words.rehearsalFailed
                : outcome === 'running'
                  ? words.rehearsalRunning
                  : minuteText(rehearsal.at),
              ...(rehearsal.endsAt === undefined ? [] : [words.rehearsalEnds(minuteText(rehearsal.endsAt))]),
            ],
    },
    {
      name: 'approved',
      shows: 'approved',
      state: approval?.isCurrent === true ? 'done' : 'open',
      facts:
        approval === undefined
          ? []
          : [
              words.whoAndWhen(approval.by, minuteText(approval.at)),
              ...(approval.note === undefined ? [] : [approval.note]),
              ...(approval.isCurrent ? [] : [words.outdatedApproval]),
            ],
    },
    {
      name: 'cutOver',
      shows: state === 'rolled-back' ? 'rolled-back' : 'running-at-destination',
      state: isOver
        ? 'done'
        : state === 'cutting-over' || state === 'rolling-back'
          ? 'now'
          : state === 'cut-over-failed'
            ? 'bad'
            : 'open',
      facts:
        state === 'running-at-destination'
          ? [...signed, ...downtime]
          : state === 'rolled-back'
            ? [words.states['rolled-back'], ...signed, ...downtime]
            : isOver
              ? downtime
              : state === 'cutting-over' || state === 'cut-over-failed' || state === 'rolling-back'
                ? signed
                : [],
    },
    {
      name: 'finalised',
      shows: 'finalised',
      state: state === 'finalised' ? 'done' : state === 'finalising' ? 'now' : 'open',
      facts: state === 'finalised' || state === 'finalising' ? signed : [],
    },
  ];
}

function Milestones({ life }: { readonly life: MachineLife }) {
  return (
    <Box
      component="ol"
      aria-label={words.title}
      sx={{
        display: 'grid',
        gridTemplateColumns: 'repeat(5, minmax(120px, 1fr))',
        gap: 1.5,
        m: 0,
        p: 0,
        listStyle: 'none',
      }}
    >
      {milestonesOf(life).map(({ name, state, shows, facts }) => {
        const look =
          state === 'open' && shows !== 'rolled-back'
            ? machineLooks['not-ready']
            : state === 'bad'
              ? machineLooks['cut-over-failed']
              : state === 'now'
                ? machineLooks['initial-copy']
                : machineLooks[shows];
        const color = state === 'open' ? shade('lineStrong') : stateColor(look.family, 'solid');
        return (
          <Box
            component="li"
            key={name}
            sx={{ borderTop: '3px solid', borderColor: color, pt: 1, overflowWrap: 'anywhere' }}
          >
            <GlyphLabel look={look}>{words.milestones[name]}</GlyphLabel>
            <Box
              component="span"
              sx={{ position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' }}
            >
              {words.milestoneStates[state]}
            </Box>
            {(facts.length === 0 ? [words.notYet] : facts).map((fact) => (
              <Typography key={fact} variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                {fact}
              </Typography>
            ))}
          </Box>
        );
      })}
    </Box>
  );
}

function History({ records }: { readonly records: readonly LifeRecord[] }) {
  if (records.length === 0) return null;
  const column = words.historyColumns;
  return (
    <Accordion
      variant="outlined"
      disableGutters
      slotProps={{ heading: { component: 'h3' }, transition: { unmountOnExit: true, timeout: 0 } }}
      sx={{ mt: 2, '&::before': { display: 'none' } }}
    >
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>{words.history(records.length)}</AccordionSummary>
      <AccordionDetails sx={{ pt: 0 }}>
        <Table size="small" aria-label={words.history(records.length)}>
          <TableHead>
            <TableRow>
              <TableCell>{column.at}</TableCell>
              <TableCell>{column.what}</TableCell>
              <TableCell>{column.by}</TableCell>
              <TableCell>{column.details}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {records.toReversed().map(({ id, at, kind, by, details }) => (
              <TableRow key={id}>
                <TableCell sx={{ whiteSpace: 'nowrap' }}>{timeText(at)}</TableCell>
                <TableCell>{words.records[kind]}</TableCell>
                <TableCell>{by}</TableCell>
                <TableCell>{typeof details['note'] === 'string' ? details['note'] : ''}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </AccordionDetails>
    </Accordion>
  );
}
