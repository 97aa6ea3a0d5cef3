import { appendFile, mkdtemp, open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentDigest, firstDifference } from './sparse-files.ts';

const MiB = 2 ** 20;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-sparse-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A file of 64 MiB with these bytes at these places. */
async function made(name: string, parts: Readonly<Record<number, Uint8Array>>): Promise<string> {
  const path = join(folder, name);
  const file = await open(path, 'w');
  await file.truncate(64 * MiB);
  for (const [at, bytes] of Object.entries(parts)) await file.write(bytes, 0, bytes.length, Number(at));
  await file.close();
  return path;
}

const noise = Buffer.alloc(100_000, 'noise ');

it('takes holes for the zeros that they are', async () => {
  const one = await made('one', { 5_000_000: noise });
  const other = await made('other', { 5_000_000: noise, 40_000_001: Buffer.alloc(MiB) });
  expect(await firstDifference(one, other)).toBeUndefined();
  expect(await firstDifference(other, one)).toBeUndefined();
  expect(await contentDigest(one)).toBe(await contentDigest(other));
});

it('finds a single byte, whichever of the files has it', async () => {
  const one = await made('one', { 5_000_000: noise });
  const other = await made('other', { 5_000_000: noise, 41_234_567: Buffer.of(1) });
  expect(await firstDifference(one, other)).toBe(41_234_567);
  expect(await firstDifference(other, one)).toBe(41_234_567);
  expect(await contentDigest(one)).not.toBe(await contentDigest(other));
  expect(await contentDigest(one, 41_234_567)).toBe(await contentDigest(other, 41_234_567));
  expect(await contentDigest(one, 41_234_568)).not.toBe(await contentDigest(other, 41_234_568));
});

it('tells the same bytes elsewhere from these', async () => {
  const one = await made('one', { 5_000_000: noise });
  const other = await made('other', { 5_065_536: noise });
  expect(await firstDifference(one, other)).toBe(5_000_000);
  expect(await contentDigest(one)).not.toBe(await contentDigest(other));
});

it('looks no further than the first file goes, and says where the second one ends', async () => {
  const one = await made('one', { 5_000_000: noise });
  const longer = await made('longer', { 5_000_000: noise });
  await appendFile(longer, 'more');
  expect(await firstDifference(one, longer)).toBeUndefined();
  expect(await firstDifference(longer, one)).toBe(64 * MiB);
  await truncate(one, 63 * MiB);
  expect(await contentDigest(one)).not.toBe(await contentDigest(longer));
});
