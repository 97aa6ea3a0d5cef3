import { readFileSync, statSync } from 'node:fs';
import { UsageError } from '../command-context.ts';
import { readFailure } from '../validate/collect-files.ts';

/** Bytes above which a file is not what a command wants. */
const mostBytes = 256 * 1024 * 1024;

/** The content of a file that was named on the command line. @throws UsageError that says what is wrong with it */
export function readInputFile(path: string): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size > mostBytes) throw new UsageError(`${path}: the file has ${Math.ceil(size / 2 ** 20)} MiB; the limit is ${mostBytes / 2 ** 20} MiB`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${readFailure(error)}`);
  }
}

/** The same as text in UTF-8. */
export function readInputText(path: string): string {
  return Buffer.from(readInputFile(path)).toString('utf8');
}
