import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Tier } from './tiers.ts';

/** What a task took the last time, in seconds; CPU only where the kernel counts it. */
export interface Taken {
  readonly wall: number;
  readonly cpu?: number | undefined;
}

const schema = z.record(z.string(), z.object({ wall: z.number(), cpu: z.number().optional() }));
/** Committed: copies of `.cache/…-times.json` after runs of each tier in a fresh clone on an idle machine. */
const recordedOf = (tier: Tier): string => join(import.meta.dirname, `${tier}-times.json`);
const fileOf = (root: string, tier: Tier): string => join(root, '.cache', `${tier}-times.json`);

/**
 * The times of earlier runs of a tier, by task. Where none is known, as in a fresh clone, those of the machine that recorded
 * them; a task that neither knows has no entry.
 */
export function readTimes(root: string, tier: Tier): Record<string, Taken> {
  return { ...readFrom(recordedOf(tier)), ...readFrom(fileOf(root, tier)) };
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
export function keepTimes(root: string, tier: Tier, times: Readonly<Record<string, Taken>>): void {
  const file = fileOf(root, tier);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readFrom(file), ...times }, undefined, 2)}\n`);
}
