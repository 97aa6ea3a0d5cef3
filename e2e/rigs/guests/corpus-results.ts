import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

/** What came of a guest: `prepared`, or the code with which its preparation ended; and of each bus `booted` or what went wrong. */
const guestSchema = z.object({ about: z.string(), prepared: z.string(), buses: z.record(z.string(), z.string()) });
/** `emulators`: versions of QEMU that they were started on. */
export const corpusResultsSchema = z.object({
  date: z.string(),
  emulators: z.array(z.string()).default([]),
  guests: z.record(z.string(), guestSchema),
});
export type CorpusResults = z.infer<typeof corpusResultsSchema>;

/** Adds to what earlier runs found: other guests and other buses stay. Nothing is kept without a file. Synchronous: several guests end at a time. */
export function keepCorpusResult(file: string | undefined, name: string, found: CorpusResults['guests'][string]): void {
  if (file === undefined) return;
  const { guests: before, emulators: known }: CorpusResults = existsSync(file)
    ? corpusResultsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    : { date: '', guests: {}, emulators: [] };
  const here = /version (\d[\d.]*)/.exec(
    spawnSync('qemu-system-x86_64', ['--version'], { encoding: 'utf8' }).stdout,
  )?.[1];
  const emulators = [...new Set([...known, ...(here === undefined ? [] : [here])])].toSorted();
  const buses = before[name]?.prepared === found.prepared ? { ...before[name].buses, ...found.buses } : found.buses;
  const guests = Object.fromEntries(
    Object.entries({ ...before, [name]: { ...found, buses } }).toSorted(([one], [other]) =>
      one.localeCompare(other, 'en'),
    ),
  );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    `${file}.partial`,
    `${JSON.stringify({ date: new Date().toISOString(), emulators, guests }, null, 2)}\n`,
  );
  renameSync(`${file}.partial`, file);
}
