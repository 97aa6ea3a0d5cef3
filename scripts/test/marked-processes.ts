import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** A variable that a part of a run and everything it starts have in their environment. */
export interface Mark {
  readonly env: Readonly<Record<string, string>>;
  readonly entry: string;
}

const variable = 'CAUSEWAY_TEST_PART';

/** A part of a part has the mark of both. */
export function markOf(name: string): Mark {
  const outer = process.env[variable] === undefined ? '' : `${process.env[variable]}/`;
  const value = `${outer}${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}.${randomUUID()}`;
  return { env: { [variable]: value }, entry: `${variable}=${value}` };
}

/** Processes with the mark, wherever they went in the tree; none where there is no /proc. Zombies count as ended. */
export function markedProcesses(mark: Mark): { readonly pid: number; readonly command: string }[] {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return pids.flatMap((pid) => {
    try {
      const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!entries.some((entry) => entry === mark.entry || entry.startsWith(`${mark.entry}/`))) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return command === '' ? [] : [{ pid: Number(pid), command: command.slice(0, 200) }];
    } catch {
      return []; // it has just ended, or is another user's
    }
  });
}

/** Ends everything with the mark. */
export function endMarked(mark: Mark): void {
  // What starts more while it is ended is found in the next round.
  for (let round = 0; round < 5; round++) {
    const found = markedProcesses(mark);
    if (found.length === 0) return;
    for (const { pid } of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it has just ended
      }
    }
  }
}
