import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/testing/fake-clock.ts';
import { createProgressMeter, type DiskProgress } from './progress.ts';

function meter(): {
  clock: FakeClock;
  reports: (DiskProgress & { at: number })[];
  meter: ReturnType<typeof createProgressMeter>;
} {
  const clock = new FakeClock();
  const reports: (DiskProgress & { at: number })[] = [];
  return {
    clock,
    reports,
    meter: createProgressMeter('disk', (progress) => reports.push({ ...progress, at: clock.monotonic() }), clock),
  };
}

describe('progress', () => {
  it('goes out at most five times a second, and the last state always', async () => {
    const { clock, reports, meter: m } = meter();
    m.enter('copying', 10_000);
    for (let i = 0; i < 1000; i++) {
      m.moved(10);
      await clock.pass(3);
    }
    m.end('done');
    const gaps = reports.slice(1, -1).map((report, i) => report.at - reports[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
    expect(reports.length).toBeLessThanOrEqual(17);
    expect(reports.at(-1)).toMatchObject({
      phase: 'done',
      bytesDone: 10_000,
      bytesTotal: 10_000,
      secondsLeft: 0,
      stalledForSeconds: 0,
    });
  });

  it('takes rate and time left from the bytes that still have to move', async () => {
    const { clock, reports, meter: m } = meter();
    m.enter('copying', 100_000);
    for (let i = 0; i < 100; i++) {
      await clock.pass(100);
      m.moved(100);
      m.sent(50);
    }
    await clock.pass(200);
    const last = reports.at(-1)!;
    expect(last.rateBytesPerSecond).toBeGreaterThan(950);
    expect(last.rateBytesPerSecond).toBeLessThan(1050);
    expect(last.sentPerSecond).toBeGreaterThan(475);
    expect(last.sentPerSecond).toBeLessThan(525);
    expect(last.secondsLeft).toBeCloseTo(90_000 / last.rateBytesPerSecond, 1);
    m.end();
  });

  it('says for how long nothing moved', async () => {
    const { clock, reports, meter: m } = meter();
    m.enter('copying', 1000);
    m.moved(10);
    await clock.pass(20_000);
    expect(reports.at(-1)).toMatchObject({ phase: 'copying', rateBytesPerSecond: 0, secondsLeft: null });
    expect(reports.at(-1)!.stalledForSeconds).toBeGreaterThanOrEqual(19);
    m.end();
    const { length } = reports;
    await clock.pass(10_000);
    expect(reports.length).toBe(length);
  });
});
