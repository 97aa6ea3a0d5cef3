import { defineConfig } from 'vitest/config';

/** `unit`: beside the code, no system packages. `specs`: the big ones, with real servers, disks, guests and a browser. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{shared,electron,renderer,assets,scripts,e2e/conformance,e2e/rigs}/**/*.test.{ts,tsx}'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'specs',
          include: ['e2e/specs/**/*.spec.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
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
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        // Against a real open-source cloud, which is started where none runs: minutes, gigabytes, packages of its own.
        test: {
          name: 'openstack',
          include: ['e2e/specs-openstack/**/*.spec.ts'],
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
