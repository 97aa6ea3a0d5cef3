import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** What a task took the last time, in seconds; CPU only where the kernel counts it. */
export interface Taken {
  readonly wall: number;
  readonly cpu?: number | undefined;
}

const schema = z.record(z.string(), z.object({ wall: z.number(), cpu: z.number().optional() }));
const fileIn = (root: string): string => join(root, '.cache', 'test-times.json');

/** The times of earlier runs, by task; empty when there are none or the file is damaged. */
export function readTimes(root: string): Record<string, Taken> {
  try {
    return schema.parse(JSON.parse(readFileSync(fileIn(root), 'utf8')));
  } catch {
    return {};
  }
}

/** Keeps the times of this run; those of tasks that it did not have stay. */
export function keepTimes(root: string, times: Readonly<Record<string, Taken>>): void {
  const file = fileIn(root);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readTimes(root), ...times }, undefined, 2)}\n`);
}
