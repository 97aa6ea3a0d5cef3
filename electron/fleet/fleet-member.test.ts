import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { FleetMember } from './fleet-member.ts';
import { historyProblems } from './history.ts';
import { MemoryChanges, MemoryClaims, MemoryJournal } from './testing/memory-fleet.ts';
import { rounds } from '../../shared/testing/rounds.ts';

const never = new AbortController().signal;
const row = (id: string) => ({
  table: 'ledger',
  op: 'put' as const,
  row: { entry_id: id, kind: 'volume', resource_id: id },
});

function memberOf(
  id: string,
  journal: MemoryJournal,
  claims: MemoryClaims,
  clock: { now: number; wall?: number } = { now: 0 },
) {
  const changes = new MemoryChanges();
  const identity = { id, name: `engine ${id}` };
  const member = new FleetMember({
    member: identity,
    log: journal,
    claims: claims.boardOf(identity),
    changes: changes.store,
    marks: () => [`mark-${id}`],
    clock: { monotonic: () => clock.now, wallTime: () => clock.wall ?? 0 },
  });
  return { id, member, changes };
}
const rejectsWith = (code: string) => expect.objectContaining({ code }) as Error;

describe('a member of a fleet', () => {
  it('begins the journal of a replica with what it knows of it, and appends what changes', async () => {
    const journal = new MemoryJournal();
    const one = memberOf('one', journal, new MemoryClaims());
    one.changes.put(row('before'));
    await one.member.claim('r', never);
    one.changes.put(row('later'));
    await one.member.settled('r', never);
    expect(
      journal.records.map(({ record }) =>
        record.kind === 'epoch' ? `epoch ${record.epoch}` : record.changes.map(({ row: { entry_id: id } }) => id),
      ),
    ).toEqual(['epoch 1', ['before'], ['later']]);
  });

  it('begins nothing where it ended before all that it knew was recorded, and the next one begins again', async () => {
    const [journal, claims] = [new MemoryJournal(), new MemoryClaims()];
    const [one, two] = [memberOf('one', journal, claims), memberOf('two', journal, claims)];
    for (const member of [one, two])
      for (let index = 0; index < 250; index++) member.changes.put(row(`volume-${index}`));
    const append = journal.append.bind(journal);
    journal.append = (replica, record, expected) =>
      journal.records.length === 2
        ? Promise.reject(new CausewayError('fleet.unreachable', 'killed'))
        : append(replica, record, expected);
    await expect(one.member.claim('r', never)).rejects.toThrow(rejectsWith('fleet.unreachable'));
    journal.append = append;
    const reader = memberOf('three', journal, claims);
    await reader.member.follow('r', never);
    expect([journal.records.length, reader.changes.rows]).toEqual([2, []]);
    await two.member.claim('r', never);
    await reader.member.follow('r', never);
    expect(reader.changes.rows).toEqual(two.changes.rows);
    expect(historyProblems(journal.of('r'))).toEqual([]);
  });

  it('makes nothing of what it recorded without a claim part of the journal', async () => {
    const [journal, claims] = [new MemoryJournal(), new MemoryClaims()];
    const one = memberOf('one', journal, claims);
    await one.member.claim('r', never);
    one.changes.put(row('a'));
    await one.member.release('r', never);
    one.changes.put(row('of a run that still stops'));
    await one.member.claim('r', never);
    await one.member.settled('r', never);
    expect(one.changes.rows).toEqual([row('a')]);
    expect(journal.of('r').flatMap(({ record }) => (record.kind === 'changes' ? record.changes : []))).toEqual([
      row('a'),
    ]);
  });

  it('knows under which marks others have made resources', async () => {
    const [journal, claims] = [new MemoryJournal(), new MemoryClaims()];
    const [one, two] = [memberOf('one', journal, claims), memberOf('two', journal, claims)];
    await one.member.claim('r', never);
    await one.member.release('r', never);
    await two.member.claim('r', never);
    expect(two.changes.marks).toEqual(['mark-one']);
  });

  it('does not get a replica that another one works on, and gets what was recorded once it is given back', async () => {
    const [journal, claims] = [new MemoryJournal(), new MemoryClaims()];
    const [one, two] = [memberOf('one', journal, claims), memberOf('two', journal, claims)];
    await one.member.claim('r', never);
    one.changes.put(row('a'));
    await expect(two.member.claim('r', never)).rejects.toThrow(rejectsWith('fleet.claimed-elsewhere'));
    await one.member.release('r', never);
    await two.member.claim('r', never);
    expect(two.changes.rows).toEqual([row('a')]);
  });

  it('that slept while another one took over can append nothing more, and forgets what came too late', async () => {
    const [journal, claims] = [new MemoryJournal(), new MemoryClaims()];
    const [one, two] = [memberOf('one', journal, claims), memberOf('two', journal, claims)];
    const { lost } = await one.member.claim('r', never);
    claims.isOver = () => true;
    await two.member.claim('r', never);
    two.changes.put(row('by two'));
    await two.member.settled('r', never);
    one.changes.put(row('too late'));
    await expect(one.member.settled('r', never)).rejects.toThrow(rejectsWith('fleet.claim-lost'));
    expect(lost.reason).toMatchObject({ code: 'fleet.claim-lost' });
    await two.member.release('r', never);
    await one.member.claim('r', never);
    expect(one.changes.rows).toEqual([row('by two')]);
    expect(historyProblems(journal.of('r'))).toEqual([]);
  });

  it('gives up a claim that it could not renew for as long as a claim lasts', async () => {
    const clock = { now: 0 };
    let isAway = false;
    const claims = new MemoryClaims();
    const board = claims.boardOf({ id: 'one', name: 'one' });
    const changes = new MemoryChanges();
    const member = new FleetMember({
      member: { id: 'one', name: 'one' },
      log: new MemoryJournal(),
      changes: changes.store,
      clock: { monotonic: () => clock.now, wallTime: () => 0 },
      claims: {
        ...board,
        renew: (replica, signal) =>
          isAway ? Promise.reject(new CausewayError('fleet.unreachable', 'away')) : board.renew(replica, signal),
      },
    });
    const { lost } = await member.claim('r', never);
    isAway = true;
    clock.now = 900;
    await member.renew(never);
    member.expire();
    expect(lost.aborted).toBe(false);
    clock.now = 1100;
    // Without an answer of anybody: after a sleep this comes first.
    member.expire();
    expect(lost.reason).toMatchObject({ code: 'fleet.claim-lost' });
  });

  it('that was stopped while its intent was recorded acts on it no more, although the journal took it', async () => {
    const [journal, clock] = [new MemoryJournal(), { now: 0 }];
    const one = memberOf('one', journal, new MemoryClaims(), clock);
    const { lost } = await one.member.claim('r', never);
    one.changes.put(row('a'));
    const append = journal.append.bind(journal);
    journal.append = async (...given) => {
      const sequence = await append(...given);
      clock.now = 800;
      return sequence;
    };
    await expect(one.member.settled('r', never)).rejects.toThrow(rejectsWith('fleet.claim-lost'));
    expect(lost.reason).toMatchObject({ code: 'fleet.claim-lost' });
    await expect(one.member.settled('r', never)).rejects.toThrow(rejectsWith('fleet.claim-lost'));
  });

  it.each([
    ['between recording and asking', { now: 800 }],
    ['with a computer whose monotonic clock stands still then', { now: 0, wall: 800 }],
  ])(
    'that was stopped %s begins no request under its claim, nor under the next one what began before',
    async (_, later) => {
      const [journal, claims, clock] = [new MemoryJournal(), new MemoryClaims(), { now: 0, wall: 0 }];
      const one = memberOf('one', journal, claims, clock);
      const { lost } = await one.member.claim('r', never);
      const mayBegin = one.member.claimed('r');
      await one.member.settled('r', never);
      Object.assign(clock, { now: 700, wall: 700 });
      mayBegin();
      Object.assign(clock, { wall: 0 }, later);
      expect(mayBegin).toThrow(rejectsWith('fleet.claim-lost'));
      expect(lost.reason).toMatchObject({ code: 'fleet.claim-lost' });
      await one.member.claim('r', never);
      expect(mayBegin).toThrow(rejectsWith('fleet.claim-lost'));
      one.member.claimed('r')();
    },
  );

  it('begins requests as long as its claim is renewed', async () => {
    const clock = { now: 0 };
    const { member } = memberOf('one', new MemoryJournal(), new MemoryClaims(), clock);
    const { lost } = await member.claim('r', never);
    const mayBegin = member.claimed('r');
    for (clock.now = 500; clock.now < 5000; clock.now += 500) {
      await member.renew(never);
      mayBegin();
    }
    expect(lost.aborted).toBe(false);
  });

  it('does not renew a claim that ended, although nobody has it any more', async () => {
    const [journal, claims] = [new MemoryJournal(), new MemoryClaims()];
    const [one, two] = [memberOf('one', journal, claims), memberOf('two', journal, claims)];
    const { lost } = await one.member.claim('r', never);
    claims.isOver = () => true;
    await two.member.claim('r', never);
    two.changes.put(row('made and removed meanwhile'));
    await two.member.release('r', never);
    await one.member.renew(never);
    expect(lost.reason).toMatchObject({ code: 'fleet.claim-lost' });
    expect(await claims.boardOf({ id: 'three', name: 'three' }).holder('r', never)).toBeUndefined();
  });

  it('does not lose its claim by the answer to a renewal of the one before', async () => {
    const claims = new MemoryClaims();
    const board = claims.boardOf({ id: 'one', name: 'one' });
    const asked = Promise.withResolvers<undefined>();
    const changes = new MemoryChanges();
    const member = new FleetMember({
      member: { id: 'one', name: 'one' },
      log: new MemoryJournal(),
      changes: changes.store,
      clock: { monotonic: () => 0, wallTime: () => 0 },
      claims: { ...board, renew: () => asked.promise.then(() => 'ended' as const) },
    });
    await member.claim('r', never);
    const renewing = member.renew(never);
    await member.release('r', never);
    const { lost } = await member.claim('r', never);
    asked.resolve(undefined);
    await renewing;
    expect(lost.aborted).toBe(false);
  });
});

