import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { dateAfter, wallTimeAt } from '../../../shared/model/wall-time.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import type { WorkbenchOutput } from '../../app/workbench-link.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { minuteText } from '../../components/quantities.ts';
import { useNow } from '../../components/use-now.ts';
import { locale, text } from '../../text/text.ts';

const words = text.waves.calendar;
type Calendar = WorkbenchOutput<'wave.calendar'>;

/** The week of all waves in this computer's time zone, and what was missed. */
export function WaveCalendar() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [offset, setOffset] = useState(0);
  const now = useNow(60_000);
  const { date, weekday } = wallTimeAt(now, zone);
  const monday = dateAfter(date, offset * 7 - weekday);
  // A day more at both ends, because days of the zone begin elsewhere than those of UTC; the days sort it out.
  const input = { from: `${dateAfter(monday, -1)}T00:00:00Z`, until: `${dateAfter(monday, 8)}T00:00:00Z` };
  const query = useRunQuery('wave.calendar', input, 'states');
  if (query.data === undefined) return null;
  const days = Array.from({ length: 7 }, (_, index) => dateAfter(monday, index));
  const byDay = Map.groupBy(query.data.starts, ({ at }) => wallTimeAt(Date.parse(at), zone).date);
  return (
    <>
      {query.data.missed.map((missed) => (
        <Missed key={missed.wave} missed={missed} onSettled={query.reload} />
      ))}
      <Box component="section" aria-label={words.title}>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', mb: 1, flexWrap: 'wrap' }}>
          <Typography variant="h6" component="h2" sx={{ mr: 1 }}>
            {words.title}
          </Typography>
          <Button size="small" onClick={() => setOffset((week) => week - 1)}>
            {words.earlier}
          </Button>
          <Button size="small" disabled={offset === 0} onClick={() => setOffset(0)}>
            {words.thisWeek}
          </Button>
          <Button size="small" onClick={() => setOffset((week) => week + 1)}>
            {words.later}
          </Button>
          <Typography variant="caption" sx={{ color: 'text.secondary' }}>
            {zone}
          </Typography>
        </Box>
        <Box
          sx={{
            display: 'grid',
            gridTemplateColumns: { xs: '1fr', md: 'repeat(7, minmax(0, 1fr))' },
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
          }}
        >
          {days.map((day) => (
            <Box
              key={day}
              sx={{
                p: 1,
                minHeight: { md: 88 },
                borderLeft: { md: 1 },
                borderColor: { md: 'divider' },
                ...(day === date ? { bgcolor: 'action.hover' } : {}),
              }}
            >
              <Typography variant="caption" component="h3" sx={{ fontWeight: day === date ? 650 : 500 }}>
                {dayText(day)}
              </Typography>
              {(byDay.get(day) ?? []).map((start) => (
                <Start key={`${start.wave} ${start.at} ${start.kind}`} start={start} zone={zone} />
              ))}
            </Box>
          ))}
        </Box>
      </Box>
    </>
  );
}

function dayText(day: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' }).format(
    Date.parse(`${day}T00:00:00Z`),
  );
}

function Start({ start, zone }: { readonly start: Calendar['starts'][number]; readonly zone: string }) {
  const what = start.action === undefined ? words.window : text.waves.actionNouns[start.action];
  return (
    <Typography variant="caption" component="div" sx={{ overflowWrap: 'anywhere' }}>
      {wallTimeAt(Date.parse(start.at), zone).time} <Link href={hrefOf('waves', start.wave)}>{start.wave}</Link>{' '}
      {start.isBlackedOut ? words.blackedOut(what) : what}
    </Typography>
  );
}

/** The computer was asleep when something was due, and its plan asks a person. */
function Missed({
  missed,
  onSettled,
}: {
  readonly missed: Calendar['missed'][number];
  readonly onSettled: () => void;
}) {
  const link = useLink();
  const settle = useAction(async (starts: boolean) => {
    if (starts) await link.call('wave.start', { wave: missed.wave, action: missed.action });
    else await link.call('wave.skipMissed', { wave: missed.wave });
    onSettled();
  });
  return (
    <Paper component="section" variant="outlined" aria-label={words.missedTitle(missed.wave)} sx={{ p: 2 }}>
      <Typography variant="h6" component="h2">
        {words.missedTitle(missed.wave)}
      </Typography>
      <Typography sx={{ mb: 1.5 }}>
        {words.missedLead(text.waves.actionNouns[missed.action], minuteText(missed.at), minuteText(missed.until))}
      </Typography>
      {settle.error !== undefined && <ErrorNotice error={settle.error} />}
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button variant="contained" disabled={settle.isBusy} onClick={() => void settle.run(true)}>
          {words.startNow}
        </Button>
        <Button disabled={settle.isBusy} onClick={() => void settle.run(false)}>
          {words.skip}
        </Button>
      </Box>
    </Paper>
  );
}
