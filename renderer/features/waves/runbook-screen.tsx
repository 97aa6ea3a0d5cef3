import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Link from '@mui/material/Link';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { runbookSteps, ticksOf, type MachineLife, type RunbookStep } from '../../../shared/model/machine-life.ts';
import { confinedPage } from '../../../shared/reports/escape-html.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { MachineLifeLabel } from '../../components/replicas/life-label.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { WhoField } from '../../forms/life/life-parts.tsx';
import { useWho } from '../../forms/life/use-who.ts';
import { text } from '../../text/text.ts';

const words = text.proof.runbook;
/** Steps that a night has whatever happens; the roll-back is none of them. */
const usual: readonly RunbookStep[] = runbookSteps.filter((step) => step !== 'roll-back');

/** The steps of a wave's cut-over, VM by VM in the order of the wave, ticked while it happens. */
export function RunbookScreen({ wave }: { readonly wave: string }) {
  const lives = useRunQuery('replica.life', { wave }, 'states');
  const order = useRunQuery('wave.show', { wave }, 'states').data?.memberList.map(({ replicaId }) => replicaId) ?? [];
  const link = useLink();
  const { who, setWho, by } = useWho();
  const tick = useAction(async (replica: string, step: RunbookStep, isDone: boolean) => {
    await link.call('replica.tick', { replica, step, isDone, ...by });
    lives.reload();
  });
  const save = useAction(async (replicas: readonly string[]) => {
    const { document } = await link.call('replica.runbook', { replicas: [...replicas], format: 'html' });
    saveFile(`runbook-${wave}.html`, confinedPage(document), 'text/html');
  });
  const sorted = lives.data?.toSorted((one, other) => order.indexOf(one.replicaId) - order.indexOf(other.replicaId)) ?? [];
  const done = sorted.reduce((sum, { history }) => sum + usual.filter((step) => ticksOf(history).has(step)).length, 0);
  return (
    <Screen
      isWide
      title={words.title(wave)}
      lead={words.lead}
      actions={
        <>
          {sorted.length > 0 && (
            <Button variant="outlined" disabled={save.isBusy} onClick={() => void save.run(sorted.map(({ replicaId }) => replicaId))}>
              {words.save}
            </Button>
          )}
          <Button href={hrefOf('waves', wave)}>{words.toWave}</Button>
        </>
      }
    >
      {[tick, save].map(({ error, clear }, index) => error !== undefined && <ErrorNotice key={index} error={error} onClose={clear} />)}
      <Box sx={{ display: 'flex', gap: 3, flexWrap: 'wrap', alignItems: 'flex-start' }}>
        <Box sx={{ width: 360 }}>
          <WhoField who={who} onChange={setWho} />
        </Box>
        <Typography role="status" sx={{ fontWeight: 600, mt: 1.25 }}>
          {words.done(done, sorted.length * usual.length)}
        </Typography>
      </Box>
      <QueryView query={lives}>
        {() => (sorted.length === 0 ? <Typography>{words.none}</Typography> : sorted.map((life) => <VmSteps key={life.replicaId} life={life} onTick={(step, isDone) => void tick.run(life.replicaId, step, isDone)} />))}
      </QueryView>
    </Screen>
  );
}

function VmSteps({ life, onTick }: { readonly life: MachineLife; readonly onTick: (step: RunbookStep, isDone: boolean) => void }) {
  const ticks = ticksOf(life.history);
  return (
    <Section title={life.replicaName}>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', mb: 1 }}>
        <MachineLifeLabel state={life.state} />
        {life.problem !== undefined && <Typography sx={{ overflowWrap: 'anywhere' }}>{life.problem}</Typography>}
        <Link href={hrefOf('replicas', life.replicaId)}>{life.replicaName}</Link>
      </Box>
      <Table size="small" aria-label={words.title(life.replicaName)}>
        <TableHead>
          <TableRow>
            <TableCell>{words.step}</TableCell>
            <TableCell sx={{ width: '35%' }}>{words.who}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {runbookSteps.map((step) => {
            const tick = ticks.get(step);
            return (
              <TableRow key={step}>
                <TableCell>
                  <Checkbox
                    size="small" checked={tick !== undefined} onChange={(event) => onTick(step, event.target.checked)} sx={{ p: 0.25, mr: 1 }}
                    slotProps={{ input: { 'aria-label': words.tick(words.steps[step], life.replicaName) } }}
                  />
                  {words.steps[step]}
                </TableCell>
                <TableCell>{tick === undefined ? '' : text.life.whoAndWhen(tick.by, timeText(tick.at))}</TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
    </Section>
  );
}
