import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { keyFileWrapper, readPrivateFile } from '../../secrets/key-file-wrapper.ts';
import type { KeyWrapper } from '../../secrets/key-wrapper.ts';
import { passphraseWrapper } from '../../secrets/passphrase-wrapper.ts';
import type { CommandContext } from '../command-context.ts';

/**
 * What opens the vault: a key file, a passphrase file, or somebody who types; undefined where there is none of them. Asked at most
 * once by the vault, and only when a secret is needed.
 */
export function keyWrapperFor(context: CommandContext): () => Promise<KeyWrapper | undefined> {
  return async () => {
    const { CAUSEWAY_KEY_FILE: keyFile } = context.env;
    if (keyFile !== undefined && keyFile !== '') return keyFileWrapper(keyFile);
    const given = passphraseFromFile(context);
    if (given !== undefined) return passphraseWrapper(given);
    const typed = await askSecretly(context, 'Passphrase of the vault: ');
    return typed === undefined ? undefined : passphraseWrapper(typed);
  };
}

/** The passphrase that a file has; undefined where none is named. */
export function passphraseFromFile({ env }: CommandContext): string | undefined {
  const file = env['CAUSEWAY_PASSPHRASE_FILE'];
  return file === undefined || file === '' ? undefined : readPrivateFile(file, 1).toString('utf8');
}

/** Whether opening the vault means asking a person. */
export function asksForPassphrase({ env }: CommandContext): boolean {
  return (env['CAUSEWAY_KEY_FILE'] ?? '') === '' && (env['CAUSEWAY_PASSPHRASE_FILE'] ?? '') === '';
}

/** Asks on the terminal without showing what is typed; undefined where there is no terminal. */
export async function askSecretly(context: CommandContext, question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || context.stdout.isTTY !== true) return undefined;
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: mute, terminal: true });
  context.stderr.write(question);
  try {
    return await prompt.question('', { signal: context.signal });
  } finally {
    prompt.close();
    context.stderr.write('\n');
  }
}