/**
 * Members that claim, record an intent, wait until it is in the journal, and only then create something, while answers are lost, claims end at
 * any moment, and members take over from each other in every order of their steps.
 */
it('whatever is lost and whoever takes over: one writer in each epoch, nothing is created twice, and all end with the same rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.infiniteStream(fc.constantFrom('none', 'none', 'none', 'none', 'before', 'after')),
      fc.infiniteStream(fc.boolean()),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom('work', 'work', 'work', 'release', 'renew')), {
        minLength: 5,
        maxLength: 25,
      }),
      async (scheduler, faults, overs, steps) => {
        let isCalm = false;
        const journal = new MemoryJournal(() => (isCalm ? 'none' : (faults.next().value as 'none')));
        const claims = new MemoryClaims();
        claims.isOver = () => isCalm || (overs.next().value as boolean);
        const [append, read] = [
          scheduler.scheduleFunction(journal.append.bind(journal)),
          scheduler.scheduleFunction(journal.read.bind(journal)),
        ];
        const slow = {
          append: (...given: Parameters<MemoryJournal['append']>) =>
            isCalm ? journal.append(...given) : append(...given),
          read: (...given: Parameters<MemoryJournal['read']>) => (isCalm ? journal.read(...given) : read(...given)),
        };
        const members = ['a', 'b', 'c'].map((id) =>
          memberOf(id, Object.assign(Object.create(journal) as MemoryJournal, slow), claims),
        );
        const created: string[] = [];
        const work = async ({ member, changes, id }: (typeof members)[number]): Promise<void> => {
          await member.claim('r', never);
          // What is intended already was asked for by somebody: it is looked up, not created.
          const next = `volume-${new Set(changes.rows.map(({ row: { entry_id: entry } }) => entry)).size}`;
          changes.put({
            table: 'ledger',
            op: 'put',
            row: { entry_id: next, kind: 'volume', resource_id: null, by: id },
          });
          await member.settled('r', never);
          created.push(next);
        };
        const running = steps.map(async ([who, step]) => {
          const chosen = members[who]!;
          const done =
            step === 'work'
              ? work(chosen)
              : step === 'renew'
                ? chosen.member.renew(never)
                : chosen.member.release('r', never);
          await done.catch((error: unknown) => expect((error as CausewayError).code).toMatch(/^fleet\./));
        });
        await scheduler.waitFor(Promise.all(running));
        isCalm = true;
        expect(historyProblems(journal.of('r'))).toEqual([]);
        expect(created).toEqual([...new Set(created)]);
        const last = members[0]!;
        await last.member
          .claim('r', never)
          .then(() => last.member.settled('r', never))
          .catch(() => last.member.claim('r', never));
        for (const { member } of members.slice(1)) await member.renew(never);
        for (const { member, changes } of members.slice(1)) {
          await member.release('r', never).catch(() => undefined);
          await member.follow('r', never);
          if (changes.store.pending('r', 1).changes.length === 0)
            expect(changes.rows).toEqual(
              journal.of('r').flatMap(({ record }) => (record.kind === 'changes' ? record.changes : [])),
            );
        }
      },
    ),
    { numRuns: rounds(300) },
  );
});
