import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queue, schedule, type Mover, type Running, type Situation, type Waiting } from './schedule.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const endpoints = ['dc1', 'dc2', 'cloud'];
const resources = ['host 1', 'host 2', 'datastore', 'cloud', 'link'];
const waves = ['a', 'b', 'c'];

const byReplica = (one: { readonly replica: string }, other: { readonly replica: string }): number =>
  one.replica < other.replica ? -1 : 1;
const mover = (id: string, more: Partial<Mover> = {}): Mover => ({
  id,
  reaches: new Set(endpoints),
  capacity: 2,
  isDraining: false,
  ...more,
});
const waiting = (replica: string, more: Partial<Waiting> = {}): Waiting => ({
  replica,
  wave: 'a',
  isUrgent: false,
  since: 0,
  endpoints: ['dc1', 'cloud'],
  uses: [],
  ...more,
});
const situation = (given: Partial<Situation>): Situation => ({
  waiting: [],
  running: [],
  movers: [mover('m1')],
  limits: new Map(),
  now: 0,
  patience: Infinity,
  ...given,
});
const placed = (given: Partial<Situation>): string[] =>
  schedule(situation(given)).map(({ replica, mover: id }) => `${replica} on ${id}`);

describe('what starts next in a fleet', () => {
  it('goes where source and destination are reachable, and to the one that has the least to do', () => {
    const movers = [
      mover('far', { reaches: new Set(['dc2', 'cloud']) }),
      mover('near'),
      mover('nearer', { capacity: 4 }),
    ];
    expect(
      placed({
        movers,
        waiting: [
          waiting('x'),
          waiting('y'),
          waiting('z', { endpoints: ['dc2', 'cloud'] }),
          waiting('nowhere', { endpoints: ['dc3'] }),
        ],
      }),
    ).toEqual(['x on near', 'y on nearer', 'z on far']);
  });

  it('stays within what each host, datastore, cloud and link takes, without holding up others', () => {
    const limits = new Map([['host 1', 1]]);
    expect(
      placed({
        limits,
        waiting: [waiting('x', { uses: ['host 1'] }), waiting('y', { uses: ['host 1'] }), waiting('z')],
      }),
    ).toEqual(['x on m1', 'z on m1']);
  });

  it('is urgent first, then of the wave that has the least under way, then the oldest', () => {
    const movers = [mover('m1', { capacity: 4 })];
    const running: Running[] = [{ replica: 'r', wave: 'a', uses: [], mover: 'm2' }];
    expect(
      placed({
        movers,
        running,
        waiting: [
          waiting('a1', { since: 1 }),
          waiting('a2', { since: 2 }),
          waiting('b1', { wave: 'b', since: 4 }),
          waiting('b2', { wave: 'b', since: 3 }),
          waiting('now', { isUrgent: true, since: 9 }),
        ],
      }),
    ).toEqual(['now on m1', 'b2 on m1', 'b1 on m1', 'a1 on m1']);
  });

  it('gets nothing more where somebody leaves', () => {
    expect(
      placed({
        movers: [mover('leaving', { isDraining: true }), mover('stays', { capacity: 1 })],
        waiting: [waiting('x'), waiting('y')],
      }),
    ).toEqual(['x on stays']);
  });

  it('is left to others by whoever could not continue it, and waits for nobody that carries nothing', () => {
    const movers = [
      mover('m1', { refuses: new Set(['x']) }),
      mover('m2', { capacity: 0 }),
      mover('m3', { capacity: 1 }),
    ];
    expect(placed({ movers, waiting: [waiting('x'), waiting('y', { since: 1 })] })).toEqual(['x on m3', 'y on m1']);
    expect(placed({ movers: movers.slice(0, 2), waiting: [waiting('x')] })).toEqual([]);
  });

  it('is in the end also what several limits keep waiting', () => {
    const limits = new Map([
      ['host 1', 1],
      ['cloud', 1],
    ]);
    const running: Running[] = [{ replica: 'r', wave: 'b', uses: ['cloud'], mover: 'm2' }];
    const both = [
      waiting('wide', { uses: ['host 1', 'cloud'], since: 0 }),
      waiting('narrow', { uses: ['host 1'], since: 5 }),
    ];
    expect(placed({ limits, running, waiting: both, now: 10, patience: 60 })).toEqual(['narrow on m1']);
    expect(placed({ limits, running, waiting: both, now: 100, patience: 60 })).toEqual([]);
    expect(placed({ limits, waiting: both, now: 100, patience: 60 })).toEqual(['wide on m1']);
  });

  it('says of each that waits what it waits for', () => {
    const limits = new Map([['host 1', 1]]);
    const running: Running[] = [{ replica: 'r', wave: 'b', uses: ['host 1'], mover: 'full' }];
    const far = mover('far', { reaches: new Set(['dc2', 'cloud']) });
    const full = mover('full', { capacity: 1, reaches: new Set(['dc3', 'cloud']) });
    const leaving = mover('leaving', { isDraining: true, reaches: new Set(['dc4', 'cloud']) });
    const why = (given: Partial<Situation>) =>
      queue(
        situation({
          movers: [far, full, leaving, mover('m1', { refuses: new Set(['refused']) })],
          running,
          limits,
          ...given,
        }),
      ).map(({ replica: _replica, ...rest }) => rest);
    expect(why({ waiting: [waiting('x')] })).toEqual([{ mover: 'm1' }]);
    expect(why({ waiting: [waiting('x')], movers: [mover('planner', { capacity: 0 })] })).toEqual([
      { obstacle: { kind: 'nobody' } },
    ]);
    expect(why({ waiting: [waiting('x', { endpoints: ['dc5', 'cloud'] })] })).toEqual([
      { obstacle: { kind: 'reach', endpoints: ['dc5'] } },
    ]);
    expect(why({ waiting: [waiting('x', { endpoints: ['dc2', 'dc3'] })] })).toEqual([
      { obstacle: { kind: 'reach', endpoints: ['dc2', 'dc3'] } },
    ]);
    expect(why({ waiting: [waiting('x', { endpoints: ['dc4', 'cloud'] })] })).toEqual([
      { obstacle: { kind: 'draining' } },
    ]);
    expect(why({ waiting: [waiting('x')], movers: [mover('m1', { isDraining: true })] })).toEqual([
      { obstacle: { kind: 'draining' } },
    ]);
    expect(why({ waiting: [waiting('refused')] })).toEqual([{ obstacle: { kind: 'refused' } }]);
    expect(why({ waiting: [waiting('x', { uses: ['host 1'] })] })).toEqual([
      { obstacle: { kind: 'limit', limits: ['host 1'] } },
    ]);
    expect(why({ waiting: [waiting('x', { endpoints: ['dc3', 'cloud'] })] })).toEqual([{ obstacle: { kind: 'room' } }]);
  });

  it('is shown in the order in which it starts: waves in turn, urgent ones before all', () => {
    const running: Running[] = [{ replica: 'r', wave: 'a', uses: [], mover: 'm2' }];
    const all = [
      waiting('a1', { since: 1 }),
      waiting('a2', { since: 2 }),
      waiting('b1', { wave: 'b', since: 3 }),
      waiting('b2', { wave: 'b', since: 4 }),
      waiting('now', { wave: 'a', isUrgent: true, since: 9 }),
    ];
    expect(queue(situation({ movers: [], running, waiting: all })).map(({ replica }) => replica)).toEqual([
      'now',
      'b1',
      'b2',
      'a1',
      'a2',
    ]);
  });

  const situations = fc.record({
    waiting: fc.uniqueArray(
      fc.record({
        replica: fc.nat(30).map((n) => `vm-${n}`),
        wave: fc.constantFrom(...waves),
        isUrgent: fc.boolean(),
        since: fc.nat(100),
        endpoints: fc.subarray(endpoints),
        uses: fc.subarray(resources),
      }),
      { selector: ({ replica }) => replica, maxLength: 25 },
    ),
    movers: fc.uniqueArray(
      fc.record({
        id: fc.nat(9).map((n) => `m${n}`),
        reaches: fc.subarray(endpoints).map((names) => new Set(names)),
        capacity: fc.integer({ min: 1, max: 4 }),
        isDraining: fc.boolean(),
      }),
      { selector: ({ id }) => id, maxLength: 6 },
    ),
    running: fc.uniqueArray(
      fc.record({
        replica: fc.nat(40).map((n) => `vm-${n}`),
        wave: fc.constantFrom(...waves),
        uses: fc.subarray(resources, { maxLength: 2 }),
        mover: fc.nat(9).map((n) => `m${n}`),
      }),
      { selector: ({ replica }) => replica, maxLength: 4 },
    ),
    limits: fc
      .dictionary(fc.constantFrom(...resources), fc.integer({ min: 4, max: 8 }))
      .map((limits) => new Map(Object.entries(limits))),
  });

  it('whatever the situation: within limits, reach and capacity, never twice, nothing idle that could work, and the same for everybody', () => {
    fc.assert(
      fc.property(situations, fc.nat(), (given, seed) => {
        const whole = situation({ ...given, now: 100 });
        const assignments = schedule(whole);
        const of = new Map(given.waiting.map((one) => [one.replica, one]));
        const now = [
          ...given.running,
          ...assignments.map(({ replica, mover: id }): Running => ({ ...of.get(replica)!, mover: id })),
        ];
        expect(new Set(now.map(({ replica }) => replica)).size).toBe(now.length);
        for (const [use, limit] of given.limits)
          expect(now.filter(({ uses }) => uses.includes(use)).length).toBeLessThanOrEqual(limit);
        for (const { replica, mover: id } of assignments) {
          const to = given.movers.find((one) => one.id === id)!;
          expect([to.isDraining, of.get(replica)!.endpoints.every((endpoint) => to.reaches.has(endpoint))]).toEqual([
            false,
            true,
          ]);
          expect(now.filter((one) => one.mover === id).length).toBeLessThanOrEqual(
            Math.max(to.capacity, given.running.filter((one) => one.mover === id).length),
          );
        }
        // Whoever asks again gets nothing more: all that could start has started.
        expect(schedule({ ...whole, running: now })).toEqual([]);
        const turned = <T>(list: readonly T[]): T[] =>
          list.map((_, index) => list[(index + seed) % list.length]!).toReversed();
        expect(
          schedule({
            ...whole,
            waiting: turned(given.waiting),
            movers: turned(given.movers),
            running: turned(given.running),
          }),
        ).toEqual(assignments);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('whatever the situation: all that waits is in the queue, once, and starts in its order where places become free one after another', () => {
    fc.assert(
      fc.property(situations, (given) => {
        const whole = situation({ ...given, now: 100 });
        const shown = queue(whole);
        const busy = new Set(given.running.map(({ replica }) => replica));
        expect(shown.map(({ replica }) => replica).toSorted()).toEqual(
          given.waiting
            .map(({ replica }) => replica)
            .filter((replica) => !busy.has(replica))
            .toSorted(),
        );
        expect(
          shown
            .flatMap(({ replica, mover: id }) => (id === undefined ? [] : { replica, mover: id }))
            .toSorted(byReplica),
        ).toEqual(schedule(whole).toSorted(byReplica));
        // Without limits, and with room for one: what starts is what is shown first.
        let [left, running] = [[...given.waiting.filter(({ replica }) => !busy.has(replica))], [...given.running]];
        for (const { replica } of shown) {
          const next = schedule(
            situation({
              movers: [mover('m', { capacity: 1 })],
              waiting: left,
              running: running.map((one) => ({ ...one, mover: 'elsewhere' })),
              limits: new Map(),
            }),
          );
          expect(next.map((one) => one.replica)).toEqual([replica]);
          running = [...running, { ...left.find((one) => one.replica === replica)!, mover: 'elsewhere' }];
          left = left.filter((one) => one.replica !== replica);
        }
      }),
      { numRuns: rounds(300) },
    );
  });

  it('is shared fairly: of waves that want the same, none has more than one execution more than another', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 12, max: 20 }), { minLength: 2, maxLength: 4 }),
        (capacity, sizes) => {
          const all = sizes.flatMap((size, wave) =>
            Array.from({ length: size }, (_, index) =>
              waiting(`${wave}-${index}`, { wave: `w${wave}`, since: index * wave }),
            ),
          );
          const counts = sizes.map(
            (_, wave) =>
              schedule(situation({ waiting: all, movers: [mover('m', { capacity })] })).filter(({ replica }) =>
                replica.startsWith(`${wave}-`),
              ).length,
          );
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});
