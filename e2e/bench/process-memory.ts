import { readFileSync } from 'node:fs';

/** The most that a process had resident so far, in bytes (VmHWM); undefined when it has ended. */
export function highestResidentBytes(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
