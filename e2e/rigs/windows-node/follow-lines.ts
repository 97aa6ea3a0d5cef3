import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

/** Calls back for each whole line that a program appends to a file, until the signal says that it has ended. */
export async function followLines(file: string, onLine: (line: string) => void, ended: AbortSignal): Promise<void> {
  await using handle = await open(file);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let at = 0;
  const read = async (): Promise<void> => {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split(/\r?\n/);
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    }
  };
  let next = Promise.withResolvers<void>();
  const watcher = watch(file, () => next.resolve());
  ended.addEventListener('abort', () => next.resolve());
  try {
    while (!ended.aborted) {
      await next.promise;
      next = Promise.withResolvers();
      await read();
    }
    await read();
  } finally {
    watcher.close();
  }
}
