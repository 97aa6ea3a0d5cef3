import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** Processor time of a process and everything that it starts, also what outlives it. */
export interface CpuAccount {
  /** Words to put before a command so that it is counted. */
  readonly prefix: readonly string[];
  /** CPU seconds so far; undefined where the kernel does not count. */
  seconds(): number | undefined;
  close(): void;
}

const uncounted: CpuAccount = { prefix: [], seconds: () => undefined, close: () => undefined };

/** Counts by a control group of its own (version 1 or 2), which needs root; elsewhere nothing is counted. */
export function openCpuAccount(name: string): CpuAccount {
  const base = ['/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup'].find((folder) => existsSync(join(folder, 'cgroup.procs')));
  if (base === undefined || process.getuid?.() !== 0) return uncounted;
  const folder = join(base, `causeway-test-${process.pid}-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`);
  const read = (): number => {
    const usage = join(folder, 'cpuacct.usage');
    if (existsSync(usage)) return Number(readFileSync(usage, 'utf8')) / 1e9;
    return Number(/^usage_usec (\d+)/m.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8'))?.[1]) / 1e6;
  };
  try {
    mkdirSync(folder);
    if (Number.isNaN(read())) return uncounted;
  } catch {
    return uncounted;
  }
  return {
    prefix: ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs"; exec "$@"', folder],
    seconds: () => read(),
    close() {
      try {
        rmdirSync(folder);
      } catch {
        // something of it is still ending; the kernel keeps an empty group, which costs nothing
      }
    },
  };
}
