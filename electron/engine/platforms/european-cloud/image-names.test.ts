import { describe, expect, it } from 'vitest';
import { resolveImage } from './image-names.ts';

describe("an image's name", () => {
  const build = (id: string, createdAt: string, status = 'AVAILABLE') => ({
    id,
    name: 'Debian 12',
    createdAt,
    status,
    labels: {},
  });
  const images = [
    build('old', '2026-01-01T00:00:00Z'),
    build('new', '2026-03-01T00:00:00Z'),
    build('unfinished', '2026-04-01T00:00:00Z', 'CREATING'),
  ];

  it('means its newest build that can be used', () => {
    expect(resolveImage(images, 'Debian 12')).toMatchObject({ outcome: 'found', resource: { id: 'new' } });
  });

  it('does not hide an earlier build that is named by its id', () => {
    expect(resolveImage(images, 'old')).toMatchObject({ outcome: 'found', resource: { id: 'old' } });
  });
});
