import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isEnded, type WaveCause, type WaveDetail } from '../../../shared/model/wave.ts';
import { hrefOf } from '../../app/route.ts';
import { stateColor } from '../../app/theme.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useWorkbenchEvent } from '../../app/workbench-context.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { EnglishText } from '../../components/english-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { bytesText, durationText, rateText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { SeverityLabel } from '../../components/severity-label.tsx';
import { lost, windowText } from '../../forms/waves/wave-words.ts';
import { text } from '../../text/text.ts';
import { AddMembersDialog } from './add-members-dialog.tsx';
import { causeEvidence, causeWords, isAboutNoVm } from './cause-words.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { nextAction, WaveActions, waitsForSettings } from './wave-actions.tsx';
import { WaveEstimate } from './wave-estimate.tsx';
import { WaveMembers } from './wave-members.tsx';
import { WaveState } from './wave-state.tsx';

const words = text.waves;
const progressMs = 2000;

/** One wave: what it needs next, what holds its members back, and the members. */
export function WaveScreen({ name }: { readonly name: string }) {
  const query = useRunQuery('wave.show', { wave: name }, 'states');
  const [open, setOpen] = useState<'plan' | 'add'>();
  const [cause, setCause] = useState<WaveCause>();
  const wave = query.data;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Numbers come several times a second, from every execution of the wave.
  useWorkbenchEvent('execution.progress', () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      query.reload();
    }, progressMs);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  if (query.data === undefined && query.error?.code === 'engine.not-found') {
    return (
      <EmptyState title={words.missing}>
        <Button variant="contained" href={hrefOf('waves')}>
          {words.toWaves}
        </Button>
      </EmptyState>
    );
  }
  const close = () => setOpen(undefined);
  return (
    <Screen
      isWide
      title={name}
      {...(wave === undefined
        ? {}
        : {
            lead: <Lead wave={wave} />,
            actions: <Actions wave={wave} onPlan={() => setOpen('plan')} onChanged={query.reload} />,
          })}
    >
      <QueryView query={query}>
        {(shown) => (
          <>
            {shown.run?.waitsFor !== undefined && (
              <GoCard wave={shown} waitsFor={shown.run.waitsFor} onChanged={query.reload} />
            )}
            {shown.members === 0 ? (
              <EmptyState title={words.noMembers} lead={words.noMembersLead}>
                <Button variant="contained" onClick={() => setOpen('add')}>
                  {words.addMembers}
                </Button>
              </EmptyState>
            ) : (
              <>
                <Figures wave={shown} />
                <WaveEstimate wave={shown} first={nextAction(shown)} />
                <Causes wave={shown} onShow={setCause} onChanged={query.reload} />
                <WaveMembers
                  wave={shown}
                  cause={cause}
                  onShowAll={() => setCause(undefined)}
                  onChanged={query.reload}
                />
              </>
            )}
            {open === 'plan' && <PlanDialog wave={shown} onSaved={query.reload} onClose={close} />}
            {open === 'add' && <AddMembersDialog wave={name} onAdded={query.reload} onClose={close} />}
          </>
        )}
      </QueryView>
    </Screen>
  );
}

function Lead({ wave }: { readonly wave: WaveDetail }) {
  return (
    <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
      <WaveState run={wave.run} />
      <span>{[wave.plan?.description, wave.plan?.owner].filter((part) => part !== undefined).join(' · ')}</span>
    </Box>
  );
}

function Actions({
  wave,
  onPlan,
  onChanged,
}: {
  readonly wave: WaveDetail;
  readonly onPlan: () => void;
  readonly onChanged: () => void;
}) {
  const isFixed = wave.run !== undefined && !isEnded(wave.run);
  return (
    <>
      <WaveActions wave={wave} onChanged={onChanged} />
      <Button variant="outlined" disabled={isFixed} onClick={onPlan}>
        {words.plan}
      </Button>
      {wave.members > 0 && (
        <Button variant="outlined" href={hrefOf('waves', wave.name, 'runbook')}>
          {text.proof.runbook.open}
        </Button>
      )}
      <Button variant={waitsForSettings(wave) ? 'contained' : 'outlined'} href={hrefOf('defaults', wave.name)}>
        {words.settings}
      </Button>
    </>
  );
}

/** A person has to decide. */
function GoCard({
  wave,
  waitsFor,
  onChanged,
}: {
  readonly wave: WaveDetail;
  readonly waitsFor: NonNullable<NonNullable<WaveDetail['run']>['waitsFor']>;
  readonly onChanged: () => void;
}) {
  const link = useLink();
  const go = useAction(async () => {
    await link.call('wave.go', { wave: wave.name });
    onChanged();
  });
  return (
    <Paper
      component="section"
      variant="outlined"
      aria-label={words.goTitle(waitsFor.name)}
      sx={{ p: 2, borderColor: stateColor('person', 'solid') }}
    >
      <Typography variant="h6" component="h2">
        {words.goTitle(waitsFor.name)}
      </Typography>
      <Typography sx={{ mb: 1.5 }}>
        {waitsFor.reason === 'go' || wave.run === undefined ? words.goDue : words.goFailures(lost(wave.run))}
      </Typography>
      {go.error !== undefined && <ErrorNotice error={go.error} />}
      <Button variant="contained" disabled={go.isBusy} onClick={() => void go.run()}>
        {words.go(waitsFor.name)}
      </Button>
    </Paper>
  );
}

