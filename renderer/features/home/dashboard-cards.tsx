import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import type { Dashboard } from '../../../shared/contract/dashboard-calls.ts';
import { errorCatalogue, type ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { hrefOf } from '../../app/route.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { LearnMoreOfError } from '../../components/manual/learn-more.tsx';
import { bytesText, durationText, minuteText, rateText } from '../../components/quantities.ts';
import { MachineLifeLabel } from '../../components/replicas/life-label.tsx';
import { Section } from '../../components/section.tsx';
import { StateLabel } from '../../components/state-label.tsx';
import { errorWords, text } from '../../text/text.ts';

const words = text.home.dashboard;
/** More are said as a number. */
const mostNames = 6;

/** What needs somebody, what runs, and what comes next. Nothing while the project has nothing to say. */
export function DashboardCards() {
  const query = useRunQuery('dashboard.show', {}, 'states');
  const { data: shown, reload } = query;
  const isActive = shown !== undefined && shown.running.count > 0;
  // Numbers of what runs; states bring it anew by themselves.
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(reload, 5000);
    return () => clearInterval(timer);
  }, [isActive, reload]);
  if (shown === undefined) return null;
  return (
    <>
      {shown.lives.length > 0 && <Lives lives={shown.lives} />}
      {shown.days.length > 0 && <BurnUpSection days={shown.days} replicas={shown.replicas} lags={shown.lags} />}
      <Box
        sx={{
          display: 'grid',
          gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' },
          gap: 3,
          alignItems: 'start',
          '&:empty': { display: 'none' },
        }}
      >
        <Attention failures={shown.failures} late={shown.late} />
        <Running running={shown.running} />
        <Next next={shown.next} />
      </Box>
    </>
  );
}

/** The library that draws comes when there is something to draw. */
const BurnUp = lazy(async () => ({ default: (await import('./burn-up.tsx')).BurnUp }));

function BurnUpSection({ days, replicas, lags }: Pick<Dashboard, 'days' | 'replicas' | 'lags'>) {
  return (
    <Section
      title={words.burnUp.title}
      note={words.burnUp.sent(bytesText(days.reduce((sum, { bytes }) => sum + bytes, 0)))}
    >
      <Suspense fallback={<Box sx={{ height: 220 }} />}>
        <BurnUp days={days} replicas={replicas} />
      </Suspense>
      {lags.length > 0 && (
        <Box
          component="dl"
          aria-label={words.burnUp.lag}
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            columnGap: 4,
            m: 0,
            mt: 1.5,
            '& dt': { color: 'text.secondary', fontSize: 12 },
            '& dd': { m: 0, fontWeight: 550, fontVariantNumeric: 'tabular-nums' },
          }}
        >
          {lags.map(({ within, count }) => (
            <div key={within}>
              <dt>{words.burnUp.lags[within]}</dt>
              <dd>{words.burnUp.vms(count)}</dd>
            </div>
          ))}
        </Box>
      )}
    </Section>
  );
}

function Lines({ children }: { readonly children: ReactNode }) {
  return (
    <Box
      component="ul"
      sx={{
        m: 0,
        p: 0,
        listStyle: 'none',
        '& > li': { py: 1, borderTop: 1, borderColor: 'divider' },
        '& > li:first-of-type': { borderTop: 0, pt: 0 },
      }}
    >
      {children}
    </Box>
  );
}

function Lives({ lives }: Pick<Dashboard, 'lives'>) {
  return (
    <Section title={text.life.title}>
      <Box
        component="ul"
        sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 4, rowGap: 1, m: 0, p: 0, listStyle: 'none' }}
      >
        {lives.map(({ state, count }) => (
          <Box component="li" key={state} sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
            <MachineLifeLabel state={state} />
            <Box component="b" sx={{ fontVariantNumeric: 'tabular-nums' }}>
              {count}
            </Box>
          </Box>
        ))}
      </Box>
    </Section>
  );
}

