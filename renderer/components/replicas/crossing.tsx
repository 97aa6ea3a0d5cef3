import Box from '@mui/material/Box';
import { shade, stateColor } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import { lifeLooks } from './life-label.tsx';
import type { ReplicaStatusKind } from './replica-status.ts';

/** How many replicas stand where; only those that there are, in the order of a life. */
export type LifeCounts = readonly { readonly kind: ReplicaStatusKind; readonly count: number }[];

export function lifeCounts(kinds: readonly ReplicaStatusKind[]): LifeCounts {
  return (Object.keys(lifeLooks) as ReplicaStatusKind[])
    .map((kind) => ({ kind, count: kinds.filter((each) => each === kind).length }))
    .filter(({ count }) => count > 0);
}

/**
 * The way from the source, left, to the destination, right: a bar between two posts, a part of it for each state. Ten arches below the
 * large one are its scale. The words stand in the legend beside it, so that nothing is said by colour alone.
 */
export function Crossing({ counts, isLarge = false }: { readonly counts: LifeCounts; readonly isLarge?: boolean }) {
  const height = isLarge ? 16 : 8;
  const post = (
    <Box
      sx={{ width: isLarge ? 3 : 2, height: height + 8, borderRadius: '2px', bgcolor: 'text.primary', flexShrink: 0 }}
    />
  );
  return (
    <Box
      role="img"
      aria-label={counts.map(({ kind, count }) => `${text.replicas.life[kind]}: ${count}`).join(', ')}
      sx={{ minWidth: isLarge ? 240 : 100 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center' }}>
        {post}
        <Box sx={{ flexGrow: 1, display: 'flex', gap: '2px', height, mx: '2px', minWidth: 0 }}>
          {counts.map(({ kind, count }) => (
            <Box
              key={kind}
              title={`${text.replicas.life[kind]}: ${count}`}
              sx={{ flex: `${count} 0 0`, minWidth: 3, borderRadius: '2px', ...fillOf(kind) }}
            />
          ))}
        </Box>
        {post}
      </Box>
      {isLarge && (
        <Box sx={{ px: '5px' }}>
          <svg width="100%" height="11" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden display="block">
            {Array.from({ length: 10 }, (_, arch) => (
              <path
                key={arch}
                d={`M${arch * 100 + 2} 20V14A48 13 0 0 1 ${arch * 100 + 98} 14V20`}
                fill="none"
                stroke={shade('lineStrong')}
                strokeWidth="1.5"
                vectorEffect="non-scaling-stroke"
              />
            ))}
          </svg>
        </Box>
      )}
    </Box>
  );
}

/** The earlier state of a family is lighter, what is not ready hatched, what came back hollow. */
function fillOf(kind: ReplicaStatusKind): object {
  const { family } = lifeLooks[kind];
  const solid = stateColor(family, 'solid');
  switch (kind) {
    case 'waiting':
    case 'cancelling':
      return {
        background: `repeating-linear-gradient(115deg, ${solid} 0 1.5px, transparent 1.5px 4px)`,
        boxShadow: `inset 0 0 0 1px ${solid}`,
      };
    case 'replicating':
      return { background: `color-mix(in srgb, ${solid} 50%, var(--mui-palette-background-paper))` };
    case 'deploying':
      return {
        background: `repeating-linear-gradient(90deg, ${solid} 0 6px, color-mix(in srgb, ${solid} 65%, var(--mui-palette-background-paper)) 6px 9px)`,
      };
    case 'cancelled':
      return { boxShadow: `inset 0 0 0 2px ${shade('text3')}` };
    default:
      return { background: solid };
  }
}
