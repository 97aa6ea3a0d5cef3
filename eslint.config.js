import { readdirSync } from 'node:fs';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { exactNamesPlugin } from './scripts/lint/exact-names.js';
import { textsPlugin } from './scripts/lint/texts.js';
import { wallsPlugin } from './scripts/lint/walls.js';

const platforms = readdirSync(new URL('./electron/engine/platforms', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const features = readdirSync(new URL('./renderer/features', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Files of more than 500 lines: tables of texts and cases that are read from top to bottom, and what has still to be divided. */
const longFiles = [
  'e2e/rigs/resource-group-cloud/arm/create-vm.ts',
  'e2e/specs/compartment-cloud-destination.spec.ts',
  'e2e/specs/osmorphing-windows-worker.spec.ts',
  'electron/engine/jobs/runner.test.ts',
  'electron/engine/osmorphing/windows/both-ways.test.ts',
  'electron/engine/osmorphing/windows/winrm-guest.ts',
  'scripts/documents/capabilities.ts',
  'shared/validation/finding-texts.ts',
  'shared/validation/messages.test.ts',
];

/** The walls of the house: who (`target`) must not import whom (`from`, but for `except`), and the rule in words. */
const walls = [
  {
    target: 'shared',
    from: ['electron', 'renderer', 'e2e', 'scripts'],
    message: 'shared imports nothing else of ours',
  },
  { target: 'renderer', from: ['electron', 'e2e', 'scripts'], message: 'the renderer imports only shared' },
  ...features.map((name) => ({
    target: `renderer/features/${name}`,
    from: ['renderer/features'],
    except: [`renderer/features/${name}`],
    message: 'a feature never imports another feature: what several need belongs to components or forms',
  })),
  ...['app', 'components', 'features', 'forms'].map((name) => ({
    target: `renderer/${name}`,
    from: ['renderer/text'],
    except: ['renderer/text/text.ts', 'renderer/text/languages.ts', 'renderer/text/chosen-language.ts'],
    message: 'the page takes its texts from text/text.ts, which knows the language',
  })),
  {
    target: 'renderer/components',
    from: ['renderer/forms', 'renderer/features'],
    message: 'components know no form and no feature',
  },
  { target: 'renderer/forms', from: ['renderer/features'], message: 'forms know no feature' },
  { target: 'electron', from: ['renderer', 'e2e', 'scripts'], message: 'electron imports shared and itself' },
  {
    target: 'electron/engine',
    from: [
      'electron/main',
      'electron/cli',
      'electron/secrets',
      'electron/host',
      'electron/workbench',
      'electron/page',
      'electron/movers',
      'electron/mover',
      'electron/fleet',
    ],
    message: 'the engine stands alone',
  },
  {
    target: 'electron/preload.ts',
    from: ['electron', 'shared'],
    except: ['shared/contract'],
    message: 'preload imports only shared/contract',
  },
  {
    target: 'electron/engine/images',
    from: ['electron/engine'],
    except: ['electron/engine/images', 'electron/engine/ports', 'electron/engine/concurrency'],
    message: 'the readers of disk images know nothing of the rest of the engine',
  },
  ...platforms.map((name) => ({
    target: `electron/engine/platforms/${name}`,
    from: ['electron/engine/platforms'],
    except: [`electron/engine/platforms/${name}`],
    message: 'a platform never imports another platform',
  })),
  {
    target: 'electron/engine/platforms',
    from: ['electron/engine'],
    except: [
      'platforms',
      'ports',
      'http',
      'concurrency',
      'time',
      'nbd',
      'qmp',
      'images',
      'cloud-resources',
      'workers',
      'transport',
      'endpoint-checks',
      'source-records',
    ].map((folder) => `electron/engine/${folder}`),
    message: 'a platform imports ports and toolkits, not the engine around it',
    testsMay: true,
  },
];

/** Rules that need types are in .oxlintrc.json, and run with the type check: `npm run types`. */
export default tseslint.config(
  { ignores: ['node_modules/', 'out/', 'dist/', '.cache/', 'coverage/', 'test-results/'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { walls: wallsPlugin },
    rules: {
      'walls/hold': ['error', { root: import.meta.dirname, walls }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
      ],
      'no-console': 'off',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  // A test's function is its list of cases.
  { files: ['**/*.{test,spec}.{ts,tsx}', 'e2e/conformance/**'], rules: { 'max-lines-per-function': 'off' } },
  { files: ['e2e/**/*.ts'], plugins: { 'exact-names': exactNamesPlugin }, rules: { 'exact-names/hold': 'error' } },
  { files: longFiles, rules: { 'max-lines': 'off' } },
  {
    files: ['shared/**/*.ts'],
    ignores: ['**/*.test.ts', 'shared/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(node:|electron)', message: 'shared knows no Node, DOM or Electron API' }] },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer', 'window', 'document', '__dirname', 'require'],
    },
  },
  {
    files: ['electron/engine/**/*.ts', 'electron/cli/**/*.ts', 'electron/cli.ts', 'electron/secrets/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^electron', message: 'the core runs anywhere Node runs' }] },
      ],
    },
  },
  {
    files: ['renderer/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(node:|electron$|electron/)', message: 'the renderer is a page' }] },
      ],
    },
  },
  {
    files: ['renderer/**/*.{ts,tsx}'],
    ignores: ['renderer/text/**', '**/*.test.{ts,tsx}'],
    plugins: { texts: textsPlugin },
    rules: { 'texts/from-catalogue': 'error' },
  },
);
