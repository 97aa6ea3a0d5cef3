import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

interface Copy {
  done(): void;
  failed(error: Error): void;
}

/**
 * Copies files and leaves their holes. One shell does it for a whole run: the kernel needs longer to fork a process of a test run, which
 * holds a gigabyte, than `cp` needs for a volume.
 */
class SparseCopier {
  #shell: ChildProcessByStdio<Writable, Readable, null> | undefined;
  readonly #waiting: Copy[] = [];

  copy(from: string, to: string): Promise<void> {
    if (`${from}${to}`.includes('\n')) return Promise.reject(new Error('a path must have no line break'));
    return new Promise((resolve, reject) => {
      const shell = (this.#shell ??= this.#start());
      this.#waiting.push({ done: resolve, failed: reject });
      shell.stdin.write(`${from}\n${to}\n`);
    });
  }

  #start(): ChildProcessByStdio<Writable, Readable, null> {
    const script =
      'while IFS= read -r from && IFS= read -r to; do said=$(cp --sparse=always --reflink=auto -- "$from" "$to" 2>&1) && echo ok || echo "${said:-cp failed}" | head -n 1; done';
    const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: shell.stdout }).on('line', (line) => {
      const first = this.#waiting.shift();
      if (line === 'ok') first?.done();
      else first?.failed(new Error(line));
    });
    const ended = (): void => {
      this.#shell = undefined;
      for (const { failed } of this.#waiting.splice(0)) failed(new Error('the shell that copies has ended'));
    };
    shell.once('exit', ended).once('error', ended);
    shell.stdin.on('error', () => undefined);
    // It ends with its input, and keeps nobody from ending.
    shell.unref();
    for (const stream of [shell.stdin, shell.stdout]) (stream as unknown as { unref(): void }).unref();
    return shell;
  }
}

export const sparseCopier = new SparseCopier();
