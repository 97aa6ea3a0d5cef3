import { expect, test } from 'vitest';
import { isDescription, isSharedPath, sameFileElsewhere } from './shared-paths.ts';

test('only descriptions are shared, and only under names that are that file on every member', () => {
  const paths = [
    'replicas/web.yaml',
    'endpoints/Überführung 1.json',
    'waves/a.yml',
    'defaults.json',
    'replicas/a:b.json',
    'replicas/nul.json',
    'waves/x.json\\..\\y.json',
    '../replicas/a.json',
    'replicas/../a.json',
    'replicas/a.sh',
    'causeway.json',
    'waves/sub/a.json',
  ];
  expect(paths.filter(isSharedPath)).toEqual(paths.slice(0, 4));
  // What a member has under a name that not everybody can have is named to its user.
  expect(paths.filter((path) => isDescription(path) && !isSharedPath(path))).toEqual(paths.slice(4, 7));
});

test('of names that differ in case alone, the one that is shared already is kept, or the first one', () => {
  const paths = ['replicas/web.json', 'replicas/Web.json', 'replicas/db.json', 'waves/web.json'];
  expect([...sameFileElsewhere(paths, () => false)]).toEqual(['replicas/web.json']);
  expect([...sameFileElsewhere(paths, (path) => path === 'replicas/web.json')]).toEqual(['replicas/Web.json']);
});
