import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { formatRate, type BandwidthProfile, type Rate } from '../../../shared/model/bandwidth-profile.ts';
import { text } from '../../text/text.ts';
import { weekOf } from './bandwidth.ts';

const size = { width: 520, left: 40, row: 16, top: 16 } as const;
const dayMinutes = 24 * 60;

/** A week of a profile at a glance: the darker, the more may be sent; hatched with nothing = pause. */
export function WeekPreview({ profile }: { readonly profile: BandwidthProfile }) {
  const week = weekOf(profile);
  const rates = distinct(week.flat().map(({ rate }) => rate));
  const x = (minute: number): number => size.left + (minute / dayMinutes) * (size.width - size.left);
  return (
    <Box>
      <Box
        component="svg"
        role="img"
        aria-label={text.runs.week}
        viewBox={`0 0 ${size.width} ${size.top + 7 * size.row}`}
        width="100%"
        sx={{ display: 'block', fontSize: 11, color: 'primary.main' }}
      >
        {[0, 6, 12, 18].map((hour) => (
          <Words key={hour} x={x(hour * 60)} y={11}>{`${String(hour).padStart(2, '0')}:00`}</Words>
        ))}
        {week.map((spans, day) => (
          <g key={text.runs.days[day]}>
            <Words x={0} y={size.top + day * size.row + 12}>
              {text.runs.days[day]!}
            </Words>
            {spans.map(({ from, until, rate }) => (
              <rect
                key={from}
                x={x(from)}
                y={size.top + day * size.row + 1}
                width={x(until) - x(from) - 1}
                height={size.row - 2}
                rx={2}
                fill="currentColor"
                fillOpacity={strength(rate, rates)}
                stroke="currentColor"
                strokeOpacity={0.35}
              />
            ))}
          </g>
        ))}
      </Box>
      <Box component="ul" sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', m: 0, mt: 0.5, p: 0, listStyle: 'none' }}>
        {rates.map((rate) => (
          <Box
            component="li"
            key={formatRate(rate)}
            sx={{ display: 'flex', gap: 0.75, alignItems: 'center', color: 'primary.main' }}
          >
            <svg width={14} height={14} aria-hidden>
              <rect
                x={0.5}
                y={0.5}
                width={13}
                height={13}
                rx={2}
                fill="currentColor"
                fillOpacity={strength(rate, rates)}
                stroke="currentColor"
                strokeOpacity={0.6}
              />
            </svg>
            <Typography variant="caption" sx={{ color: 'text.primary' }}>
              {rate === undefined
                ? text.runs.unlimited
                : rate === 0
                  ? text.runs.paused
                  : text.units.decimalPerSecond(formatRate(rate).replace(/(?=[kMG])/, ' '))}
            </Typography>
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function Words({ x, y, children }: { readonly x: number; readonly y: number; readonly children: string }) {
  return (
    <Box component="text" x={x} y={y} sx={{ fill: 'var(--mui-palette-text-secondary)' }}>
      {children}
    </Box>
  );
}

/** The rates that occur, the lowest first, unlimited last. */
function distinct(rates: readonly Rate[]): readonly Rate[] {
  return [...new Set(rates)].sort((one, other) => (one ?? Infinity) - (other ?? Infinity));
}

function strength(rate: Rate, rates: readonly Rate[]): number {
  if (rate === 0) return 0;
  const moving = rates.filter((each) => each !== 0);
  return 0.25 + (0.65 * (moving.indexOf(rate) + 1)) / moving.length;
}
