import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../../shared/model/extent.ts';
import { lastWords, toolEnvironment, toolMissing } from '../../../../nbd/run-tool.ts';
import type { RbdImage, StorageCluster } from './storage-cluster.ts';

/**
 * What differs between two snapshots of an image, ascending; what is a hole now comes as `zero`. The storage computes it
 * from its own bookkeeping: no data is read. Of an object that was not there before, all of it up to its last byte counts,
 * and a part that was made zero counts as data.
 *
 * @throws `source.snapshot-lost` when a snapshot is not there any more, `source.tool-missing`, `source.read-failed`
 */
export async function* rbdDiff(
  cluster: StorageCluster,
  image: RbdImage,
  fromSnapshot: string,
  signal: AbortSignal,
): AsyncGenerator<Extent, void, undefined> {
  signal.throwIfAborted();
  const child = spawn(
    'rbd',
    [...cluster.args, 'diff', '--from-snap', fromSnapshot, `${image.pool}/${image.image}@${image.snapshot}`],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: toolEnvironment(),
      signal,
    },
  );
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (words: string) => (complaint = (complaint + words).slice(-4000)));
  const ended = new Promise<number | Error | null>((resolve) => {
    child.once('error', resolve);
    child.once('close', resolve);
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const extent = parseDiffLine(line);
      if (extent !== undefined) yield extent;
    }
    const end = await ended;
    signal.throwIfAborted();
    if (end instanceof Error) throw (end as NodeJS.ErrnoException).code === 'ENOENT' ? toolMissing('rbd', end) : end;
    if (end !== 0) {
      const what = `differences of ${image.image} since ${fromSnapshot}: ${lastWords(complaint)}`;
      throw new CausewayError(/No such file/i.test(complaint) ? 'source.snapshot-lost' : 'source.read-failed', what);
    }
  } finally {
    child.kill('SIGKILL');
  }
}

/** One line of `rbd diff`: offset, length, type. Headings give nothing. */
export function parseDiffLine(line: string): Extent | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(data|zero)\s*$/.exec(line);
  if (match === null) return undefined;
  const [, offset, length, kind] = match;
  return { offset: Number(offset), length: Number(length), kind: kind === 'zero' ? 'zero' : 'data' };
}
