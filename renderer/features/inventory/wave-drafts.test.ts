import { expect, test } from 'vitest';
import type { KeptMachine } from '../../../shared/inventory/inventory.ts';
import { moved, nextName, type Draft } from './wave-drafts.ts';

const machine = (id: string): KeptMachine => ({
  vm: { id, name: id, os_type: 'linux', disks: [], nics: [] },
  power: 'running',
  state: 'new',
  since: '2026-11-23T00:00:00Z',
});
const draft: Draft = [
  { name: 'Wave 1', machines: [machine('a'), machine('b')] },
  { name: 'Wave 2', machines: [machine('c')] },
];
const shown = (waves: Draft) => waves.map(({ name, machines }) => [name, machines.map(({ vm }) => vm.id)]);

test('machines move to another wave, and to a new one; an empty wave goes', () => {
  expect(shown(moved(draft, new Set(['b']), 'Wave 2'))).toEqual([
    ['Wave 1', ['a']],
    ['Wave 2', ['c', 'b']],
  ]);
  expect(shown(moved(draft, new Set(['a', 'c']), nextName(draft, 'Wave')))).toEqual([
    ['Wave 1', ['b']],
    ['Wave 3', ['a', 'c']],
  ]);
  expect(shown(moved(draft, new Set(['a']), 'Wave 1'))).toEqual([
    ['Wave 1', ['b', 'a']],
    ['Wave 2', ['c']],
  ]);
});
