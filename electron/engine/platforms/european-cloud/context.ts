import { systemClock, type Clock } from '../../time/clock.ts';
import { defaultBackOff } from '../../http/retry-after.ts';
import type { BackOff } from '../../time/back-off.ts';
import type { LookPlan } from '../../time/look-until.ts';

/** How long things may take, in milliseconds, and how often to look. */
export interface Timing {
  readonly requestMs: number;
  readonly pollFirstMs: number;
  readonly pollCapMs: number;
  readonly volumeMs: number;
  readonly serverMs: number;
  readonly attachMs: number;
  readonly removeMs: number;
  readonly backOff: BackOff;
  /** Looks that must see nothing before a creation with a lost answer is sent again. */
  readonly looksBeforeCreatingAgain: number;
}

/** The cloud's own tools wait 30 minutes for a volume and 20 for a server. */
export const defaultTiming: Timing = {
  requestMs: 60_000,
  pollFirstMs: 1_000,
  pollCapMs: 5_000,
  volumeMs: 30 * 60_000,
  serverMs: 20 * 60_000,
  attachMs: 10 * 60_000,
  removeMs: 20 * 60_000,
  backOff: defaultBackOff,
  looksBeforeCreatingAgain: 3,
};

/** From which addresses workers will be reached, as CIDR ranges; empty when that can't be known. */
export type EgressAddress = (
  question: {
    /** Whether the worker has a public address. */
    readonly publicAddress: boolean;
    /** An address that is routed in the same way as the worker's will be. */
    readonly probeHost: string;
  },
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** What surrounds the adapter. All of it has a sensible default. */
export interface EuropeanCloudContext {
  readonly endpoints?: { readonly iaasUrl?: string; readonly tokenUrl?: string };
  readonly timing?: Partial<Timing>;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly egressAddress?: EgressAddress;
  /** Where a port of a worker is reached from here, when not at its own address (port forwarding, a lab). */
  readonly resolveAddress?: (address: string, port: number) => { readonly host: string; readonly port: number };
}

/** The context with its defaults filled in. */
export interface Surroundings {
  readonly timing: Timing;
  readonly clock: Clock;
  readonly random: () => number;
}

export function surroundingsOf(context: EuropeanCloudContext): Surroundings {
  return { timing: { ...defaultTiming, ...context.timing }, clock: context.clock ?? systemClock, random: context.random ?? Math.random };
}

export function pollPlan(timing: Timing, deadlineMs: number): LookPlan {
  return { deadlineMs, firstMs: timing.pollFirstMs, capMs: timing.pollCapMs };
}