/** What failed, by cause, and what should have been done by now. */
function Attention({ failures, late }: Pick<Dashboard, 'failures' | 'late'>) {
  return (
    <Section title={words.attention}>
      {failures.length + late.length === 0 && (
        <Typography sx={{ color: 'text.secondary' }}>{words.noAttention}</Typography>
      )}
      <Lines>
        {late.map(({ wave, at, why, open }) => (
          <li key={`${why} ${wave}`}>
            <StateLabel tone="paused">
              <Link href={hrefOf(...(why === 'missed' ? ['waves'] : ['waves', wave]))}>
                {why === 'missed' ? words.missed(wave) : words.windowOver(wave, open)}
              </Link>
            </StateLabel>
            <Typography variant="caption" component="div" sx={{ color: 'text.secondary', pl: 3.5 }}>
              {minuteText(at)}
            </Typography>
          </li>
        ))}
        {failures.map(({ code, replicas }) => {
          const known = Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : undefined;
          const title = known === undefined ? code : errorWords(known).title;
          return (
            <li key={code}>
              <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
                <StateLabel tone="bad">{words.failed(title, replicas.length)}</StateLabel>
                {known !== undefined && <LearnMoreOfError code={known} title={title} />}
              </Box>
              <Box sx={{ display: 'flex', columnGap: 1.5, flexWrap: 'wrap', pl: 3.5, fontSize: 12 }}>
                {replicas.slice(0, mostNames).map(({ kind, id, name }) => (
                  <Link key={id} href={hrefOf(kind === 'execution' ? 'runs' : 'deployments', id)}>
                    {name}
                  </Link>
                ))}
                {replicas.length > mostNames && <span>{words.more(replicas.length - mostNames)}</span>}
              </Box>
            </li>
          );
        })}
      </Lines>
    </Section>
  );
}

function Running({ running: { count, runs } }: Pick<Dashboard, 'running'>) {
  return (
    <Section title={words.running} {...(count > 0 ? { note: words.count(count) } : {})}>
      {count === 0 && <Typography sx={{ color: 'text.secondary' }}>{words.nothingRuns}</Typography>}
      <Lines>
        {runs.map(
          ({ kind, id, name, number, isInterrupted, bytesTotal, bytesDone = 0, rateBytesPerSecond, secondsLeft }) => {
            const label = kind === 'execution' ? words.execution(number) : words.deployment(number);
            const percent =
              bytesTotal === undefined || bytesTotal === 0 ? undefined : Math.floor((100 * bytesDone) / bytesTotal);
            return (
              <li key={id}>
                <Box sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'baseline' }}>
                  <Link href={hrefOf(kind === 'execution' ? 'runs' : 'deployments', id)}>{name}</Link>
                  <Typography variant="caption" sx={{ color: 'text.secondary', flexGrow: 1 }}>
                    {isInterrupted ? words.interrupted(label) : label}
                  </Typography>
                  {rateBytesPerSecond !== undefined && rateBytesPerSecond > 0 && (
                    <Typography variant="caption">{rateText(rateBytesPerSecond)}</Typography>
                  )}
                  {secondsLeft !== undefined && (
                    <Typography variant="caption">{words.left(durationText(secondsLeft))}</Typography>
                  )}
                </Box>
                {percent !== undefined && bytesTotal !== undefined && (
                  <LinearProgress
                    variant="determinate"
                    value={percent}
                    aria-label={name}
                    aria-valuetext={text.waves.bytes(bytesText(bytesDone), bytesText(bytesTotal))}
                    sx={{ mt: 0.5, height: 4, borderRadius: 2 }}
                  />
                )}
              </li>
            );
          },
        )}
      </Lines>
    </Section>
  );
}

function Next({ next }: Pick<Dashboard, 'next'>) {
  return (
    <Section title={words.next}>
      {next.length === 0 && (
        <>
          <Typography sx={{ color: 'text.secondary', mb: 1 }}>{words.noNext}</Typography>
          <Button size="small" href={hrefOf('waves')} sx={{ ml: -1 }}>
            {words.toWaves}
          </Button>
        </>
      )}
      <Lines>
        {next.map(({ wave, at, until, kind, action, isBlackedOut }) => {
          const what = action === undefined ? text.waves.calendar.window : text.waves.actionNouns[action];
          return (
            <li key={`${wave} ${kind} ${at}`}>
              <Link href={hrefOf('waves', wave)}>{wave}</Link> ·{' '}
              {isBlackedOut ? text.waves.calendar.blackedOut(what) : what}
              <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                {kind === 'window' ? words.window(minuteText(at), minuteText(until)) : minuteText(at)}
              </Typography>
            </li>
          );
        })}
      </Lines>
    </Section>
  );
}
