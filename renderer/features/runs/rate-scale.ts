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
  const distances = samples
    .slice(1)
    .map((sample, index) => sample.at - samples[index]!.at)
    .sort((a, b) => a - b);
  return Math.max(2_000, distances[Math.floor(distances.length / 2)] ?? 0);
}

/** What is told of a sample: what crossed the link; of samples from before that was measured, what was dealt with. */
function mainRate({ sentPerSecond, bytesPerSecond }: RateSample): number {
  return sentPerSecond ?? bytesPerSecond;
}

/** Mean and peak of what was sent. */
export function rateFacts(samples: readonly RateSample[]): { readonly mean: number; readonly peak: number } {
  if (samples.length === 0) return { mean: 0, peak: 0 };
  const rates = samples.map(mainRate);
  return { mean: rates.reduce((sum, rate) => sum + rate, 0) / rates.length, peak: Math.max(...rates) };
}

/** One moment of the plot; null where a line has a gap. */
export interface PlotPoint {
  readonly at: number;
  readonly sent: number | null;
  readonly processed: number | null;
  /** Steps: it applies until the next point. */
  readonly limit: number | null;
  /** What is expected to be sent from the last sample to the end. */
  readonly forecast: number | null;
}

/** The points of the plot: a gap between two pieces, and a limit that ends where the next moment has none. */
export function plotPoints(samples: readonly RateSample[]): readonly PlotPoint[] {
  const points: PlotPoint[] = [];
  for (const piece of pieces(samples)) {
    if (points.length > 0)
      points.push({ at: piece[0]!.at - 1, sent: null, processed: null, limit: null, forecast: null });
    for (const [index, { at, bytesPerSecond, sentPerSecond, limit }] of piece.entries()) {
      const point = {
        at,
        sent: sentPerSecond ?? null,
        processed: bytesPerSecond,
        limit: limit ?? null,
        forecast: null,
      };
      const before = piece[index - 1]?.limit ?? null;
      if (before !== null && point.limit === null) points.push({ ...point, at: at - 1, limit: before });
      points.push(point);
    }
  }
  return points;
}

/** A forecast takes at most this much of the plot's width, whatever the time left: what was measured stays readable. */
const mostOfWidth = 0.5;
/** Samples that the expected rate is the mean of. */
const recent = 10;

/** The points of the plot with what is expected after them: the mean of the last samples, as long as the rest takes. */
export function withForecast(
  points: readonly PlotPoint[],
  samples: readonly RateSample[],
  secondsLeft: number,
): readonly PlotPoint[] {
  const last = points.at(-1);
  if (last === undefined || secondsLeft <= 0) return points;
  const { mean: forecast } = rateFacts((pieces(samples).at(-1) ?? []).slice(-recent));
  const measured = last.at - points[0]!.at;
  const until = last.at + Math.min(secondsLeft * 1000, (measured * mostOfWidth) / (1 - mostOfWidth));
  return [
    ...points.slice(0, -1),
    { ...last, forecast },
    { at: until, sent: null, processed: null, limit: last.limit, forecast },
  ];
}

/** How much higher than the others the line of what was dealt with may make the plot: unchanged blocks are dealt with many times faster than others are sent. */
const mostTimes = 3;

/** The highest value that the plot has room for. */
export function highestOf(points: readonly PlotPoint[]): number {
  const highest = (line: 'sent' | 'processed' | 'limit'): number =>
    Math.max(0, ...points.map((point) => point[line] ?? 0));
  const [sent, processed] = [Math.max(highest('sent'), highest('limit')), highest('processed')];
  return sent === 0 ? processed : Math.max(sent, Math.min(processed, mostTimes * sent));
}
