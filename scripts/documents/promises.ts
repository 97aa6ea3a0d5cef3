import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promises } from './promise-list.ts';

const root = join(import.meta.dirname, '../..');

/** The files of tests that have each title, relative to the project; none for a title that no test has. */
export function filesByTitle(): ReadonlyMap<string, readonly string[]> {
  const patterns = [
    '{shared,electron,renderer,scripts}/**/*.test.ts',
    'e2e/{specs,specs-full,specs-guests,specs-pairs,specs-openstack,endurance}/*.spec.ts',
    'assets/worker/**/test_*.py',
  ];
  const sources = globSync(patterns, { cwd: root })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'") }));
  const titles = Object.values(promises)
    .flat()
    .flatMap(({ tests }) => tests);
  return new Map(
    titles.map((title) => [title, sources.filter(({ text }) => text.includes(title)).map(({ file }) => file)]),
  );
}

/** One table for each subject, with a link to each test's file. */
export function promiseTables(): string {
  const files = filesByTitle();
  const link = (title: string): string => {
    const [file] = files.get(title) ?? [];
    return file === undefined ? title : `[${title.replaceAll('|', '\\|')}](../${file})`;
  };
  return Object.entries(promises)
    .map(([subject, list]) =>
      [
        `## ${subject}`,
        '',
        '| Promise | Held by |',
        '|---|---|',
        ...list.map(({ promise, tests }) => `| ${promise} | ${tests.map(link).join('<br>')} |`),
      ].join('\n'),
    )
    .join('\n\n');
}
