import type { RateSample } from '../../../shared/model/progress.ts';

/** More samples cannot be distinguished on a screen. */
const mostSamples = 480;
const firstStepMs = 1000;

/** One look at a run's rate and at what limits it. */
export type RateLook = Omit<RateSample, 'at'>;

export interface RateHistory {
  add(look: RateLook, at?: number): void;
  /** Oldest first. */
  samples(): readonly RateSample[];
}

/**
 * How fast a run was over time, in bounded memory: the looks within one step are averaged, and when there are too many
 * samples, neighbours are merged and the step is doubled. A run of days thus has as many as one of minutes. Another limit begins a
 * sample of its own, so that it is shown from when it applied.
 *
 * @param known what an earlier life of the engine saw
 */
export function rateHistory(known: readonly RateSample[] = []): RateHistory {
  let samples = [...known];
  let stepMs = stepOf(samples);
  let looks = 0;
  return {
    add(look, at = Date.now()) {
      const last = samples.at(-1);
      if (last !== undefined && looks > 0 && at - last.at < stepMs && last.limit === look.limit) {
        samples[samples.length - 1] = average(last, looks, look);
        looks += 1;
        return;
      }
      samples.push({ at, ...look });
      looks = 1;
      if (samples.length <= mostSamples) return;
      samples = merged(samples);
      stepMs *= 2;
      looks = 2;
    },
    samples: () => samples,
  };
}

/** A sample that stands for several looks, with one more. */
function average(sample: RateSample, looks: number, { bytesPerSecond, sentPerSecond }: RateLook): RateSample {
  const mean = (one: number, other: number): number => (one * looks + other) / (looks + 1);
  return {
    ...sample,
    bytesPerSecond: mean(sample.bytesPerSecond, bytesPerSecond),
    sentPerSecond: sample.sentPerSecond === undefined || sentPerSecond === undefined ? sentPerSecond : mean(sample.sentPerSecond, sentPerSecond),
  };
}

function merged(samples: readonly RateSample[]): RateSample[] {
  const pairs: RateSample[] = [];
  for (let index = 0; index < samples.length; index += 2) {
    const [one, other] = [samples[index]!, samples[index + 1]];
    pairs.push(other === undefined ? one : average(one, 1, other));
  }
  return pairs;
}

/** The step that samples were taken with: the usual interval, ignoring pauses. */
function stepOf(samples: readonly RateSample[]): number {
  const distances = samples.slice(1).map((sample, index) => sample.at - samples[index]!.at).sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? firstStepMs;
  return Math.max(firstStepMs, usual);
}
