import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/testing/fake-clock.ts';
import { createBandwidthLimiter, formatRate, parseProfile, parseRate, rateAt, type BandwidthLimiter } from './index.ts';

const never = new AbortController().signal;

/** Sends pieces of `bytes` one after another for as long as the clock runs; returns how much went out by then. */
function sender(limiter: BandwidthLimiter, bytes: number): { sent: number } {
  const counter = { sent: 0 };
  void (async () => {
    for (;;) {
      await limiter.take(bytes, never);
      counter.sent += bytes;
      if (limiter.bytesPerSecond === undefined) return;
    }
  })();
  return counter;
}

describe('a bandwidth limiter', () => {
  it('keeps the rate over time, whatever the size of the pieces', async () => {
    for (const piece of [1000, 64_000, 1_000_000]) {
      const clock = new FakeClock();
      const counter = sender(createBandwidthLimiter({ bytesPerSecond: 500_000, clock }), piece);
      await clock.pass(60_000);
      expect(Math.abs(counter.sent - 30_000_000)).toBeLessThan(1_200_000);
    }
  });

  it('is shared fairly by those who wait', async () => {
    const clock = new FakeClock();
    const limiter = createBandwidthLimiter({ bytesPerSecond: 1_000_000, clock });
    const [a, b] = [sender(limiter, 100_000), sender(limiter, 100_000)];
    await clock.pass(20_000);
    expect(Math.abs(a.sent - b.sent)).toBeLessThanOrEqual(100_000);
    expect(a.sent + b.sent).toBeLessThan(20_500_000);
  });

  it('takes a new limit at once, also for those who wait', async () => {
    const clock = new FakeClock();
    const limiter = createBandwidthLimiter({ bytesPerSecond: 1024, clock });
    const counter = sender(limiter, 1_000_000);
    await clock.pass(5000);
    expect(counter.sent).toBe(1_000_000);
    limiter.set({});
    await clock.pass(0);
    expect(counter.sent).toBe(2_000_000);
  });

  it('obeys a wider limit too', async () => {
    const clock = new FakeClock();
    const parent = createBandwidthLimiter({ bytesPerSecond: 300_000, clock });
    const [a, b] = [1, 2].map(() =>
      sender(createBandwidthLimiter({ bytesPerSecond: 1_000_000, parent, clock }), 10_000),
    );
    await clock.pass(10_000);
    expect(a!.sent + b!.sent).toBeLessThan(3_200_000);
    expect(a!.sent + b!.sent).toBeGreaterThan(2_800_000);
  });

  it.each([
    ['larger pieces', [1_000_000], [10_000]],
    ['more pieces on their way', [100_000, 100_000, 100_000, 100_000], [100_000]],
  ])('gives each of those under one limit the same, whoever has %s', async (_who, many, few) => {
    const clock = new FakeClock();
    const parent = createBandwidthLimiter({ bytesPerSecond: 1_000_000, clock });
    const [greedy, modest] = [many, few].map((pieces) => {
      const limiter = createBandwidthLimiter({ bytesPerSecond: 1e9, parent, clock });
      const senders = pieces.map((bytes) => sender(limiter, bytes));
      return () => senders.reduce((sum, { sent }) => sum + sent, 0);
    });
    await clock.pass(60_000);
    expect(greedy!() + modest!()).toBeGreaterThan(55_000_000);
    expect(modest!()).toBeGreaterThan(0.9 * greedy!());
    expect(greedy!()).toBeGreaterThan(0.9 * modest!());
  });

  it('lets nobody save up what it did not use', async () => {
    const clock = new FakeClock();
    const parent = createBandwidthLimiter({ bytesPerSecond: 1_000_000, clock });
    const early = sender(createBandwidthLimiter({ bytesPerSecond: 1e9, parent, clock }), 100_000);
    await clock.pass(30_000);
    const before = early.sent;
    const late = sender(createBandwidthLimiter({ bytesPerSecond: 1e9, parent, clock }), 100_000);
    await clock.pass(20_000);
    expect(Math.abs(early.sent - before - late.sent)).toBeLessThanOrEqual(300_000);
  });

  it('counts what was refunded as not sent', async () => {
    const clock = new FakeClock();
    const limiter = createBandwidthLimiter({ bytesPerSecond: 100_000, clock });
    let taken = 0;
    void (async () => {
      for (;;) {
        await limiter.take(10_000, never);
        taken += 10_000;
        limiter.refund(5000);
      }
    })();
    await clock.pass(10_000);
    expect(Math.abs(taken - 2_000_000)).toBeLessThan(100_000);
  });

  it('follows the time of day while it runs', async () => {
    const clock = new FakeClock(new Date(2026, 0, 5, 17, 59, 0));
    const limiter = createBandwidthLimiter({ profile: 'mon 08:00-18:00=pause; *=1M', clock });
    const counter = sender(limiter, 100_000);
    await clock.pass(59_000);
    expect(counter.sent).toBe(0);
    await clock.pass(60_000);
    expect(counter.sent).toBeGreaterThan(40_000_000);
  });

  it('lets a waiter go when its signal aborts', async () => {
    const clock = new FakeClock();
    const limiter = createBandwidthLimiter({ bytesPerSecond: 1024, clock });
    const stop = new AbortController();
    await limiter.take(1_000_000, never);
    const waiting = limiter.take(1000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('a bandwidth profile', () => {
  const at = (profile: string, day: number, hour: number, minute = 0): string =>
    formatRate(rateAt(parseProfile(profile), new Date(2026, 0, 4 + day, hour, minute)));

  it('holds by weekday and time, first entry first', () => {
    const profile = 'mon-fri 08:00-18:00=20M; sat,sun=100Mbit; 22:00-06:00=pause; *=unlimited';
    expect([
      at(profile, 1, 8),
      at(profile, 5, 17, 59),
      at(profile, 5, 18),
      at(profile, 6, 12),
      at(profile, 2, 23),
      at(profile, 3, 5, 59),
      at(profile, 3, 6),
    ]).toEqual(['20M', '20M', 'unlimited', '12.5M', 'pause', 'pause', 'unlimited']);
  });

  it('runs past midnight and around the week', () => {
    expect([at('sat 22:00-06:00=1M', 6, 23), at('sat 22:00-06:00=1M', 0, 5), at('sat 22:00-06:00=1M', 6, 5)]).toEqual([
      '1M',
      '1M',
      'unlimited',
    ]);
    expect([at('fri-mon=1M', 0, 5), at('fri-mon=1M', 2, 5)]).toEqual(['1M', 'unlimited']);
  });

  it('reads rates in bytes, decimal or binary, and in bits', () => {
    expect(['20M', '512k', '2Mi', '8Mbit', '1.5MB/s', '4096', 'unlimited', 'pause'].map(parseRate)).toEqual([
      20e6,
      512e3,
      2 ** 21,
      1e6,
      1.5e6,
      4096,
      undefined,
      0,
    ]);
  });

  it.each([
    ['', 'the bandwidth profile is empty'],
    ['mon-fri 08:00-18:00', "'=' is missing between the time and the rate"],
    ['mon-fri 8-18=20M', "'8' is not a time of day; write HH:MM"],
    ['*=1M; mo=20M', "entry 2 of the bandwidth profile ('mo=20M'): 'mo' is not a day"],
    ['mon 08:00-25:00=1M', "'25:00' is not a time of day"],
    ['mon 08:00-08:00=1M', 'is empty'],
    ['08:00-10:00 mon=1M', 'write days before the time'],
    ['*=fast', "'fast' is not a rate"],
    ['*=20', 'below 1 KiB/s'],
  ])('refuses %j and says why', (text, reason) => {
    expect(() => parseProfile(text)).toThrow(
      expect.objectContaining({ code: 'general.invalid-input', message: expect.stringContaining(reason) as string }),
    );
  });
});
