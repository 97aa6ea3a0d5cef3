import { resolve } from 'node:path';

/** The folder of `--project <folder>` or `--project=<folder>`, relative to where the app was started. */
export function namedProject(argv: readonly string[], workingFolder: string): string | undefined {
  const at = argv.findIndex((argument) => argument === '--project' || argument.startsWith('--project='));
  if (at < 0) return undefined;
  const named = argv[at] === '--project' ? argv[at + 1] : argv[at]!.slice('--project='.length);
  return named === undefined || named === '' || named.startsWith('--') ? undefined : resolve(workingFolder, named);
}
