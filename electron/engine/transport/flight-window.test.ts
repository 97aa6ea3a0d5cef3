import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlightWindow } from './flight-window.ts';

const mebibyte = 1024 * 1024;

/** The window after seconds on a link: what is on its way is limited by the window, the link by its rate. */
function windowOn(roundTripMs: number, bytesPerMs: number, ratio: number, waitingMs = 30): FlightWindow {
  let now = 0;
  const window = new FlightWindow(
    () => roundTripMs,
    () => now,
  );
  for (let turn = 0; turn < 600; turn++) {
    const rate = Math.min(bytesPerMs / ratio, window.bytes / (roundTripMs + waitingMs));
    now += 20;
    window.acknowledged(rate * 20, rate * 20 * ratio);
  }
  return window;
}

describe('the window of bytes on their way', () => {
  it('fills long links, whatever compression makes of the disk', () => {
    const gigabit = 125_000;
    for (const [roundTripMs, ratio] of [
      [80, 1],
      [80, 0.5],
      [150, 1],
    ] as const) {
      const window = windowOn(roundTripMs, gigabit, ratio);
      expect(window.bytes).toBeGreaterThan((gigabit / ratio) * (roundTripMs + 30));
      expect(window.linkBytes).toBeGreaterThan(gigabit * roundTripMs);
    }
  });

  it('stays small where more would only wait', () => {
    expect(windowOn(1, 1_000_000, 1).bytes).toBe(16 * mebibyte);
    expect(windowOn(20, 12_500, 1).bytes).toBe(16 * mebibyte);
    expect(new FlightWindow(() => Number.POSITIVE_INFINITY).bytes).toBe(16 * mebibyte);
  });

  it('keeps its bounds, whatever is told', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2 ** 30), fc.double({ min: 0, max: 5000, noNaN: true })), { maxLength: 50 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (acknowledgements, roundTripMs) => {
          let now = 0;
          const window = new FlightWindow(
            () => roundTripMs,
            () => now,
          );
          for (const [bytes, pause] of acknowledgements) {
            now += pause;
            window.acknowledged(bytes, bytes);
            expect(window.bytes).toBeGreaterThanOrEqual(16 * mebibyte);
            expect(window.bytes).toBeLessThanOrEqual(64 * mebibyte);
            expect(Number.isFinite(window.linkBytes)).toBe(true);
          }
        },
      ),
    );
  });
});
