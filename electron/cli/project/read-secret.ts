import { readFileSync } from 'node:fs';
import { UsageError, type CommandContext } from '../command-context.ts';
import { readFailure } from '../validate/collect-files.ts';
import { askSecretly } from './unlock.ts';

/** A secret's value: from a file, typed, or all of standard input; without the line's end. */
export async function readSecret(name: string, options: { file?: string }, context: CommandContext): Promise<string> {
  const value = options.file === undefined ? ((await askSecretly(context, `Secret ${name}: `)) ?? readAll(0)) : readAll(options.file);
  if (value === '') throw new UsageError('the secret is empty');
  return value;
}

function readAll(from: string | 0): string {
  try {
    return readFileSync(from, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`${from === 0 ? 'standard input' : from}: ${readFailure(error)}`);
  }
}
