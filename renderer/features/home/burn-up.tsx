import Box from '@mui/material/Box';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { LineChart, lineClasses } from '@mui/x-charts/LineChart';
import { useState } from 'react';
import type { Dashboard } from '../../../shared/contract/dashboard-calls.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { bytesText } from '../../components/quantities.ts';
import { locale, text } from '../../text/text.ts';
import { burnUp, type BurnUpPoint } from './burn-up-points.ts';

const words = text.home.dashboard.burnUp;
const lines = {
  copied: { color: 'var(--mui-palette-info-main)', dashes: undefined },
  moved: { color: 'var(--mui-palette-success-main)', dashes: undefined },
  all: { color: 'var(--mui-palette-text-secondary)', dashes: '6 4' },
} as const;
type Line = keyof typeof lines;
const strokes: Readonly<
  Record<string, { readonly strokeWidth: number; readonly strokeDasharray: string | undefined }>
> = Object.fromEntries(
  (Object.keys(lines) as Line[]).map((line) => [
    `& .${lineClasses.line}[data-series="${line}"]`,
    { strokeWidth: 2, strokeDasharray: lines[line].dashes },
  ]),
);
const dayText = (day: string | number): string =>
  new Date(day).toLocaleDateString(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** How many VMs were copied and moved by each day, as a plot whose values can be read with the pointer and the arrow keys, or as a table. */
export function BurnUp({ days, replicas }: Pick<Dashboard, 'days' | 'replicas'>) {
  const [view, setView] = useState<'plot' | 'table'>('plot');
  const points = burnUp(days, replicas);
  const last = points.at(-1);
  return (
    <Box role="figure" aria-label={words.figure(last?.copied ?? 0, last?.moved ?? 0, replicas)}>
      <Box sx={{ display: 'flex', columnGap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
        <Box
          component="ul"
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            columnGap: 2,
            m: 0,
            p: 0,
            listStyle: 'none',
            flexGrow: 1,
            fontSize: 12,
            color: 'text.secondary',
          }}
        >
          {(Object.keys(lines) as Line[]).map((line) => (
            <Box component="li" key={line} sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
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
              {words.lines[line]}
            </Box>
          ))}
        </Box>
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
      {view === 'table' ? (
        <PagedTable
          label={words.title}
          columns={columns}
          rows={points}
          rowKey={({ day }) => day}
          sortedBy={{ column: 'day', descending: true }}
        />
      ) : (
        <LineChart
          height={200}
          hideLegend
          skipAnimation
          margin={{ top: 12, right: 36, bottom: 4, left: 0 }}
          grid={{ horizontal: true }}
          xAxis={[
            {
              data: points.map(({ day }) => Date.parse(day)),
              scaleType: 'time',
              height: 24,
              tickInterval: ticksOf(points),
              disableLine: true,
              disableTicks: true,
              valueFormatter: (at: number) => dayText(at),
            },
          ]}
          yAxis={[
            { min: 0, max: Math.max(1, replicas), width: 48, tickMinStep: 1, disableLine: true, disableTicks: true },
          ]}
          series={(Object.keys(lines) as Line[]).map((line) => ({
            id: line,
            label: words.lines[line],
            color: lines[line].color,
            data: points.map((point) => point[line]),
            showMark: false,
            curve: 'linear' as const,
          }))}
          sx={strokes}
        />
      )}
    </Box>
  );
}

/** At most six days, the first and the last among them. */
function ticksOf(points: readonly BurnUpPoint[]): number[] {
  const every = Math.max(1, Math.ceil((points.length - 1) / 5));
  return points.filter((_, index) => (points.length - 1 - index) % every === 0).map(({ day }) => Date.parse(day));
}

const columns: readonly Column<BurnUpPoint>[] = [
  { id: 'day', label: words.day, sortBy: ({ day }) => day, cell: ({ day }) => dayText(day) },
  { id: 'copied', label: words.lines.copied, align: 'right', cell: ({ copied }) => copied },
  { id: 'moved', label: words.lines.moved, align: 'right', cell: ({ moved }) => moved },
  { id: 'bytes', label: words.bytes, align: 'right', cell: ({ bytes }) => bytesText(bytes) },
];
