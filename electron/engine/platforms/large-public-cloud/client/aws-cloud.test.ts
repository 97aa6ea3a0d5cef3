import { expect, it } from 'vitest';
import { allPages } from './aws-cloud.ts';

it('puts all pages of a listing together, empty ones in between included', async () => {
  const pages: Readonly<Record<string, { readonly items: readonly number[]; readonly next: string | undefined }>> = {
    first: { items: [1, 2], next: 'a' },
    a: { items: [], next: 'b' },
    b: { items: [3], next: '' },
  };
  await expect(allPages(async (token) => pages[token ?? 'first'] ?? { items: [], next: undefined })).resolves.toEqual([
    1, 2, 3,
  ]);
});

it('takes no part of a listing for the whole: what is missing from it would count as gone', async () => {
  await expect(allPages(async () => ({ items: [1], next: 'the same' }))).rejects.toMatchObject({
    code: 'cloud.unexpected-answer',
  });
});
