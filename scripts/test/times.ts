import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** What a task took the last time, in seconds; CPU only where the kernel counts it. */
export interface Taken {
  readonly wall: number;
  readonly cpu?: number | undefined;
}

const schema = z.record(z.string(), z.object({ wall: z.number(), cpu: z.number().optional() }));
/** Committed: a copy of `.cache/test-times.json` after a run of the full tier in a fresh clone on an idle machine. */
const recorded = join(import.meta.dirname, 'usual-times.json');
const fileIn = (root: string): string => join(root, '.cache', 'test-times.json');

/**
 * The times of earlier runs, by task. Where none is known, as in a fresh clone, those of the machine that recorded
 * `usual-times.json`; a task that neither knows has no entry.
 */
export function readTimes(root: string): Record<string, Taken> {
  return { ...readFrom(recorded), ...readFrom(fileIn(root)) };
}

/** Empty when there is none or it is damaged. */
function readFrom(file: string): Record<string, Taken> {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** Keeps the times of this run; those of tasks that it did not have stay. */
export function keepTimes(root: string, times: Readonly<Record<string, Taken>>): void {
  const file = fileIn(root);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readFrom(fileIn(root)), ...times }, undefined, 2)}\n`);
}
