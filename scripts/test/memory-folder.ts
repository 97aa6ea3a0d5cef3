import { mkdirSync, rmSync, statfsSync } from 'node:fs';

const memory = '/dev/shm';
const wantedBytes = 4 * 2 ** 30;

/**
 * Where unit tests write their files: in memory where there is room, as thousands of small projects whose databases wait for the disk at
 * each record take more than twice as long. Undefined elsewhere.
 */
export const memoryFolder = hasRoom() ? `${memory}/causeway-units-${process.pid}` : undefined;

/** Called by the test runner before the first test, in the process that read its configuration; what it returns after the last one. */
export function setup(): (() => void) | undefined {
  if (memoryFolder === undefined) return undefined;
  mkdirSync(memoryFolder, { recursive: true, mode: 0o700 });
  return () => rmSync(memoryFolder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= wantedBytes;
  } catch {
    return false;
  }
}
