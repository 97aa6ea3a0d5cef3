import { expect, it } from 'vitest';
import type { Here } from './live-messages.ts';
import { membersHeard } from './members-heard.ts';

const here = (id: string, works: string[] = []): Here => ({
  kind: 'here',
  member: { id, name: `engine ${id}` },
  carries: 2,
  isDraining: false,
  reaches: [],
  works,
  refuses: [],
});

it('members are known as long as they are heard of, and whoever says that it leaves is gone immediately', () => {
  let now = 0;
  const members = membersHeard('me', 100, () => now);
  for (const id of ['b', 'me', 'a']) members.heard(here(id, [`replica of ${id}`]));
  expect(members.list().map(({ member }) => member.id)).toEqual(['a', 'b']);
  expect([members.holder('replica of b')?.name, members.holder('replica of me')]).toEqual(['engine b', undefined]);
  now = 80;
  members.heard(here('a'));
  expect(members.holder('replica of a')).toBeUndefined();
  now = 120;
  expect(members.list().map(({ member }) => member.id)).toEqual(['a']);
  members.gone('a');
  expect(members.list()).toEqual([]);
});

it('no more are kept than a fleet may have, until some are gone', () => {
  let now = 0;
  const members = membersHeard('me', 100, () => now);
  for (let n = 0; n < 600; n += 1) members.heard(here(`m${n}`, [`replica ${n}`]));
  expect([members.list().length, members.holder('replica 499')?.id, members.holder('replica 500')]).toEqual([
    500,
    'm499',
    undefined,
  ]);
  // Those that are known are heard as before.
  members.heard(here('m1', ['another']));
  expect(members.holder('another')?.id).toBe('m1');
  now = 200;
  members.heard(here('late'));
  expect(members.list().map(({ member }) => member.id)).toEqual(['late']);
});
