import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { zipArchive } from './zip-archive.ts';

/** The preparation program as one file that the worker's Python runs. */
export async function programArchive(folder: string = defaultProgramFolder()): Promise<Buffer> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
  const wanted = names.filter((name) => name === '__main__.py' || /^causeway_osmorphing\/.*\.py$/.test(name)).sort();
  return zipArchive(
    await Promise.all(wanted.map(async (path) => ({ path, content: await readFile(join(folder, path)) }))),
  );
}

/** Where the program's files are: beside the sources, or beside the built application. */
export function defaultProgramFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'assets', 'worker', 'osmorphing');
    if (existsSync(join(path, '__main__.py'))) return path;
    if (dirname(folder) === folder)
      throw new CausewayError('general.bug', `assets/worker/osmorphing is not above ${from}`);
  }
}
