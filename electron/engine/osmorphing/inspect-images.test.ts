import { afterEach, expect, test, vi } from 'vitest';
import { inspectImages } from './inspect-images.ts';

afterEach(() => vi.restoreAllMocks());

test('nobody but root is asked to mount anything', async () => {
  if (process.geteuid !== undefined) vi.spyOn(process, 'geteuid').mockReturnValue(1000);
  await expect(
    inspectImages({ images: ['/nowhere'], options: {}, signal: new AbortController().signal }),
  ).rejects.toMatchObject({ code: 'osmorphing.local-inspection' });
});
