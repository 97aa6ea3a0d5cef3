import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageEngine } from './package-engine.ts';
import { packageForNpm } from './package-npm.ts';

/**
 * Makes packages with electron-builder: `npm run package -- --linux`; `--engine` makes the archive of the engine instead, `--npm` the npm package. What belongs to a company and not to the project comes from
 * environment variables: certificates (the builder's own variables) and the address of an update feed. docs/packaging.md lists them.
 */

/** What each of these variables is of no use without: packages would be made unsigned, and nobody would notice. */
const needs: Readonly<Record<string, readonly string[]>> = {
  WIN_CSC_KEY_PASSWORD: ['WIN_CSC_LINK'],
  CSC_KEY_PASSWORD: ['CSC_LINK'],
  APPLE_API_KEY: ['APPLE_API_KEY_ID', 'APPLE_API_ISSUER', 'CSC_LINK'],
  APPLE_API_KEY_ID: ['APPLE_API_KEY'],
  APPLE_API_ISSUER: ['APPLE_API_KEY'],
};

/** The address of the feed: the builder writes its files beside the packages and the address into them. */
export const feedVariable = 'CAUSEWAY_UPDATE_FEED';

/** What is wrong with the variables; empty where packages can be made. */
export function packagingProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  const halves = Object.entries(needs)
    .filter(([name]) => has(name))
    .flatMap(([name, others]) =>
      others.filter((other) => !has(other)).map((other) => `${name} is set without ${other}`),
    );
  const feed = environment[feedVariable] ?? '';
  const url = URL.canParse(feed) ? new URL(feed) : undefined;
  const isFeed = url?.protocol === 'https:' && url.username === '' && url.search === '' && url.hash === '';
  return feed === '' || isFeed
    ? halves
    : [...halves, `${feedVariable} must be an https:// address without user, query and fragment`];
}

/** The builder's arguments. Nothing is ever uploaded. */
export function builderArguments(given: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] {
  const feed = environment[feedVariable] ?? '';
  return [
    ...given,
    '--publish',
    'never',
    ...(feed === '' ? [] : ['-c.publish.provider=generic', `-c.publish.url=${feed}`]),
  ];
}

/** Which engines are asked for: none without `--engine`. */
export function engineArchitectures(given: readonly string[]): readonly ('x64' | 'arm64')[] {
  if (!given.includes('--engine')) return [];
  const at = given.indexOf('--arch');
  const arch = at < 0 ? process.arch : given[at + 1];
  if (arch !== 'x64' && arch !== 'arm64')
    throw new Error(`engines are made for x64 and arm64, not for ${arch ?? 'nothing'}`);
  return [arch];
}

if (process.argv[1] === import.meta.filename && process.argv.includes('--engine')) {
  for (const arch of engineArchitectures(process.argv.slice(2)))
    console.log(packageEngine(join(import.meta.dirname, '..'), arch));
} else if (process.argv[1] === import.meta.filename && process.argv.includes('--npm')) {
  console.log(packageForNpm(join(import.meta.dirname, '..')));
} else if (process.argv[1] === import.meta.filename) {
  const problems = packagingProblems(process.env);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exitCode = 2;
  } else {
    const builder = join(import.meta.dirname, '..', 'node_modules', 'electron-builder', 'cli.js');
    const child = spawn(process.execPath, [builder, ...builderArguments(process.argv.slice(2), process.env)], {
      stdio: 'inherit',
      cwd: join(import.meta.dirname, '..'),
    });
    child.on('exit', (code) => process.exit(code ?? 1));
  }
}
