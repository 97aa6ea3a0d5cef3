// needs: e2fsprogs
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Files of a guest whose root is ext4 on a partition of a raw disk, without mounting it. */
export class GuestFiles {
  readonly #disk: string;

  /** @param startBytes where the partition begins. Default: the first one */
  constructor(disk: string, startBytes = 1_048_576) {
    this.#disk = `${disk}?offset=${startBytes}`;
  }

  /** Empty when there is no such file. */
  async bytes(path: string): Promise<Buffer> {
    return this.#ask(`cat "${path}"`);
  }

  async text(path: string): Promise<string> {
    return (await this.bytes(path)).toString('utf8');
  }

  /** Sorted names in a folder; none when there is no such folder. */
  async names(folder: string): Promise<string[]> {
    const listed = (await this.#ask(`ls -p "${folder}"`)).toString('utf8');
    return listed
      .split('\n')
      .map((line) => line.split('/')[5] ?? '')
      .filter((name) => !['', '.', '..'].includes(name))
      .sort();
  }

  /** Replaces a file's content; `from` is a file of this machine. */
  async replace(path: string, from: string): Promise<void> {
    for (const request of [`rm "${path}"`, `write "${from}" "${path}"`]) {
      await promisify(execFile)('debugfs', ['-w', '-R', request, this.#disk]);
    }
  }

  async #ask(request: string): Promise<Buffer> {
    // A disk that was used a moment ago may still be marked as such; -c reads it all the same.
    const { stdout } = await promisify(execFile)('debugfs', ['-c', '-R', request, this.#disk], {
      encoding: 'buffer',
      maxBuffer: 2 ** 28,
    });
    return stdout;
  }
}
