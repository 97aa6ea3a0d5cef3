import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** Part of a file, from its first byte to the one behind its last. */
export type ByteRange = readonly [start: number, end: number];

/**
 * Node can't ask where a file has holes (SEEK_DATA, SEEK_HOLE), but programs can of which one is on nearly every Linux. They get the open file and no
 * path, print a line for each part that is stored, and `end`.
 */
const perl = `open(my $file, '<&=', 3) or exit 1;
my ($at, $end) = (0, -s $file);
while ($at < $end) {
  my $from = sysseek($file, $at, 3);
  if (!defined $from) { last if $! + 0 == 6; exit 1 }
  $from += 0;
  my $to = sysseek($file, $from, 4);
  exit 1 unless defined $to && $to > $from;
  print "$from $to\\n";
  $at = $to;
}
print "end\\n";`;
const python = `import os
at, end = 0, os.fstat(3).st_size
while at < end:
  try: start = os.lseek(3, at, os.SEEK_DATA)
  except OSError as error:
    if error.errno == 6: break
    raise
  at = os.lseek(3, start, os.SEEK_HOLE)
  print(start, at)
print('end')`;
export const programs: readonly (readonly [path: string, ...args: string[]])[] = [
  ['/usr/bin/perl', '-e', perl],
  ['/usr/bin/python3', '-I', '-S', '-c', python],
];

/**
 * ext2 to ext4, XFS, Btrfs, tmpfs, F2FS. What is told as a hole is not read, so that nothing else would find a wrong answer: servers of shares answer as
 * they like, and some versions of ZFS told of holes where data had just been written.
 */
const trustedFileSystems: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010]);

/** A file in more parts than fit into this is read instead. */
const mostOutputBytes = 32 * 1024 * 1024;

/**
 * The parts that a file stores, in order; what is between them reads as zeros. Undefined where that can't be asked.
 *
 * @param fd the open file, of which only the position is moved
 * @throws the signal's reason
 */
export async function storedRanges(
  fd: number,
  path: string,
  sizeBytes: number,
  signal: AbortSignal,
  among = programs,
): Promise<readonly ByteRange[] | undefined> {
  const program = process.platform === 'linux' ? among.find(([name]) => existsSync(name)) : undefined;
  const fileSystem = await statfs(path).catch(() => undefined);
  if (program === undefined || fileSystem === undefined || !trustedFileSystems.has(fileSystem.type)) return undefined;
  const text = await outputOf(program, fd, signal);
  return text === undefined ? undefined : rangesIn(text, sizeBytes);
}

async function outputOf(
  [name, ...args]: readonly [string, ...string[]],
  fd: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.throwIfAborted();
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'ignore', fd], env: {}, cwd: '/' });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const parts: Buffer[] = [];
    let room = mostOutputBytes;
    child.stdout?.on('data', (part: Buffer) => {
      room -= part.length;
      if (room < 0) stop();
      else parts.push(part);
    });
    const status = await new Promise<number | null>((resolve) =>
      child.once('error', () => resolve(null)).once('close', resolve),
    );
    signal.throwIfAborted();
    return status === 0 ? Buffer.concat(parts).toString('latin1') : undefined;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Undefined unless each part follows the one before, within the file, and the output is whole. */
export function rangesIn(text: string, sizeBytes: number): readonly ByteRange[] | undefined {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.pop() !== 'end') return undefined;
  const ranges: ByteRange[] = [];
  let last = 0;
  for (const line of lines) {
    const match = /^(\d{1,16}) (\d{1,16})$/.exec(line);
    const [start, end] = [Number(match?.[1]), Math.min(Number(match?.[2]), sizeBytes)];
    if (!(start >= last && end >= start)) return undefined;
    if (end > start) ranges.push([start, end]);
    last = end;
  }
  return ranges;
}