function Figures({ wave }: { readonly wave: WaveDetail }) {
  const { progress, run } = wave;
  const isActive = run?.state === 'running' && run.counts.running > 0;
  const done = run === undefined ? 0 : run.counts.completed;
  const percent = wave.members === 0 ? 0 : Math.floor((100 * done) / wave.members);
  return (
    <Box>
      <Box
        component="dl"
        sx={{
          display: 'flex',
          columnGap: 5,
          rowGap: 1,
          flexWrap: 'wrap',
          m: 0,
          '& dt': { color: 'text.secondary', fontSize: 12 },
          '& dd': { m: 0, fontSize: 20, lineHeight: '28px', fontWeight: 550, fontVariantNumeric: 'tabular-nums' },
        }}
      >
        <Figure name={words.figures.ready}>{words.of(wave.ready, wave.members)}</Figure>
        <Figure name={words.figures.moved}>{words.of(wave.moved, wave.members)}</Figure>
        {progress.bytesTotal > 0 && (
          <Figure name={words.figures.copied}>
            {words.bytes(bytesText(progress.bytesDone), bytesText(progress.bytesTotal))}
          </Figure>
        )}
        {isActive && progress.rateBytesPerSecond > 0 && (
          <Figure name={words.figures.rate}>{rateText(progress.rateBytesPerSecond)}</Figure>
        )}
        {isActive && progress.secondsLeft !== undefined && (
          <Figure name={words.figures.left}>{durationText(progress.secondsLeft)}</Figure>
        )}
        <Figure name={words.figures.window}>{windowText(wave.plan)}</Figure>
      </Box>
      {run !== undefined && (
        <LinearProgress
          variant="determinate"
          value={percent}
          aria-label={words.progress}
          aria-valuetext={words.of(done, wave.members)}
          color={lost(run) > 0 ? 'warning' : isEnded(run) ? 'success' : 'info'}
          sx={{ mt: 1.5, height: 8, borderRadius: 4 }}
        />
      )}
    </Box>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Grouped by cause: one line for all that it holds back. */
function Causes({
  wave,
  onShow,
  onChanged,
}: {
  readonly wave: WaveDetail;
  readonly onShow: (cause: WaveCause) => void;
  readonly onChanged: () => void;
}) {
  const names = new Map(wave.memberList.map(({ replicaId, name }) => [replicaId, name]));
  const column = words.causeColumns;
  const causes = wave.causes.filter((cause) => !isAboutNoVm(cause));
  return (
    <Section title={words.causes}>
      {causes.length === 0 ? (
        <Typography sx={{ color: 'text.secondary' }}>{words.noCauses}</Typography>
      ) : (
        <Table size="small" aria-label={words.causes} sx={{ '& tr:last-child td': { border: 0 } }}>
          <TableHead>
            <TableRow>
              <TableCell>{column.cause}</TableCell>
              <TableCell align="right">{column.vms}</TableCell>
              <TableCell>{column.example}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {causes.slice(0, 50).map((cause) => {
              const [first = ''] = cause.replicas;
              const message = causeWords(cause);
              const evidence = causeEvidence(cause, message);
              return (
                <TableRow key={`${cause.kind} ${cause.code ?? ''} ${cause.path ?? ''} ${cause.message}`}>
                  <TableCell>
                    <SeverityLabel severity={cause.severity}>
                      {message === cause.message ? <EnglishText>{message}</EnglishText> : message}
                      {evidence !== undefined && (
                        <Typography
                          variant="caption"
                          component="span"
                          sx={{ display: 'block', color: 'text.secondary', overflowWrap: 'anywhere' }}
                        >
                          <EnglishText>{evidence}</EnglishText>
                        </Typography>
                      )}
                    </SeverityLabel>
                  </TableCell>
                  <TableCell align="right">
                    <Button
                      size="small"
                      aria-label={`${cause.replicas.length} · ${words.filterCause}: ${message}`}
                      onClick={() => onShow({ ...cause, message })}
                      sx={{ minWidth: 0 }}
                    >
                      {cause.replicas.length}
                    </Button>
                  </TableCell>
                  <TableCell>
                    {names.has(first) && (
                      <Link
                        href={
                          cause.kind === 'finding' ? hrefOf('replicas', first, 'configure') : hrefOf('replicas', first)
                        }
                      >
                        {names.get(first)}
                      </Link>
                    )}
                  </TableCell>
                </TableRow>
              );
            })}
          </TableBody>
        </Table>
      )}
      {causes.length < wave.causes.length && (
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary', mt: 1 }}>
          {text.validation.noCatalog}
        </Typography>
      )}
      <QuotaAge wave={wave} onRead={onChanged} />
    </Section>
  );
}

/** How old the quotas are that VMs were held against, and a way to read them again. */
function QuotaAge({ wave: { quotaCatalogs }, onRead }: { readonly wave: WaveDetail; readonly onRead: () => void }) {
  const link = useLink();
  const toast = useToast();
  const refresh = useAction(async () => {
    for (const { endpoint } of quotaCatalogs) await link.call('catalog.capture', { endpoint });
    onRead();
    toast(words.quotasRead);
  });
  if (quotaCatalogs.length === 0) return null;
  return (
    <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap', mt: 1 }}>
      <Typography variant="caption" sx={{ color: 'text.secondary' }}>
        {quotaCatalogs
          .map((of) => words.quotasOf(of.name, of.at === undefined ? undefined : timeText(of.at)))
          .join(' ')}
      </Typography>
      <Button size="small" disabled={refresh.isBusy} onClick={() => void refresh.run()}>
        {words.quotasRefresh}
      </Button>
      {refresh.error !== undefined && <ErrorNotice error={refresh.error} onClose={refresh.clear} />}
    </Box>
  );
}
