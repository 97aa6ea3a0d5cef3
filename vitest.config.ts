import { defineConfig } from 'vitest/config';

/**
 * How long an awaited event may take. No test asserts a duration, so these are far above what an idle machine needs: a
 * build machine under load must not fail a test that is right, and a test that waits in vain ends all the same.
 */
const patience = { unit: 30_000, specs: 60_000 };

/** `unit`: beside the code, no system packages. `specs`: the big ones, with real servers, disks, guests and a browser. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{shared,electron,renderer,assets,scripts,e2e/conformance,e2e/rigs}/**/*.test.{ts,tsx}'],
          testTimeout: 120_000,
          expect: { poll: { timeout: patience.unit } },
        },
      },
      {
        test: {
          name: 'specs',
          include: ['e2e/specs/**/*.spec.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: patience.specs } },
          // The rigs share two cores and one cache of images: one file after the other keeps times and deadlines honest.
          fileParallelism: false,
        },
      },
      {
        // What people do with the page, in the desktop app instead of the browser; `npm test` runs it where Electron's runtime is.
        test: {
          name: 'electron',
          include: ['e2e/specs/workbench-{from-nothing,configure,lists,endpoints,reopened,real-guest}.spec.ts'],
          env: { CAUSEWAY_HOST: 'electron' },
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: patience.specs } },
          fileParallelism: false,
        },
      },
      {
        // Against a real open-source cloud, which is started where none runs: minutes, gigabytes, packages of its own.
        test: {
          name: 'openstack',
          include: ['e2e/specs-openstack/**/*.spec.ts'],
          expect: { poll: { timeout: patience.specs } },
          globalSetup: ['e2e/rigs/open-source-cloud/for-specs.ts'],
          setupFiles: ['e2e/rigs/open-source-cloud/hold-requests.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
