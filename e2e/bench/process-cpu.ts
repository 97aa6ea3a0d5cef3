import { readdirSync, readFileSync } from 'node:fs';

// USER_HZ; what /proc counts in, on every Linux since 2.6.
const ticksPerSecond = 100;

interface ProcessStat {
  readonly parent: number;
  /** Processor seconds of the process and of the children that it has waited for. */
  readonly seconds: number;
}

function statOf(pid: number | 'self'): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name in parentheses may hold anything; the fields are counted from behind it.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0);
  return { parent: fields[1] ?? 0, seconds: ticks / ticksPerSecond };
}

/** Processor seconds of a process and all that descend from it, the ended ones that were waited for included. */
export function treeCpuSeconds(root: number): number {
  const stats = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  const belongs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = stats.get(at)?.parent ?? 0) if (at === root) return true;
    return false;
  };
  let sum = 0;
  for (const [pid, stat] of stats) if (belongs(pid)) sum += stat.seconds;
  return sum;
}

/** Processor seconds of the children of this process that have ended. */
export function endedChildrenCpuSeconds(): number {
  return (statOf('self')?.seconds ?? 0) - ownCpuSeconds();
}

/** Processor seconds of this process alone. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
