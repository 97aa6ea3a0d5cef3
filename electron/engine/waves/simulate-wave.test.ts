import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulateWave, type SimulatedMember } from './simulate-wave.ts';
import { waveOrder } from '../../../shared/model/wave-order.ts';
import { rounds } from '../../../shared/testing/rounds.ts';

const member = (id: string, more: Partial<SimulatedMember> = {}): SimulatedMember => ({
  id,
  group: 0,
  after: [],
  beforeSeconds: 0,
  bytes: 0,
  mostBytesPerSecond: 100,
  afterSeconds: 0,
  ...more,
});
const ends = (...args: Parameters<typeof simulateWave>): Record<string, number> =>
  Object.fromEntries([...simulateWave(...args)].map(([id, { end }]) => [id, end]));

describe('the simulation of a wave', () => {
  it('adds up what one member does', () => {
    expect(ends([member('a', { beforeSeconds: 30, bytes: 1000, afterSeconds: 60 })], { atOnce: 4 })).toEqual({
      a: 100,
    });
  });

  it('shares a link evenly, and gives what a slow member leaves to the others', () => {
    expect(
      ends([member('a', { bytes: 500 }), member('b', { bytes: 500 })], { atOnce: 4, bytesPerSecond: 100 }),
    ).toEqual({ a: 10, b: 10 });
    expect(
      ends([member('slow', { bytes: 100, mostBytesPerSecond: 10 }), member('b', { bytes: 900 })], {
        atOnce: 4,
        bytesPerSecond: 100,
      }),
    ).toEqual({ slow: 10, b: 10 });
  });

  it('runs no more at once than it may, in the order of groups and of what depends on each other', () => {
    expect(
      ends([member('a', { afterSeconds: 10 }), member('b', { afterSeconds: 10 }), member('c', { afterSeconds: 10 })], {
        atOnce: 2,
      }),
    ).toEqual({ a: 10, b: 10, c: 20 });
    expect(
      ends(
        [
          member('db', { afterSeconds: 10 }),
          member('app', { after: ['db'], afterSeconds: 5 }),
          member('last', { group: 1, afterSeconds: 1 }),
        ],
        { atOnce: 4 },
      ),
    ).toEqual({ db: 10, app: 15, last: 16 });
  });

  it('says nothing of members that can never start, or whose link is paused', () => {
    expect(ends([member('a', { after: ['b'] }), member('b', { after: ['a'] })], { atOnce: 4 })).toEqual({});
    expect(ends([member('a', { bytes: 1 })], { atOnce: 4, bytesPerSecond: 0 })).toEqual({});
  });

  it('is never quicker than the link or a member alone, never slower than one after another, and keeps every limit', () => {
    const members = fc
      .array(
        fc.record({
          group: fc.nat(2),
          before: fc.nat(5),
          bytes: fc.integer({ min: 0, max: 10_000 }),
          most: fc.integer({ min: 1, max: 500 }),
          later: fc.nat(50),
          waits: fc.nat(20),
        }),
        { minLength: 1, maxLength: 20 },
      )
      .map((all) =>
        all.map(({ group, before, bytes, most, later, waits }, index) =>
          member(`m${index}`, {
            group,
            beforeSeconds: before,
            bytes,
            mostBytesPerSecond: most,
            afterSeconds: later,
            after: index > 0 && waits < index ? [`m${waits}`] : [],
          }),
        ),
      )
      // A member of an earlier group never waits for one of a later group: plans that say so are refused.
      .map((all) =>
        all.map((one) => ({
          ...one,
          after: one.after.filter((id) => all.find((other) => other.id === id)!.group <= one.group),
        })),
      );
    fc.assert(
      fc.property(
        members,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 300 }),
        (all, atOnce, bytesPerSecond) => {
          const times = simulateWave(all, { atOnce, bytesPerSecond });
          expect(times.size).toBe(all.length);
          const total = Math.max(...[...times.values()].map(({ end }) => end));
          const alone = (one: SimulatedMember): number =>
            one.beforeSeconds + one.bytes / Math.min(one.mostBytesPerSecond, bytesPerSecond) + one.afterSeconds;
          const sum = all.reduce((so, one) => so + alone(one), 0);
          const slack = 1e-6 * (1 + sum);
          expect(total).toBeGreaterThanOrEqual(Math.max(...all.map(alone)) - slack);
          expect(total).toBeGreaterThanOrEqual(all.reduce((so, { bytes }) => so + bytes, 0) / bytesPerSecond - slack);
          expect(total).toBeLessThanOrEqual(sum + slack);
          for (const { id, after, group } of all) {
            const { start } = times.get(id)!;
            for (const before of after) expect(times.get(before)!.end).toBeLessThanOrEqual(start + slack);
            for (const earlier of all)
              if (earlier.group < group) expect(times.get(earlier.id)!.end).toBeLessThanOrEqual(start + slack);
            expect(
              [...times.values()].filter((other) => other.start <= start && other.end > start + slack).length,
            ).toBeLessThanOrEqual(atOnce);
          }
        },
      ),
      { numRuns: rounds(150) },
    );
  });

  it('ends within 1.15 times the ideal in the order that waves are started in, and often not by names', () => {
    // Sizes as data centers have them: many small VMs, a few very large ones.
    let state = 7;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const waves = Array.from(
      { length: 100 },
      () => [Array.from({ length: 40 + Math.floor(random() * 80) }, random), 2 + Math.floor(random() * 7)] as const,
    );
    let byNames = 0;
    for (const [shares, atOnce] of waves) {
      const vms = shares.map((share, index) => ({
        id: `m${index}`,
        name: `m${index}`,
        seconds: 60 * Math.exp(4 * share),
      }));
      const longest = vms.map(({ seconds }) => seconds).sort((one, other) => other - one);
      const endOf = (named: Parameters<typeof waveOrder>[0]): number => {
        const members = waveOrder(named, undefined).members.map(({ id }) =>
          member(id, { afterSeconds: vms.find((vm) => vm.id === id)!.seconds }),
        );
        return Math.max(...[...simulateWave(members, { atOnce })].map(([, { end }]) => end));
      };
      const ideal = Math.max(
        longest[0]!,
        longest[atOnce - 1]! + longest[atOnce]!,
        longest.reduce((sum, one) => sum + one, 0) / atOnce,
      );
      expect(endOf(vms)).toBeLessThanOrEqual(1.15 * ideal);
      if (endOf(vms.map(({ id, name }) => ({ id, name }))) > 1.15 * ideal) byNames += 1;
    }
    expect(byNames).toBeGreaterThan(10);
  });
});
