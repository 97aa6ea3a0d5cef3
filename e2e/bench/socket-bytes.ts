import { spawnSync } from 'node:child_process';

const intervalMs = 100;

/**
 * Counts what a process sends and receives over TCP, to the cloud as well as to workers, as the kernel knows of each of its connections. What a connection
 * moves in its last tenth of a second is not seen.
 */
export function socketBytes(pid: number): { stop(): number } {
  const seen = new Map<string, number>();
  const look = (): void => {
    const { stdout } = spawnSync('ss', ['-tinpHO'], { encoding: 'utf8' });
    for (const line of (stdout ?? '').split('\n')) {
      if (!line.includes(`pid=${pid},`)) continue;
      const [, , , local = '', remote = ''] = line.trim().split(/\s+/);
      const of = (name: string): number => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
      seen.set(
        `${local} ${remote}`,
        Math.max(seen.get(`${local} ${remote}`) ?? 0, of('bytes_acked') + of('bytes_received')),
      );
    }
  };
  const timer = setInterval(look, intervalMs);
  return {
    stop() {
      clearInterval(timer);
      look();
      return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
    },
  };
}
