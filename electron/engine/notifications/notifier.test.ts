import { expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Event } from '../../../shared/model/event.ts';
import type { Notification } from '../../../shared/model/notifications.ts';
import { FakeClock } from '../time/testing/fake-clock.ts';
import { notifier } from './notifier.ts';
import { toldBy, type Surroundings } from './what-to-tell.ts';

const failed = (text: string): Notification => ({ kind: 'failed', text, at: '2026-11-28T23:00:00.000Z' });

function made(outcomes: (Error | string)[] = [], kinds = new Set(['failed'])) {
  const clock = new FakeClock();
  const sent: string[][] = [];
  const given: string[] = [];
  const told = notifier({
    clock, wanted: () => ({ ways: ['webhook'], kinds }),
    send: async (_way, messages) => {
      sent.push(messages.map(({ text }) => text));
      const outcome = outcomes.shift() ?? 'done';
      if (typeof outcome !== 'string') throw outcome;
      return outcome;
    },
    notDelivered: (way, { code }) => given.push(`${way} ${code}`),
  });
  return { clock, sent, given, told };
}

it('gathers what happens at the same time into one message, and leaves out what nobody asked for', async () => {
  const { clock, sent, told } = made();
  told.tell(failed('a'));
  told.tell({ ...failed('b'), kind: 'wave-ended' });
  await clock.pass(9_000);
  told.tell(failed('c'));
  expect(sent).toEqual([]);
  await clock.pass(1_000);
  expect(sent).toEqual([['a', 'c']]);
});

it('lists fifty and counts the others', async () => {
  const { clock, sent, told } = made();
  for (let number = 0; number < 60; number += 1) told.tell(failed(`vm-${number}`));
  await clock.pass(10_000);
  expect([sent[0]?.length, sent[0]?.at(-1)]).toEqual([51, 'and 10 more']);
});

it('tries again what may pass, gives up what does not, and says so once', async () => {
  const { clock, sent, given, told } = made([new CausewayError('notification.mail-not-sent', 'later'), new CausewayError('notification.mail-refused', 'no')]);
  told.tell(failed('a'));
  await clock.pass(10_000);
  await clock.pass(15_000);
  expect([sent.length, given]).toEqual([2, ['webhook notification.mail-refused']]);
});

it('sends what was gathered when it is closed', async () => {
  const { sent, told } = made();
  told.tell(failed('a'));
  await told.close();
  told.tell(failed('b'));
  expect(sent).toEqual([['a']]);
});

const about: Surroundings = { nameOf: () => 'web-01', isInActiveWave: (id) => id === 'rep-in-wave', isPartOfDeployment: (id) => id === 'exe-part', isCutOver: (id) => id === 'dep-cut' };
const event = (type: Event['type'], more: Partial<Event>): Event => ({ id: 1, at: '2026-11-28T23:00:00.000Z', type, message: 'no route', details: {}, ...more });

it('tells of failures, ends of waves and cut-overs, and of nothing else', () => {
  const text = (type: Event['type'], more: Partial<Event>) => toldBy(event(type, more), about)?.text;
  expect(text('execution.state', { replicaId: 'rep-1', executionId: 'exe-1', details: { state: 'failed' } })).toBe('web-01: execution failed: no route');
  expect(text('deployment.state', { replicaId: 'rep-1', deploymentId: 'dep-1', details: { state: 'failed' } })).toBe('web-01: deployment failed: no route');
  expect(text('deployment.state', { replicaId: 'rep-1', deploymentId: 'dep-cut', details: { state: 'completed' } })).toBe('web-01 is running at the destination');
  expect(text('wave.state', { details: { state: 'failed', wave: 'Night 1' } })).toBe('no route');
  // A part of what tells itself, a member of a wave that will tell, what goes on, what went well.
  for (const quiet of [
    event('execution.state', { replicaId: 'rep-1', executionId: 'exe-part', details: { state: 'failed' } }), event('execution.state', { replicaId: 'rep-in-wave', executionId: 'exe-1', details: { state: 'failed' } }),
    event('execution.state', { replicaId: 'rep-1', executionId: 'exe-1', details: { state: 'completed' } }), event('wave.state', { details: { state: 'running' } }), event('task.state', { details: { state: 'failed' } }),
  ]) expect(toldBy(quiet, about)).toBeUndefined();
});
