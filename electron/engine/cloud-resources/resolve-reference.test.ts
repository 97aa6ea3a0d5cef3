import { describe, expect, it } from 'vitest';
import { resolve, resolvedOrThrow } from './resolve-reference.ts';

const networks = [
  { id: 'n-1', name: 'lan' },
  { id: 'n-2', name: 'dmz' },
  { id: 'n-3', name: 'dmz' },
];

describe('a name', () => {
  it('is an id first, then a name', () => {
    expect(resolve([...networks, { id: 'n-4', name: 'n-1' }], 'n-1')).toEqual({
      outcome: 'found',
      resource: networks[0],
    });
    expect(resolve(networks, 'lan')).toEqual({ outcome: 'found', resource: networks[0] });
  });

  it('that two resources share is refused with their ids', () => {
    expect(() => resolvedOrThrow('network', 'migr_network', 'dmz', resolve(networks, 'dmz'))).toThrow(
      /migr_network: 2 .*"dmz".*n-2, n-3/,
    );
  });

  it('that nobody has is refused with the names that there are', () => {
    expect(() => resolvedOrThrow('network', 'migr_network', 'lam', resolve(networks, 'lam'))).toThrow(
      'no network "lam"; available: dmz, lan',
    );
  });
});
