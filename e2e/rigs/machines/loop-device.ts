import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { ChildProcess } from 'node:child_process';
import { kill, run, spawnBound } from './child-process.ts';

/**
 * A file as a block device. The device is set to clear itself with its last user, and a bound process holds it open:
 * it goes when it is closed here, and as well when this process is killed.
 */
export class LoopDevice {
  /** E.g. `loop3`. */
  readonly name: string;
  readonly minor: number;
  readonly #holder: ChildProcess;

  private constructor(name: string, holder: ChildProcess) {
    this.name = name;
    this.minor = Number(name.slice(4));
    this.#holder = holder;
  }

  static async open(path: string): Promise<LoopDevice> {
    const node = (await run('losetup', ['--find', '--show', path])).trim();
    await forgetPartitions(node);
    // `losetup -d` on a device in use marks it to be cleared by its last close.
    const script = 'exec 3<"$1" && losetup -d "$1" && echo held && exec sleep infinity';
    const holder = spawnBound('sh', ['-c', script, 'sh', node], { stdio: ['ignore', 'pipe', 'inherit'] });
    const first = await Promise.race([
      once(holder.stdout as NodeJS.ReadableStream, 'data').then(() => 'held'),
      once(holder, 'exit').then(() => 'ended'),
    ]);
    if (first !== 'held') throw new Error(`${node} cannot be held`);
    return new LoopDevice(node.slice('/dev/'.length), holder);
  }

  close(): Promise<void> {
    return kill(this.#holder);
  }
}

/**
 * A preparation worker that is killed leaves its partitions with the loop device, and the kernel keeps them when the
 * device is used for another file: they would be taken for partitions of that file.
 */
async function forgetPartitions(node: string): Promise<void> {
  const name = node.slice('/dev/'.length);
  const left = (await readdir(`/sys/block/${name}`)).some((entry) => entry.startsWith(`${name}p`));
  if (left) await run('partx', ['--delete', node]);
}
