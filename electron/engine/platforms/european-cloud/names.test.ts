import { describe, expect, it } from 'vitest';
import { resolve, resolvedOrThrow, resolveImage } from './names.ts';

const networks = [{ id: 'n-1', name: 'lan' }, { id: 'n-2', name: 'dmz' }, { id: 'n-3', name: 'dmz' }];

describe('a name', () => {
  it('is an id first, then a name', () => {
    expect(resolve([...networks, { id: 'n-4', name: 'n-1' }], 'n-1')).toEqual({ outcome: 'found', resource: networks[0] });
    expect(resolve(networks, 'lan')).toEqual({ outcome: 'found', resource: networks[0] });
  });

  it('that two resources share is refused with their ids', () => {
    expect(() => resolvedOrThrow('network', 'migr_network', 'dmz', resolve(networks, 'dmz'))).toThrow(/migr_network: 2 .*"dmz".*n-2, n-3/);
  });

  it('that nobody has is refused with the names that there are', () => {
    expect(() => resolvedOrThrow('network', 'migr_network', 'lam', resolve(networks, 'lam'))).toThrow('no network "lam"; there are: dmz, lan');
  });
});

describe("an image's name", () => {
  const build = (id: string, createdAt: string, status = 'AVAILABLE') => ({ id, name: 'Debian 12', createdAt, status, labels: {} });
  const images = [build('old', '2026-01-01T00:00:00Z'), build('new', '2026-03-01T00:00:00Z'), build('unfinished', '2026-04-01T00:00:00Z', 'CREATING')];

  it('means its newest build that can be used', () => {
    expect(resolveImage(images, 'Debian 12')).toMatchObject({ outcome: 'found', resource: { id: 'new' } });
  });

  it('does not hide an earlier build that is named by its id', () => {
    expect(resolveImage(images, 'old')).toMatchObject({ outcome: 'found', resource: { id: 'old' } });
  });
});
