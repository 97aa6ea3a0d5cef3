import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { LifeState } from '../../../shared/model/machine-life.ts';
import { stateColor, type StateFamily } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import type { ReplicaStatusKind } from './replica-status.ts';

const line = { fill: 'none', stroke: 'currentColor' } as const;
/** Drawn on a filled glyph, in the colour of what is behind it. */
const cut = {
  fill: 'none',
  stroke: 'var(--mui-palette-background-paper)',
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

/** Outlines that can be told apart without colour, 16 pixels each. */
const glyphs = {
  dashedRing: <circle cx="8" cy="8" r="6" {...line} strokeWidth="1.6" strokeDasharray="2.4 2.3" />,
  ring: <circle cx="8" cy="8" r="6" {...line} strokeWidth="1.8" />,
  pie: (
    <>
      <circle cx="8" cy="8" r="6" {...line} strokeWidth="1.8" />
      <path d="M8 8V3.6A4.4 4.4 0 1 1 4.2 10.2Z" fill="currentColor" />
    </>
  ),
  tickDisc: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="M4.8 8.2l2.2 2.2 4.2-4.6" {...cut} strokeWidth="1.7" />
    </>
  ),
  squareArrow: (
    <>
      <rect x="1" y="1" width="14" height="14" rx="3.5" fill="currentColor" />
      <path d="M4 8h7.6M8.6 4.9L11.8 8l-3.2 3.1" {...cut} strokeWidth="1.8" />
    </>
  ),
  playDisc: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="M6.4 4.9v6.2l5-3.1z" fill="var(--mui-palette-background-paper)" />
    </>
  ),
  octagon: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor" />
      <path d="M5.5 5.5l5 5M10.5 5.5l-5 5" {...cut} strokeWidth="1.7" />
    </>
  ),
  pause: (
    <>
      <circle cx="8" cy="8" r="6" {...line} strokeWidth="1.8" />
      <path d="M6.4 5.6v4.8M9.6 5.6v4.8" {...line} strokeWidth="1.7" strokeLinecap="round" />
    </>
  ),
  flask: (
    <>
      <path
        d="M5.5 1.5h5M6.4 1.8v4.1L2.6 12.6c-.5 1 .1 1.9 1.1 1.9h8.6c1 0 1.6-.9 1.1-1.9L9.6 5.9V1.8"
        {...line}
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path d="M4.6 10h6.8l1.3 2.5c.2.5 0 1-.5 1H3.8c-.5 0-.7-.5-.5-1z" fill="currentColor" />
    </>
  ),
  shield: (
    <>
      <path d="M8 .9l6 2v4.6c0 3.7-2.5 6.2-6 7.6-3.5-1.4-6-3.9-6-7.6V2.9z" fill="currentColor" />
      <path d="M5 7.7l2.1 2.1 3.9-4.2" {...cut} strokeWidth="1.7" />
    </>
  ),
  doubleTick: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="M2.9 8.3l2 2 3.8-4.2M7.6 10.2l.2.1 4.4-4.6" {...cut} strokeWidth="1.5" />
    </>
  ),
  squareBack: (
    <>
      <rect x="1.8" y="1.8" width="12.4" height="12.4" rx="3" {...line} strokeWidth="1.5" />
      <path
        d="M12 8H4.6M7.2 5.2L4.4 8l2.8 2.8"
        {...line}
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
} as const satisfies Readonly<Record<string, ReactNode>>;

export interface Look {
  readonly glyph: keyof typeof glyphs;
  readonly family: StateFamily;
}

/** In the order of a life, as bars show it. */
export const lifeLooks: Readonly<Record<ReplicaStatusKind, Look>> = {
  never: { glyph: 'ring', family: 'idle' },
  waiting: { glyph: 'dashedRing', family: 'idle' },
  replicating: { glyph: 'pie', family: 'copy' },
  cancelling: { glyph: 'dashedRing', family: 'idle' },
  interrupted: { glyph: 'pause', family: 'live' },
  failed: { glyph: 'octagon', family: 'bad' },
  cancelled: { glyph: 'squareBack', family: 'idle' },
  'in-sync': { glyph: 'tickDisc', family: 'copy' },
  deploying: { glyph: 'squareArrow', family: 'live' },
  'deployment-interrupted': { glyph: 'pause', family: 'live' },
  'deployment-failed': { glyph: 'octagon', family: 'bad' },
  deployed: { glyph: 'playDisc', family: 'done' },
};

/** In the order of the way to the destination. */
export const machineLooks: Readonly<Record<LifeState, Look>> = {
  'not-ready': { glyph: 'dashedRing', family: 'idle' },
  ready: { glyph: 'ring', family: 'idle' },
  'initial-copy': { glyph: 'pie', family: 'copy' },
  'in-sync': { glyph: 'tickDisc', family: 'copy' },
  rehearsed: { glyph: 'flask', family: 'person' },
  approved: { glyph: 'shield', family: 'person' },
  'cutting-over': { glyph: 'squareArrow', family: 'live' },
  'cut-over-failed': { glyph: 'octagon', family: 'bad' },
  'running-at-destination': { glyph: 'playDisc', family: 'done' },
  'rolling-back': { glyph: 'squareBack', family: 'live' },
  'rolled-back': { glyph: 'squareBack', family: 'idle' },
  finalising: { glyph: 'doubleTick', family: 'live' },
  finalised: { glyph: 'doubleTick', family: 'done' },
};

/** Where a replica stands, by glyph, word and colour. */
export function LifeLabel({ kind }: { readonly kind: ReplicaStatusKind }) {
  return <GlyphLabel look={lifeLooks[kind]}>{text.replicas.life[kind]}</GlyphLabel>;
}

/** Where a VM stands on its way to the destination. */
export function MachineLifeLabel({ state }: { readonly state: LifeState }) {
  return <GlyphLabel look={machineLooks[state]}>{text.life.states[state]}</GlyphLabel>;
}

/** A glyph with its word, in the colour of its family. */
export function GlyphLabel({
  look: { glyph, family },
  children,
}: {
  readonly look: Look;
  readonly children: ReactNode;
}) {
  return (
    <Box
      component="span"
      sx={{
        display: 'inline-flex',
        gap: 0.75,
        alignItems: 'center',
        verticalAlign: 'middle',
        fontWeight: 500,
        color: stateColor(family, 'text'),
      }}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden style={{ flexShrink: 0 }}>
        {glyphs[glyph]}
      </svg>
      {children}
    </Box>
  );
}
