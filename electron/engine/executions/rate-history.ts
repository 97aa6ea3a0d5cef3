import type { RateSample } from '../../../shared/model/progress.ts';

/** More samples cannot be distinguished on a screen. */
const mostSamples = 480;
/** Where merging leaves more, limits change so often that not all can be kept. */
const mostMerged = 360;
const firstStepMs = 1000;

/** One look at a run's rate and at what limits it. */
export type RateLook = Omit<RateSample, 'at'>;

export interface RateHistory {
  add(look: RateLook, at?: number): void;
  /** Oldest first. */
  samples(): readonly RateSample[];
}

/** A sample with the number of looks that it is the mean of. */
interface Weighed {
  readonly sample: RateSample;
  readonly looks: number;
}

/**
 * How fast a run was over time, in bounded memory: the looks within one step are averaged, and when there are too many
 * samples, neighbours are merged and the step is doubled. A run of days thus has as many as one of minutes. Another limit begins a
 * sample of its own, so that it is shown from when it applied; samples with different limits are merged only where limits changed
 * hundreds of times.
 *
 * @param known what an earlier life of the engine saw
 */
export function rateHistory(known: readonly RateSample[] = []): RateHistory {
  let stepMs = stepOf(known);
  // About one look a second.
  let kept: Weighed[] = known.map((sample) => ({ sample, looks: stepMs / firstStepMs }));
  let isLastOpen = false;
  return {
    add(look, at = Date.now()) {
      const last = kept.at(-1);
      const next = { sample: { at, ...look }, looks: 1 };
      if (last !== undefined && isLastOpen && at - last.sample.at < stepMs && last.sample.limit === look.limit) {
        kept[kept.length - 1] = together(last, next);
        return;
      }
      kept.push(next);
      isLastOpen = true;
      if (kept.length <= mostSamples) return;
      kept = pairsMerged(kept);
      if (kept.length <= mostMerged) stepMs *= 2;
      // A longer step would not help.
      else while (kept.length > mostMerged) mergeBriefest(kept);
    },
    samples: () => kept.map(({ sample }) => sample),
  };
}

/** Two neighbours as one, with the limit of the one that lasted longer. */
function together(one: Weighed, other: Weighed): Weighed {
  const looks = one.looks + other.looks;
  const mean = (first: number, second: number): number => (first * one.looks + second * other.looks) / looks;
  const [{ sentPerSecond: sent }, { sentPerSecond: otherSent }] = [one.sample, other.sample];
  return {
    looks,
    sample: {
      ...one.sample,
      bytesPerSecond: mean(one.sample.bytesPerSecond, other.sample.bytesPerSecond),
      sentPerSecond: sent === undefined || otherSent === undefined ? (sent ?? otherSent) : mean(sent, otherSent),
      limit: one.looks >= other.looks ? one.sample.limit : other.sample.limit,
    },
  };
}

/** Neighbours with the same limit, two by two. */
function pairsMerged(kept: readonly Weighed[]): Weighed[] {
  const merged: Weighed[] = [];
  for (let index = 0; index < kept.length; index += 1) {
    const [one, other] = [kept[index]!, kept[index + 1]];
    const isPair = other !== undefined && one.sample.limit === other.sample.limit;
    merged.push(isPair ? together(one, other) : one);
    if (isPair) index += 1;
  }
  return merged;
}

/** Merges the neighbours that lasted shortest, whatever their limits; never the last, whose limit applies now. */
function mergeBriefest(kept: Weighed[]): void {
  let briefest = 0;
  for (let index = 1; index < kept.length - 2; index += 1) {
    if (kept[index]!.looks + kept[index + 1]!.looks < kept[briefest]!.looks + kept[briefest + 1]!.looks)
      briefest = index;
  }
  kept.splice(briefest, 2, together(kept[briefest]!, kept[briefest + 1]!));
}

/** The step that samples were taken with: the usual interval, ignoring pauses. */
function stepOf(samples: readonly RateSample[]): number {
  const distances = samples
    .slice(1)
    .map((sample, index) => sample.at - samples[index]!.at)
    .sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? firstStepMs;
  return Math.max(firstStepMs, usual);
}
