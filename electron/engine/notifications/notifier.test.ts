import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Event } from '../../../shared/model/event.ts';
import type { Notification, NotificationWay } from '../../../shared/model/notifications.ts';
import { migrate } from '../store/migrate.ts';
import { migrations } from '../store/migrations.ts';
import { notificationOutbox, type NotificationDelivery } from '../store/notification-outbox.ts';
import { FakeClock } from '../time/testing/fake-clock.ts';
import { notifier } from './notifier.ts';
import { toldBy, type Surroundings } from './what-to-tell.ts';

const failed = (text: string): Notification => ({ kind: 'failed', text, at: '2026-11-28T23:00:00.000Z' });

let db: DatabaseSync;
beforeEach(() => {
  db = new DatabaseSync(':memory:');
  migrate(
    db,
    migrations.filter(({ number }) => number === 14),
  );
});
afterEach(() => db.close());

function made(outcomes: (Error | string)[] = [], kinds = new Set(['failed']), ways: NotificationWay[] = ['webhook']) {
  const clock = new FakeClock();
  const sent: NotificationDelivery[] = [];
  const given: string[] = [];
  const told = notifier({
    clock,
    outbox: notificationOutbox(db),
    wanted: () => ({ ways, kinds }),
    send: async (delivery) => {
      sent.push(delivery);
      const outcome = outcomes.shift() ?? 'done';
      if (typeof outcome !== 'string') throw outcome;
      return outcome;
    },
    notDelivered: (way, { code }) => given.push(`${way} ${code}`),
  });
  const texts = () => sent.map(({ messages }) => messages.map(({ text }) => text));
  return { clock, sent, texts, given, told };
}

it('gathers what happens at the same time into one message, and leaves out what nobody asked for', async () => {
  const { clock, texts, told } = made();
  told.tell(failed('a'));
  told.tell({ ...failed('b'), kind: 'wave-ended' });
  await clock.pass(9_000);
  told.tell(failed('c'));
  expect(texts()).toEqual([]);
  await clock.pass(1_000);
  expect(texts()).toEqual([['a', 'c']]);
});

it('lists fifty and counts the others', async () => {
  const { clock, texts, told } = made();
  for (let number = 0; number < 60; number += 1) told.tell(failed(`vm-${number}`));
  await clock.pass(10_000);
  expect([texts()[0]?.length, texts()[0]?.at(-1)]).toEqual([51, 'and 10 more']);
});

it('tries again what may pass, gives up what does not, and says so once', async () => {
  const { clock, sent, given, told } = made([
    new CausewayError('notification.mail-not-sent', 'later'),
    new CausewayError('notification.mail-refused', 'no'),
  ]);
  told.tell(failed('a'));
  await clock.pass(10_000);
  await clock.pass(15_000);
  expect([sent.length, given]).toEqual([2, ['webhook notification.mail-refused']]);
});

it('sends what was gathered when it is closed', async () => {
  const { texts, told } = made();
  told.tell(failed('a'));
  await told.close();
  told.tell(failed('b'));
  expect(texts()).toEqual([['a']]);
});

it('sends once, after a crash, what was gathered or being sent, and nothing that had arrived', async () => {
  const before = made([new CausewayError('notification.mail-not-sent', 'later'), 'done'], undefined, [
    'mail',
    'webhook',
  ]);
  before.told.tell(failed('a'));
  await before.clock.pass(10_000);
  before.told.tell(failed('b'));
  // The process ends here: nothing of it moves any more.
  const after = made([], undefined, ['mail', 'webhook']);
  after.told.resume();
  await after.clock.pass(10_000);
  expect(before.sent.map(({ way }) => way)).toEqual(['mail', 'webhook']);
  expect(after.sent.map(({ way, messages }) => [way, ...messages.map(({ text }) => text)])).toEqual([
    ['mail', 'a'],
    ['mail', 'b'],
    ['webhook', 'b'],
  ]);
  // The receiver of what may have arrived can tell.
  expect(after.sent[0]?.id).toBe(before.sent[0]?.id);
  const third = made();
  third.told.resume();
  await third.clock.pass(10_000);
  expect(third.sent).toEqual([]);
});

it('waits for a vault that is locked after the restart, and forgets what a way was not set up for any more', async () => {
  const later = new CausewayError('notification.mail-not-sent', 'later');
  const before = made([later, later], undefined, ['mail', 'webhook']);
  before.told.tell(failed('a'));
  await before.clock.pass(10_000);
  const locked = new CausewayError('secrets.locked', 'locked');
  const after = made(
    Array.from({ length: 8 }, () => locked),
    undefined,
    ['mail'],
  );
  after.told.resume();
  await after.clock.pass(8 * 15_000);
  expect([after.sent.length, new Set(after.sent.map(({ way, id }) => `${way} ${id}`)).size, after.given]).toEqual([
    9,
    1,
    [],
  ]);
});

it('takes up what waits as soon as there is a way again, and loses none of it', async () => {
  const before = made([]);
  before.told.tell(failed('a'));
  const without = made([], undefined, []);
  without.told.resume();
  await without.clock.pass(10_000);
  expect(without.sent).toEqual([]);
  const after = made([]);
  after.told.tell(failed('b'));
  await after.clock.pass(10_000);
  expect(after.texts()).toEqual([['a', 'b']]);
});

it('keeps what is told once over restarts', () => {
  const outbox = notificationOutbox(db);
  expect([
    outbox.isFirst('run-1 2 go'),
    outbox.isFirst('run-1 2 go'),
    notificationOutbox(db).isFirst('run-1 2 go'),
    outbox.isFirst('run-1 3 go'),
  ]).toEqual([true, false, false, true]);
});

const about: Surroundings = {
  nameOf: () => 'web-01',
  isInActiveWave: (id) => id === 'rep-in-wave',
  isPartOfDeployment: (id) => id === 'exe-part',
  isCutOver: (id) => id === 'dep-cut',
};
const event = (type: Event['type'], more: Partial<Event>): Event => ({
  id: 1,
  at: '2026-11-28T23:00:00.000Z',
  type,
  message: 'no route',
  details: {},
  ...more,
});

it('tells of failures, ends of waves and cut-overs, and of nothing else', () => {
  const text = (type: Event['type'], more: Partial<Event>) => toldBy(event(type, more), about)?.text;
  expect(text('execution.state', { replicaId: 'rep-1', executionId: 'exe-1', details: { state: 'failed' } })).toBe(
    'web-01: execution failed: no route',
  );
  expect(text('deployment.state', { replicaId: 'rep-1', deploymentId: 'dep-1', details: { state: 'failed' } })).toBe(
    'web-01: deployment failed: no route',
  );
  expect(
    text('deployment.state', { replicaId: 'rep-1', deploymentId: 'dep-cut', details: { state: 'completed' } }),
  ).toBe('web-01 is running at the destination');
  expect(text('wave.state', { details: { state: 'failed', wave: 'Night 1' } })).toBe('no route');
  // A part of what tells itself, a member of a wave that will tell, what goes on, what went well.
  for (const quiet of [
    event('execution.state', { replicaId: 'rep-1', executionId: 'exe-part', details: { state: 'failed' } }),
    event('execution.state', { replicaId: 'rep-in-wave', executionId: 'exe-1', details: { state: 'failed' } }),
    event('execution.state', { replicaId: 'rep-1', executionId: 'exe-1', details: { state: 'completed' } }),
    event('wave.state', { details: { state: 'running' } }),
    event('task.state', { details: { state: 'failed' } }),
  ])
    expect(toldBy(quiet, about)).toBeUndefined();
});
