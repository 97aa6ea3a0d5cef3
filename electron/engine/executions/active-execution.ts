import type { Execution, ExecutionOptions } from '../../../shared/model/execution.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import { createBandwidthLimiter, type BandwidthLimiter } from '../bandwidth/index.ts';
import type { ActiveRun } from '../runs/run-service.ts';
import type { Store } from '../store/store.ts';
import { rateHistory, type RateHistory } from './rate-history.ts';

/** How fast an execution may be: a rate, or a profile over the day. */
export type Limits = Pick<ExecutionOptions, 'bandwidthLimit' | 'bandwidthProfile'>;

/** As the limiter takes them; a rate goes before a profile. */
export function limits(options: Limits) {
  return {
    bytesPerSecond: options.bandwidthLimit,
    profile: options.bandwidthLimit === undefined ? options.bandwidthProfile : undefined,
  };
}

/** The limits among options. */
export function pickLimits(options: Limits): { bandwidthLimit?: number; bandwidthProfile?: string } {
  return {
    ...(options.bandwidthLimit === undefined ? {} : { bandwidthLimit: options.bandwidthLimit }),
    ...(options.bandwidthProfile === undefined ? {} : { bandwidthProfile: options.bandwidthProfile }),
  };
}

const ratesStoredEveryMs = 5_000;

/** An execution that this process runs or has queued. */
export interface ActiveExecution extends ActiveRun {
  readonly limiter: BandwidthLimiter;
  progress: ExecutionProgress | undefined;
  readonly rates: RateHistory;
  ratesStoredAt: number;
}

/** @param parent the limit of all executions together */
export function activeExecution(
  store: Store,
  execution: Execution,
  base: ActiveRun,
  parent: BandwidthLimiter,
): ActiveExecution {
  return {
    ...base,
    limiter: createBandwidthLimiter({ ...limits(execution.options), parent }),
    progress: execution.progress,
    rates: rateHistory(store.rates.get(execution.id)),
    ratesStoredAt: Date.now(),
  };
}

/** Stores the history every few seconds, so that a crash loses little of it. */
export function noteRate(store: Store, id: string, entry: ActiveExecution, progress: ExecutionProgress): void {
  const { rateBytesPerSecond, sentPerSecond } = progress.total;
  entry.rates.add({ bytesPerSecond: rateBytesPerSecond, sentPerSecond, limit: entry.limiter.bytesPerSecond ?? null });
  if (Date.now() - entry.ratesStoredAt < ratesStoredEveryMs) return;
  entry.ratesStoredAt = Date.now();
  try {
    store.rates.set(id, entry.rates.samples());
  } catch {
    // The chart has a gap. Where writing matters, the failure is reported.
  }
}
