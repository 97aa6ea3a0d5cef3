import type { ExecutionOptions } from '../../../shared/model/execution.ts';

/** How fast an execution may be: a rate, or a profile over the day. */
export type Limits = Pick<ExecutionOptions, 'bandwidthLimit' | 'bandwidthProfile'>;

/** As the limiter takes them; a rate goes before a profile. */
export function limits(options: Limits) {
  return { bytesPerSecond: options.bandwidthLimit, profile: options.bandwidthLimit === undefined ? options.bandwidthProfile : undefined };
}

/** The limits among options. */
export function pickLimits(options: Limits): { bandwidthLimit?: number; bandwidthProfile?: string } {
  return {
    ...(options.bandwidthLimit === undefined ? {} : { bandwidthLimit: options.bandwidthLimit }),
    ...(options.bandwidthProfile === undefined ? {} : { bandwidthProfile: options.bandwidthProfile }),
  };
}
