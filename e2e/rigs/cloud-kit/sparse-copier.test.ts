import { mkdtemp, open, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sparseCopier } from './sparse-copier.ts';

it('copies one file after the other with their holes, and says which could not be copied', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-copier-'));
  const from = join(folder, "a volume's $name.raw");
  const file = await open(from, 'wx');
  await file.write(Buffer.from('data'), 0, 4, 2 ** 20);
  await file.close();
  await truncate(from, 2 ** 30);
  const [first, missing, second] = await Promise.allSettled([
    sparseCopier.copy(from, join(folder, 'first')),
    sparseCopier.copy(join(folder, 'missing'), join(folder, 'none')),
    sparseCopier.copy(from, join(folder, 'second')),
  ]);
  expect([first.status, missing.status, second.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(missing).toMatchObject({ reason: { message: expect.stringContaining('missing') as string } });
  for (const copy of ['first', 'second']) {
    const { size, blocks } = await stat(join(folder, copy));
    expect(size).toBe(2 ** 30);
    expect(blocks * 512).toBeLessThan(2 ** 20);
    const copied = await open(join(folder, copy));
    expect((await copied.read(Buffer.alloc(4), 0, 4, 2 ** 20)).buffer.toString()).toBe('data');
    await copied.close();
  }
  await rm(folder, { recursive: true });
});
