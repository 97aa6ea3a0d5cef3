import Box from '@mui/material/Box';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { LineChart, lineClasses } from '@mui/x-charts/LineChart';
import { useMemo, useState } from 'react';
import { formatRate } from '../../../shared/model/bandwidth-profile.ts';
import type { RateSample } from '../../../shared/model/progress.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { rateText, timeOfDayText, timeText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { highestOf, plotPoints, rateFacts, rateTicks, withForecast } from './rate-scale.ts';

const height = 200;
const inBytes = (rate: number | null): string | null => (rate === null ? null : rateText(rate));
/** In the order in which they are drawn. */
const lines = {
  processed: {
    label: text.runs.rateLines.processed,
    color: 'var(--mui-palette-action-active)',
    width: 1.5,
    dashes: undefined,
  },
  sent: { label: text.runs.rateLines.sent, color: 'var(--mui-palette-primary-main)', width: 2, dashes: undefined },
  forecast: {
    label: text.runs.rateLines.forecast,
    color: 'var(--mui-palette-primary-main)',
    width: 1.5,
    dashes: '2 3',
  },
  limit: { label: text.runs.rateLines.limit, color: 'var(--mui-palette-error-main)', width: 1.5, dashes: '6 4' },
} as const;
type Line = keyof typeof lines;
const strokes: Readonly<
  Record<string, { readonly strokeWidth: number; readonly strokeDasharray: string | undefined }>
> = Object.fromEntries(
  (Object.keys(lines) as Line[]).map((line) => [
    `& .${lineClasses.line}[data-series="${line}"]`,
    { strokeWidth: lines[line].width, strokeDasharray: lines[line].dashes },
  ]),
);

interface Props {
  readonly samples: readonly RateSample[];
  /** What applies now in bytes per second; undefined = unlimited. */
  readonly limit: number | undefined;
  /** Of an execution that copies. */
  readonly secondsLeft: number | undefined;
}

/** The rate over time with what limited it, as a plot whose values can be read with the pointer and the arrow keys, or as a table. */
export function RateChart({ samples, limit, secondsLeft }: Props) {
  const [view, setView] = useState<'plot' | 'table'>('plot');
  const { mean, peak } = rateFacts(samples);
  const words = text.runs.rateFacts(rateText(mean), rateText(peak));
  return (
    <Box role="figure" aria-label={`${text.runs.rateChart}: ${words}`}>
      <Box sx={{ display: 'flex', columnGap: 2, rowGap: 1, flexWrap: 'wrap', alignItems: 'center', mb: 1 }}>
        <Typography variant="body2" component="h3" sx={{ fontWeight: 600 }}>
          {text.runs.rate}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {words}
          {secondsLeft === undefined
            ? ''
            : ` · ${text.runs.endsAbout(timeOfDayText((samples.at(-1)?.at ?? 0) + secondsLeft * 1000))}`}
          {limit === undefined
            ? ''
            : ` · ${limit === 0 ? text.runs.pausedNow : text.runs.limitNow(formatRate(limit), rateText(limit))}`}
        </Typography>
        <ToggleButtonGroup
          size="small"
          exclusive
          value={view}
          aria-label={text.runs.rateView}
          onChange={(_event, next: 'plot' | 'table' | null) => setView(next ?? view)}
        >
          <ToggleButton value="plot">{text.runs.asChart}</ToggleButton>
          <ToggleButton value="table">{text.runs.asTable}</ToggleButton>
        </ToggleButtonGroup>
      </Box>
      {view === 'plot' ? (
        <Plot samples={samples} secondsLeft={secondsLeft} />
      ) : (
        <PagedTable
          label={text.runs.rate}
          columns={columns}
          rows={samples}
          rowKey={({ at }) => String(at)}
          sortedBy={{ column: 'at', descending: true }}
        />
      )}
      <Typography variant="caption" component="p" sx={{ color: 'text.secondary', mt: 1 }}>
        {text.runs.rateHelp}
      </Typography>
    </Box>
  );
}

function Plot({ samples, secondsLeft = 0 }: Pick<Props, 'samples' | 'secondsLeft'>) {
  const points = useMemo(() => withForecast(plotPoints(samples), samples, secondsLeft), [samples, secondsLeft]);
  const drawn = (Object.keys(lines) as Line[]).filter((line) => points.some((point) => point[line] !== null));
  const times = points.map(({ at }) => at);
  const [from, to] = [times[0] ?? 0, Math.max(times.at(-1) ?? 0, (times[0] ?? 0) + 10_000)];
  const ticks = rateTicks(highestOf(points));
  return (
    <>
      <Box
        component="ul"
        sx={{
          display: 'flex',
          flexWrap: 'wrap',
          justifyContent: 'flex-end',
          columnGap: 2,
          m: 0,
          p: 0,
          listStyle: 'none',
        }}
      >
        {drawn.map((line) => (
          <Typography
            key={line}
            component="li"
            variant="caption"
            sx={{ display: 'flex', alignItems: 'center', gap: 0.75, color: 'text.secondary' }}
          >
            <svg width="20" height="8" aria-hidden>
              <line
                x1="0"
                x2="20"
                y1="4"
                y2="4"
                stroke={lines[line].color}
                strokeWidth={2}
                strokeDasharray={lines[line].dashes}
              />
            </svg>
            {lines[line].label}
          </Typography>
        ))}
      </Box>
      <LineChart
        height={height}
        margin={{ left: 0, right: 8, top: 8, bottom: 0 }}
        hideLegend
        // Nothing moves because numbers came in.
        skipAnimation
        grid={{ horizontal: true }}
        xAxis={[
          {
            data: times,
            scaleType: 'time',
            min: from,
            max: to,
            height: 24,
            tickNumber: 4,
            disableLine: true,
            disableTicks: true,
            valueFormatter: timeOfDayText,
          },
        ]}
        yAxis={[
          {
            min: 0,
            max: ticks.at(-1)!,
            width: 74,
            tickInterval: [...ticks],
            disableLine: true,
            disableTicks: true,
            valueFormatter: rateText,
          },
        ]}
        series={drawn.map((line) => ({
          id: line,
          label: lines[line].label,
          color: lines[line].color,
          data: points.map((point) => point[line]),
          valueFormatter: inBytes,
          area: line === 'sent',
          showMark: false,
          curve: line === 'limit' ? ('stepAfter' as const) : ('linear' as const),
        }))}
        sx={{
          [`& .${lineClasses.area}`]: { fillOpacity: 0.15, filter: 'none' },
          ...strokes,
        }}
      />
    </>
  );
}

const columns: readonly Column<RateSample>[] = [
  { id: 'at', label: text.runs.rateMoment, cell: ({ at }) => timeText(at), sortBy: ({ at }) => at },
  {
    id: 'sent',
    label: lines.sent.label,
    align: 'right',
    cell: ({ sentPerSecond }) => (sentPerSecond === undefined ? text.runs.notMeasured : rateText(sentPerSecond)),
    sortBy: ({ sentPerSecond }) => sentPerSecond ?? -1,
  },
  {
    id: 'processed',
    label: lines.processed.label,
    align: 'right',
    cell: ({ bytesPerSecond }) => rateText(bytesPerSecond),
    sortBy: ({ bytesPerSecond }) => bytesPerSecond,
  },
  { id: 'limit', label: lines.limit.label, align: 'right', cell: ({ limit }) => limitText(limit) },
];

function limitText(limit: number | null | undefined): string {
  if (limit === undefined) return text.runs.notMeasured;
  if (limit === null) return text.runs.unlimited;
  return limit === 0 ? text.runs.paused : rateText(limit);
}
