import { readFileSync } from 'node:fs';
import { ensureStateFolder } from '../../engine/store/database.ts';
import { keyFileWrapper, makeKeyFile } from '../../secrets/key-file-wrapper.ts';
import type { KeyWrapper } from '../../secrets/key-wrapper.ts';
import { passphraseWrapper } from '../../secrets/passphrase-wrapper.ts';
import { createVault } from '../../secrets/vault.ts';
import { ensureProjectFile } from '../../workbench/project-file.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { readFailure } from '../validate/collect-files.ts';
import { askSecretly, keyWrapperFor, passphraseFromFile } from './unlock.ts';
import { moverOf, projectFolder, vaultPath } from './with-project.ts';

const shortestPassphrase = 8;

/** Makes the project's vault with the protection that the surroundings offer. */
export async function initVault(options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  const mover = moverOf(options, context);
  if (mover !== undefined) return initVaultOnMover(mover, options, context);
  const folder = projectFolder(options, context);
  ensureStateFolder(folder);
  const { CAUSEWAY_KEY_FILE: keyFile, CAUSEWAY_PASSPHRASE_FILE: passphraseFile } = context.env;
  let wrapper: KeyWrapper | undefined;
  if (keyFile !== undefined && keyFile !== '') {
    makeKeyFile(keyFile);
    wrapper = keyFileWrapper(keyFile);
  } else if (passphraseFile !== undefined && passphraseFile !== '') {
    wrapper = await keyWrapperFor(context)();
  } else {
    wrapper = await typedTwice(context);
  }
  if (wrapper === undefined)
    throw new UsageError('set CAUSEWAY_KEY_FILE or CAUSEWAY_PASSPHRASE_FILE, or run this on a terminal');
  await createVault(vaultPath(folder), wrapper);
  ensureProjectFile(folder);
  if (options.json === true)
    context.stdout.write(`${JSON.stringify({ vault: vaultPath(folder), protection: wrapper.kind })}\n`);
  else
    context.stdout.write(
      `The vault was created, protected by a ${wrapper.kind}. It is not protected by the operating system.\n`,
    );
  return 0;
}

/** On a mover only a passphrase protects a vault: what opens it must not lie beside it. */
async function initVaultOnMover(mover: string, options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  const { withWorkbenchOnMover } = await import('./on-mover.ts');
  const passphrase = passphraseFromFile(context) ?? (await passphraseTwice(context));
  if (passphrase === undefined) throw new UsageError('set CAUSEWAY_PASSPHRASE_FILE, or run this on a terminal');
  await withWorkbenchOnMover(mover, { ...options, createProject: true }, context, (client) =>
    client.call('vault.create', { passphrase }),
  );
  if (options.json === true) context.stdout.write(`${JSON.stringify({ mover, protection: 'passphrase' })}\n`);
  else
    context.stdout.write(
      `The vault was created on ${mover}, protected by the passphrase. After a restart of the mover its engine needs it again.\n`,
    );
  return 0;
}

async function typedTwice(context: CommandContext): Promise<KeyWrapper | undefined> {
  const passphrase = await passphraseTwice(context);
  return passphrase === undefined ? undefined : passphraseWrapper(passphrase);
}

async function passphraseTwice(context: CommandContext): Promise<string | undefined> {
  const passphrase = await askSecretly(context, 'New passphrase: ');
  if (passphrase === undefined) return undefined;
  if (passphrase.length < shortestPassphrase)
    throw new UsageError(`a passphrase has at least ${shortestPassphrase} characters`);
  if ((await askSecretly(context, 'Repeat the passphrase: ')) !== passphrase)
    throw new UsageError('the passphrases do not match');
  return passphrase;
}

/** A secret's value: from a file, typed, or all of standard input; without the line's end. */
export async function readSecret(name: string, options: { file?: string }, context: CommandContext): Promise<string> {
  const value =
    options.file === undefined
      ? ((await askSecretly(context, `Secret ${name}: `)) ?? readAll(0))
      : readAll(options.file);
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
