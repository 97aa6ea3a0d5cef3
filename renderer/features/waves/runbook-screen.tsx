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
import type { WaveEstimate } from '../../../shared/model/wave-estimate.ts';
import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { confinedPage } from '../../../shared/reports/escape-html.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { durationText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { MachineLifeLabel } from '../../components/replicas/life-label.tsx';
import { saveFile } from '../../components/save-file.ts';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { WhoField } from '../../forms/life/life-parts.tsx';
import { useWho } from '../../forms/life/use-who.ts';
import { windowText } from '../../forms/waves/wave-words.ts';
import { locale, text } from '../../text/text.ts';

const words = text.proof.runbook;
/** Steps that a night has whatever happens; the roll-back is none of them. */
const usual: readonly RunbookStep[] = runbookSteps.filter((step) => step !== 'roll-back');

/** The steps of a wave's cut-over, VM by VM in the order of the wave, ticked while it happens. */
export function RunbookScreen({ wave }: { readonly wave: string }) {
  const lives = useRunQuery('replica.life', { wave }, 'states');
  const shown = useRunQuery('wave.show', { wave }, 'states').data;
  const order = new Map(shown?.memberList.map(({ replicaId }, place) => [replicaId, place]));
  const estimate = useQuery('wave.estimate', { wave, action: 'cut-over' }).data;
  const planned = shown === undefined ? undefined : plannedVms(shown, estimate);
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
  const sorted =
    lives.data?.toSorted((one, other) => (order.get(one.replicaId) ?? 0) - (order.get(other.replicaId) ?? 0)) ?? [];
  const done = sorted.reduce((sum, { history }) => sum + usual.filter((step) => ticksOf(history).has(step)).length, 0);
  return (
    <Screen
      isWide
      title={words.title(wave)}
      lead={words.lead}
      actions={
        <>
          {sorted.length > 0 && (
            <Button
              variant="outlined"
              disabled={save.isBusy}
              onClick={() => void save.run(sorted.map(({ replicaId }) => replicaId))}
            >
              {words.save}
            </Button>
          )}
          <Button href={hrefOf('waves', wave)}>{words.toWave}</Button>
        </>
      }
    >
      {[tick, save].map(
        ({ error, clear }, index) => error !== undefined && <ErrorNotice key={index} error={error} onClose={clear} />,
      )}
      {shown?.plan !== undefined && <PlanFacts plan={shown.plan} />}
      <Box sx={{ display: 'flex', gap: 3, flexWrap: 'wrap', alignItems: 'flex-start' }}>
        <Box sx={{ width: 360 }}>
          <WhoField who={who} onChange={setWho} />
        </Box>
        <Typography role="status" sx={{ fontWeight: 600, mt: 1.25 }}>
          {words.done(done, sorted.length * usual.length)}
        </Typography>
      </Box>
      <QueryView query={lives}>
        {() =>
          sorted.length === 0 ? (
            <Typography>{words.none}</Typography>
          ) : (
            <Box
              sx={{
                display: 'grid',
                gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 680px), 1fr))',
                gap: 3,
                alignItems: 'start',
              }}
            >
              {sorted.map((life) => (
                <VmSteps
                  key={life.replicaId}
                  life={life}
                  planned={planned?.get(life.replicaId)}
                  onTick={(step, isDone) => void tick.run(life.replicaId, step, isDone)}
                />
              ))}
            </Box>
          )
        }
      </QueryView>
    </Screen>
  );
}

interface PlannedVm {
  readonly facts: readonly Fact[];
}
type Fact = readonly [string, string];

/** Of each VM: its place in the wave's order, its owner, and when it is expected to be cut over. */
function plannedVms(
  { memberList, groups, plan }: WaveDetail,
  estimate: WaveEstimate | undefined,
): ReadonlyMap<string, PlannedVm> {
  const estimates = new Map(estimate?.memberList.map((member) => [member.replicaId, member]));
  const names = new Map(memberList.map(({ replicaId, name }) => [replicaId, name]));
  return new Map(
    memberList.map(({ replicaId, group, after }) => {
      const { owner, startSeconds, endSeconds, downtimeSeconds } = estimates.get(replicaId) ?? {};
      const { name = '', needsGo = false } = groups[group] ?? {};
      const order = [
        ...(groups.length > 1 ? [words.group(name, group + 1, groups.length)] : []),
        ...(needsGo ? [words.needsGo] : []),
        ...(after.length > 0 ? [words.after(after.map((id) => names.get(id) ?? id).join(', '))] : []),
      ];
      const at = (seconds: number): string =>
        new Date(Date.parse(estimate?.startsAt ?? '') + seconds * 1000).toLocaleString(locale, {
          ...clock,
          timeZone: plan?.window?.zone,
        });
      const isTimed = plan?.window !== undefined && startSeconds !== undefined && endSeconds !== undefined;
      return [
        replicaId,
        {
          facts: [
            ...(order.length === 0 ? [] : [[words.order, order.join(' · ')] as const]),
            [words.owner, owner ?? words.noOwner],
            [
              words.expected,
              isTimed
                ? words.fromTo(
                    at(startSeconds),
                    at(endSeconds),
                    downtimeSeconds === undefined ? undefined : durationText(downtimeSeconds),
                  )
                : plan?.window === undefined
                  ? words.noWindow
                  : words.notMeasured,
            ],
          ],
        },
      ];
    }),
  );
}

/** As the window is written. */
const clock = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

function PlanFacts({ plan }: { readonly plan: WavePlan }) {
  const { description, owner, window } = plan;
  const facts: readonly Fact[] = [
    ...(window === undefined ? [] : [[text.waves.planFields.window, windowText(plan)] as const]),
    ...(owner === undefined ? [] : [[text.waves.planFields.owner, owner] as const]),
    ...(description === undefined ? [] : [[text.waves.planFields.description, description] as const]),
  ];
  return facts.length === 0 ? null : <Facts facts={facts} />;
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <Box component="dl" sx={{ display: 'flex', columnGap: 4, rowGap: 1, flexWrap: 'wrap', m: 0 }}>
      {facts.map(([name, value]) => (
        <Box key={name}>
          <Typography variant="caption" component="dt" sx={{ color: 'text.secondary' }}>
            {name}
          </Typography>
          <Typography component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
            {value}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}

interface VmProps {
  readonly life: MachineLife;
  readonly planned: PlannedVm | undefined;
  readonly onTick: (step: RunbookStep, isDone: boolean) => void;
}

function VmSteps({ life, planned, onTick }: VmProps) {
  const ticks = ticksOf(life.history);
  return (
    <Section title={life.replicaName} note={words.done(usual.filter((step) => ticks.has(step)).length, usual.length)}>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', mb: 1 }}>
        <MachineLifeLabel state={life.state} />
        {life.problem !== undefined && <Typography sx={{ overflowWrap: 'anywhere' }}>{life.problem}</Typography>}
        <Link href={hrefOf('replicas', life.replicaId)}>{words.openVm(life.replicaName)}</Link>
      </Box>
      {planned !== undefined && (
        <Box sx={{ mb: 1 }}>
          <Facts facts={planned.facts} />
        </Box>
      )}
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
                    size="small"
                    checked={tick !== undefined}
                    onChange={(event) => onTick(step, event.target.checked)}
                    sx={{ p: 0.25, mr: 1 }}
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
