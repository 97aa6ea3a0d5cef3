import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, useState } from 'react';
import type { RateSample } from '../../../shared/model/progress.ts';
import { rateText } from '../../components/quantities.ts';
import { text } from '../../text/en.ts';
import { pieces, rateFacts, rateTicks } from './rate-scale.ts';

const height = 150;
const margin = { left: 74, right: 8, top: 8, bottom: 22 } as const;

interface Props {
  readonly samples: readonly RateSample[];
  /** What holds now in bytes per second; undefined = unlimited. */
  readonly limit: number | undefined;
}

/** The rate over time, with the limit that holds now. */
export function RateChart({ samples, limit }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const { mean, peak } = rateFacts(samples);
  const ticks = rateTicks(Math.max(peak, limit ?? 0));
  const [from, to] = [samples[0]?.at ?? 0, Math.max(samples.at(-1)?.at ?? 0, (samples[0]?.at ?? 0) + 10_000)];
  const top = ticks.at(-1)!;
  const x = (at: number): number => margin.left + ((at - from) / (to - from)) * (width - margin.left - margin.right);
  const y = (rate: number): number => margin.top + (1 - rate / top) * (height - margin.top - margin.bottom);
  const words = text.runs.rateFacts(rateText(mean), rateText(peak));
  return (
    <Box ref={frame}>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'baseline', mb: 0.5 }}>
        <Typography variant="body2" component="h3" sx={{ fontWeight: 600 }}>
          {text.runs.rate}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {words}
          {limit === undefined ? '' : ` · ${limit === 0 ? text.runs.pausedNow : text.runs.limitNow(rateText(limit))}`}
        </Typography>
      </Box>
      <Box component="svg" role="img" aria-label={`${text.runs.rateChart}: ${words}`} width={width} height={height} sx={{ display: 'block', overflow: 'visible', fontSize: 11 }}>
        {ticks.map((tick) => (
          <Box component="g" key={tick} sx={{ color: 'divider' }}>
            <line x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} stroke="currentColor" />
            <Label x={margin.left - 8} y={y(tick) + 4} anchor="end" words={rateText(tick)} />
          </Box>
        ))}
        <Label x={margin.left} y={height - 4} anchor="start" words={timeOfDay(from)} />
        <Label x={width - margin.right} y={height - 4} anchor="end" words={timeOfDay(to)} />
        {limit !== undefined && limit > 0 && (
          <Box component="line" x1={margin.left} x2={width - margin.right} y1={y(limit)} y2={y(limit)} strokeDasharray="6 4" sx={{ stroke: 'var(--mui-palette-warning-main)', strokeWidth: 1.5 }} />
        )}
        <Box component="g" sx={{ color: 'primary.main' }}>
          {pieces(samples).map((piece) => {
            const line = piece.map(({ at, bytesPerSecond }) => `${x(at).toFixed(1)} ${y(bytesPerSecond).toFixed(1)}`).join(' L');
            const [first, last] = [piece[0]!.at, piece.at(-1)!.at];
            return (
              <g key={first}>
                <path d={`M${x(first)} ${y(0)} L${line} L${x(last)} ${y(0)} Z`} fill="currentColor" fillOpacity={0.14} />
                <path d={`M${line}`} fill="none" stroke="currentColor" strokeWidth={2} strokeLinejoin="round" strokeLinecap="round" />
              </g>
            );
          })}
        </Box>
      </Box>
    </Box>
  );
}

function Label({ x, y, anchor, words }: { readonly x: number; readonly y: number; readonly anchor: 'start' | 'end'; readonly words: string }) {
  return (
    <Box component="text" x={x} y={y} textAnchor={anchor} sx={{ fill: 'var(--mui-palette-text-secondary)' }}>
      {words}
    </Box>
  );
}

function timeOfDay(at: number): string {
  return at === 0 ? '' : new Date(at).toLocaleTimeString();
}

/** The width that an element has right now, in CSS pixels. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => entry !== undefined && setWidth(Math.max(320, Math.floor(entry.contentRect.width))));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
