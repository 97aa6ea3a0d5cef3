import { globSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { memoryFolder } from './scripts/test/memory-folder.ts';
import { lackingOf, leftOut, unitNeeds } from './scripts/test/needs.ts';

/**
 * How long an awaited event may take. No test asserts a duration, so these are far above what an idle machine needs: a
 * build machine under load must not fail a test that is right, and a test that waits in vain ends all the same.
 */
const patience = { unit: 60_000, specs: 120_000 };

/** Property tests draw the same values in every run, so that a commit that passes once passes everywhere. */
const setupFiles = ['e2e/property-seed.ts'];

/** The system's programs before those of a version manager, whose scripts in front of `python3` take several times as long as the program. */
const path = [
  join(import.meta.dirname, 'node_modules', '.bin'),
  ...(process.platform === 'linux' ? ['/usr/bin', '/usr/sbin'] : []),
  process.env['PATH'] ?? '',
].join(delimiter);

/** What tests accept stays out of the settings of whoever runs them. */
const userFolder = join(tmpdir(), `causeway-test-user-${process.pid}`);
process.once('exit', () => rmSync(userFolder, { recursive: true, force: true }));
const env = { PATH: path, CAUSEWAY_USER_FOLDER: userFolder };

/** Of the unit tests: theirs are many small files. */
const unitEnv = memoryFolder === undefined ? env : { ...env, TMPDIR: memoryFolder };

/**
 * By Node's own loader, which strips types, as the engine and the command line are run from their sources. Vite's takes four times as much
 * processor time for the engine's thousand modules, in each process.
 */
const byNode = { experimental: { viteModuleRunner: false, nodeLoader: false } } as const;

/** The page has JSX, and files that Vite includes as text. */
const pageTests = 'renderer/**/*.test.{ts,tsx}';
const unitTests = '{shared,electron,assets,scripts,e2e/bench,e2e/conformance,e2e/rigs}/**/*.test.{ts,tsx}';

/** Tests that replace a module would replace it for others too: each such file gets a process of its own, and Vite's loader, which can replace them. */
const replaceModules = globSync([unitTests, pageTests], { cwd: import.meta.dirname }).filter((file) =>
  /\bvi\.(mock|doMock)\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

/** The files that are asked for on the command line; none: all. */
const asked = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('-') && /\.(test|spec)\b|\//.test(argument));
const specs = 'e2e/{specs,specs-full,specs-guests,specs-pairs}/**/*.spec.ts';
/** Files whose needs this machine does not meet: scripts/test/needs.ts. */
const lacking = leftOut(`{${unitTests},${pageTests},${specs}}`, asked);
if (lacking.size > 0) {
  const missing = [...new Set([...lacking.values()].flat())].toSorted().join(', ');
  console.log(`Left out, as this machine lacks ${missing}: ${[...lacking.keys()].join(' ')}`);
}
const withoutNeeds = ['**/node_modules/**', ...lacking.keys()];
/** The desktop app takes the place of the browser. */
const notInElectron = [...lacking].flatMap(([file, names]) => (names.join() === 'chromium' ? [] : [file]));
const provide = { lacking: lackingOf(unitNeeds) };

/** `unit`: beside the code, no system packages. `specs`: the big ones, with real servers, disks, guests and a browser. */
export default defineConfig({
  test: {
    // Whoever asks for files that are left out has read so above.
    passWithNoTests: asked.length > 0 && asked.every((part) => [...lacking.keys()].some((file) => file.includes(part))),
    projects: [
      {
        test: {
          ...byNode,
          name: 'unit',
          env: unitEnv,
          globalSetup: ['scripts/test/memory-folder.ts'],
          include: [unitTests],
          provide,
          exclude: [...withoutNeeds, ...replaceModules],
          // Files share processes: what they all import is loaded once, which halves the time.
          isolate: false,
          setupFiles,
          testTimeout: 120_000,
          expect: { poll: { timeout: patience.unit } },
        },
      },
      {
        test: {
          name: 'unit-page',
          env,
          include: [pageTests],
          exclude: [...withoutNeeds, ...replaceModules],
          isolate: false,
          setupFiles,
          testTimeout: 120_000,
          expect: { poll: { timeout: patience.unit } },
        },
      },
      {
        test: {
          name: 'unit-replaced-modules',
          env,
          include: replaceModules,
          exclude: withoutNeeds,
          provide,
          setupFiles,
          testTimeout: 120_000,
          expect: { poll: { timeout: patience.unit } },
        },
      },
      {
        test: {
          ...byNode,
          name: 'specs',
          env,
          // Each folder is a tier: scripts/test/tiers.ts.
          include: [specs],
          exclude: withoutNeeds,
          setupFiles,
          // A guest boots beside everything else.
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
          expect: { poll: { timeout: patience.specs } },
          // One file after the other, in one process; `npm test` runs several such processes at once.
          isolate: false,
          fileParallelism: false,
        },
      },
      {
        // What people do with the page, in the desktop app instead of the browser; `npm test` runs it where Electron's runtime is.
        test: {
          name: 'electron',
          include: [
            'e2e/{specs,specs-full,specs-guests}/workbench-{from-nothing,configure,lists,endpoints,reopened,real-guest}.spec.ts',
          ],
          exclude: ['**/node_modules/**', ...notInElectron],
          env: { ...env, CAUSEWAY_HOST: 'electron' },
          setupFiles,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: patience.specs } },
          fileParallelism: false,
        },
      },
      {
        // Seeded crashes and faults, for hours; scripts/endurance.ts sets seeds and counts.
        test: {
          name: 'endurance',
          include: ['e2e/endurance/**/*.spec.ts'],
          setupFiles,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: patience.specs } },
        },
      },
      {
        // Against a real open-source cloud, which is started where none runs: minutes, gigabytes, packages of its own.
        test: {
          name: 'openstack',
          env,
          include: ['e2e/specs-openstack/**/*.spec.ts'],
          expect: { poll: { timeout: patience.specs } },
          globalSetup: ['e2e/rigs/open-source-cloud/for-specs.ts'],
          setupFiles: [...setupFiles, 'e2e/rigs/open-source-cloud/hold-requests.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
