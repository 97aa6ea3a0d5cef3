import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import { removeFileSync } from '../system-files/remove-file.ts';
import { longPath } from '../system-files/long-path.ts';

/** Who has a project open, for people and for processes that want to talk to it. */
export const lockHolderSchema = z.object({
  pid: z.number(),
  /** Changes with every start of the machine, so that a number from before is not mistaken for a process of today. */
  bootId: z.string(),
  since: z.string(),
  /** Unix socket or named pipe of the engine. */
  address: z.string(),
  /** What its clients send first, where the address itself is not closed to other users (named pipes of Windows). */
  key: z.string().optional(),
  /** Name of its computer. */
  computer: z.string().optional(),
});
export type LockHolder = z.infer<typeof lockHolderSchema>;

export interface ProjectLock {
  release(): void;
}

const lockName = 'engine.lock';
const holderName = 'engine.json';

/**
 * Takes the project for this process; undefined when another one has it. The truth is a lock that the operating system
 * holds and lets go of when the process ends, however it ends (a second SQLite file, because Node offers no other lock that
 * is the same on every system). Process number and boot id are written beside it.
 */
export function takeProjectLock(folder: string, address: string, key?: string): ProjectLock | undefined {
  const db = new DatabaseSync(longPath(join(folder, lockName)));
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    // SQLITE_BUSY
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === 5) return undefined;
    throw error;
  }
  const holder: LockHolder = {
    pid: process.pid,
    bootId: bootId(),
    since: new Date().toISOString(),
    address,
    ...(key === undefined ? {} : { key }),
    computer: hostname(),
  };
  const path = join(folder, holderName);
  try {
    writeFileSync(path, JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    // On a full disk the project can still be read; other processes then cannot find this one.
    if (systemFailure(error) === undefined) throw error;
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      removeFileSync(path);
      db.close();
    },
  };
}

/** What the holder wrote of itself; undefined when there is none, or one that is not a process of this start of this machine. */
export function readLockHolder(folder: string): LockHolder | undefined {
  const holder = readAnyHolder(folder);
  return holder?.bootId === bootId() ? holder : undefined;
}

/** The computer that has the project open, when it is another one that shares the folder. */
export function computerWithLock(folder: string): string | undefined {
  const holder = readAnyHolder(folder);
  return holder?.bootId === bootId() ? undefined : holder?.computer;
}

function readAnyHolder(folder: string): LockHolder | undefined {
  try {
    return lockHolderSchema.parse(JSON.parse(readFileSync(join(folder, holderName), 'utf8')));
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
