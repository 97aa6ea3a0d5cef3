import type { RateSample } from '../../../shared/model/progress.ts';

/** Steps that people read easily, in units of a power of 1024. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

/** Round values from 0 to at least `highest`, at most five of them, in bytes per second. */
export function rateTicks(highest: number): readonly number[] {
  const wanted = Math.max(highest, 1024);
  // All of them in the unit that the highest is told in.
  const unit = 1024 ** Math.floor(Math.log2(wanted) / 10);
  const step = (steps.find((each) => each * unit * 4 >= wanted) ?? 500) * unit;
  return Array.from({ length: Math.ceil(wanted / step) + 1 }, (_, index) => index * step);
}

/** Samples in pieces: where there was nothing for a while (the engine or the computer was not there), a new piece begins. */
export function pieces(samples: readonly RateSample[]): readonly (readonly RateSample[])[] {
  const found: RateSample[][] = [];
  const gap = 4 * usualStep(samples);
  for (const sample of samples) {
    const last = found.at(-1)?.at(-1);
    if (last === undefined || sample.at - last.at > gap) found.push([sample]);
    else found.at(-1)?.push(sample);
  }
  return found;
}

function usualStep(samples: readonly RateSample[]): number {
  const distances = samples.slice(1).map((sample, index) => sample.at - samples[index]!.at).sort((a, b) => a - b);
  return Math.max(2_000, distances[Math.floor(distances.length / 2)] ?? 0);
}

/** Mean and peak. */
export function rateFacts(samples: readonly RateSample[]): { readonly mean: number; readonly peak: number } {
  if (samples.length === 0) return { mean: 0, peak: 0 };
  return {
    mean: samples.reduce((sum, sample) => sum + sample.bytesPerSecond, 0) / samples.length,
    peak: Math.max(...samples.map(({ bytesPerSecond }) => bytesPerSecond)),
  };
}
