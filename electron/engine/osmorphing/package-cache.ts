import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WorkerProgram } from './worker-program.ts';

// It goes through memory; a guest's cloud-init with all that it needs is some ten megabytes.
const largestBytes = 1024 * 2 ** 20;

/** Brings packages from this machine to the worker: a folder's package files, or a tar archive. Returns the folder there. */
export async function bringPackages(program: WorkerProgram, path: string, signal: AbortSignal): Promise<string> {
  const about = await stat(path).catch(() => undefined);
  if (about === undefined) throw new CausewayError('general.invalid-input', `no package cache found at ${path}`);
  if (about.isFile()) {
    refuseLarge(path, about.size);
    return program.unpack(await program.putFile('packages.tar', await readFile(path), signal), signal);
  }
  const names = (await readdir(path, { recursive: true })).filter((name) => /\.(deb|rpm)$/.test(name)).sort();
  if (names.length === 0)
    throw new CausewayError('general.invalid-input', `the package cache ${path} has neither .deb nor .rpm files`);
  const folder = await program.makeFolder('packages', signal);
  for (const name of names) {
    const file = join(path, name);
    refuseLarge(file, (await stat(file)).size);
    await program.putFile(`packages/${basename(name)}`, await readFile(file), signal);
  }
  return folder;
}

function refuseLarge(path: string, size: number): void {
  if (size > largestBytes)
    throw new CausewayError('general.invalid-input', `${path} has ${size} bytes, more than ${largestBytes}`);
}
