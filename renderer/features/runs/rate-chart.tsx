import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { ChartsReferenceLine } from '@mui/x-charts/ChartsReferenceLine';
import { LineChart, lineClasses } from '@mui/x-charts/LineChart';
import { useMemo } from 'react';
import type { RateSample } from '../../../shared/model/progress.ts';
import { rateText, timeOfDayText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { pieces, rateFacts, rateTicks } from './rate-scale.ts';

const height = 172;

interface Props {
  readonly samples: readonly RateSample[];
  /** What holds now in bytes per second; undefined = unlimited. */
  readonly limit: number | undefined;
}

/** The rate over time, with the limit that applies now. Each value can be read with the pointer and with the arrow keys. */
export function RateChart({ samples, limit }: Props) {
  const { mean, peak } = rateFacts(samples);
  const ticks = rateTicks(Math.max(peak, limit ?? 0));
  const { times, rates } = useMemo(() => pointsOf(samples), [samples]);
  const [from, to] = [times[0] ?? 0, Math.max(times.at(-1) ?? 0, (times[0] ?? 0) + 10_000)];
  const words = text.runs.rateFacts(rateText(mean), rateText(peak));
  return (
    <Box role="figure" aria-label={`${text.runs.rateChart}: ${words}`}>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'baseline', mb: 0.5 }}>
        <Typography variant="body2" component="h3" sx={{ fontWeight: 600 }}>
          {text.runs.rate}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {words}
          {limit === undefined ? '' : ` · ${limit === 0 ? text.runs.pausedNow : text.runs.limitNow(rateText(limit))}`}
        </Typography>
      </Box>
      <LineChart
        height={height}
        margin={{ left: 0, right: 8, top: 8, bottom: 0 }}
        hideLegend
        // Nothing moves because numbers came in.
        skipAnimation
        grid={{ horizontal: true }}
        xAxis={[{ data: times, scaleType: 'time', min: from, max: to, height: 24, tickNumber: 4, disableLine: true, disableTicks: true, valueFormatter: timeOfDayText }]}
        yAxis={[{ min: 0, max: ticks.at(-1)!, width: 74, tickInterval: [...ticks], disableLine: true, disableTicks: true, valueFormatter: rateText }]}
        series={[{ data: rates, label: text.runs.rate, area: true, showMark: false, curve: 'linear', color: 'var(--mui-palette-primary-main)', valueFormatter: (rate) => (rate === null ? null : rateText(rate)) }]}
        sx={{ [`& .${lineClasses.area}`]: { fillOpacity: 0.14, filter: 'none' }, [`& .${lineClasses.line}`]: { strokeWidth: 2 } }}
      >
        {limit !== undefined && limit > 0 && <ChartsReferenceLine y={limit} lineStyle={{ stroke: 'var(--mui-palette-warning-main)', strokeWidth: 1.5, strokeDasharray: '6 4' }} />}
      </LineChart>
    </Box>
  );
}

/** Times and rates of the samples; a rate that is null interrupts the line between two pieces. */
function pointsOf(samples: readonly RateSample[]): { readonly times: readonly number[]; readonly rates: readonly (number | null)[] } {
  const all = pieces(samples).flatMap((piece): { at: number; bytesPerSecond: number | null }[] => [{ at: piece[0]!.at - 1, bytesPerSecond: null }, ...piece]).slice(1);
  return { times: all.map(({ at }) => at), rates: all.map(({ bytesPerSecond }) => bytesPerSecond) };
}
