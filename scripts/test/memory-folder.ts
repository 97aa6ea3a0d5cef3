import { mkdirSync, rmSync } from 'node:fs';

/** Makes the folder in memory for the files of the unit tests (vitest.config.ts), and removes it after them, with what they left. */
export function setup(): () => void {
  const folder = `/dev/shm/causeway-units-${process.pid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return () => rmSync(folder, { recursive: true, force: true });
}
