import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The clouds' own libraries: of these, which are large, the bundle has what is used, and packages do not have the rest. Their chunks are
 * loaded with the first endpoint of their cloud. And what every command loads, or every one that reads a document: one file each instead of a hundred,
 * which took half of the time that the command line needed to start (`npm run bench -- start`).
 */
export function bundledLibraries(root: string): string[] {
  return dependenciesOf(root).filter(isBundled);
}

/** The other ones, which stay files of their own. What a bundled library needs itself is bundled with it, in the version that it asks for. */
export function librariesApart(root: string): string[] {
  return dependenciesOf(root).filter((name) => !isBundled(name));
}

const isBundled = (name: string): boolean => /^@(?:aws-sdk|azure)\/|^(?:zod|commander|yaml)$/.test(name);

function dependenciesOf(root: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}
