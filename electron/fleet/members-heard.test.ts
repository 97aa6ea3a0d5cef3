import { expect, it } from 'vitest';
import type { Here } from './live-messages.ts';
import { membersHeard } from './members-heard.ts';

const here = (id: string, works: string[] = []): Here => ({ kind: 'here', member: { id, name: `engine ${id}` }, carries: 2, isDraining: false, reaches: [], works, refuses: [] });

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
