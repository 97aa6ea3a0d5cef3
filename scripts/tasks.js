// The npm scripts: install what is missing, build what is stale, then run on the project's own Node.
// Runs on whatever Node the machine has, so: plain JavaScript, no dependencies.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, node24, root } from './install.js';

/** Where a suite reports its results, which are kept for the support matrix. */
const reportOf = (name) => join(root, 'out', 'reports', `${name}.json`);
const reported = (name) => ['--reporter=default', '--reporter=json', `--outputFile.json=${reportOf(name)}`];

const tasks = {
  start: { run: ['scripts/start.ts'], build: 'all' },
  // `needs`: without the packages, nothing is built and nothing run.
  demo: { run: ['e2e/demo/run.ts'], build: 'all', packages: 'demo', needs: 'The demonstration' },
  test: { run: ['scripts/test.ts'], build: 'all', packages: 'test' },
  'test:full': { run: ['scripts/test.ts', '--full'], build: 'all', packages: 'test' },
  // The specs of the page again and again, with the processor as it is and slowed down.
  'test:steady': { run: ['scripts/test/steady.ts'], build: 'all', packages: 'test' },
  // The commands of the README on machines that nobody prepared.
  'test:clean': { run: ['scripts/clean-machine.ts'], packages: 'demo' },
  // Each kind of guest as a running VM through the whole chain: about two hours of emulation.
  'test:guests': {
    run: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'specs',
      'e2e/specs-guests',
      'e2e/specs-full/emulated-worker',
      ...reported('guests'),
    ],
    records: 'guests',
    build: 'all',
    packages: 'windows',
    env: {
      CAUSEWAY_FULL_CHAIN: '1',
      CAUSEWAY_EVERY_LAYOUT: '1',
      CAUSEWAY_EVERY_STEP: '1',
      CAUSEWAY_EVERY_GUEST: '1',
      CAUSEWAY_CORPUS_RESULT: join(root, 'docs', 'results', 'guests.json'),
    },
  },
  // Every source with every destination, on the lab's simulators; the table of what passed goes to docs/results.
  'test:pairs': {
    run: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'specs', 'e2e/specs-pairs', ...reported('pairs')],
    records: 'pairs',
    build: 'node',
    packages: 'test',
    env: { CAUSEWAY_PAIRS_RESULT: join(root, 'docs', 'results', 'pairs.json') },
  },
  // Against a real open-source cloud of Debian's packages, which is started on loopback where none runs.
  'test:openstack': {
    run: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'openstack', ...reported('openstack')],
    records: 'openstack',
    build: 'node',
    packages: 'openstack',
  },
  // Every fault and every crash point at every call of the conformance suites, of which other runs try a sample.
  'test:faults': {
    run: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'specs',
      'conformance.spec.ts',
      'cloud-faults.spec.ts',
      'ovm-destination-faults.spec.ts',
      'toy-platform.spec.ts',
      ...reported('faults'),
    ],
    records: 'faults',
    build: 'node',
    packages: 'test',
    env: { CAUSEWAY_ALL_FAULTS: '1' },
  },
  // Thousands of seeded crashes and faults; two hours on two processors.
  'test:endurance': { run: ['scripts/endurance.ts'], build: 'node', packages: 'test' },
  bench: { run: ['scripts/bench.ts'], build: 'all', packages: 'bench' },
  lab: { run: ['scripts/lab.ts'], build: 'node', packages: 'demo', needs: 'The lab' },
  build: { run: [], build: 'all' },
  'package:contents': { run: ['scripts/package-contents.ts'], build: 'all' },
  package: { run: ['scripts/package.ts'], build: 'all' },
  docs: { run: ['scripts/write-documents.ts'] },
  'docs:pictures': { run: ['scripts/pictures.ts'], build: 'all', packages: 'test' },
  'docs:dependencies': { run: ['scripts/dependencies.ts'] },
  // The flag is that of electron/engine/runtime/engine-flags.ts.
  causeway: { run: ['out/main/cli.js'], build: 'node', flags: ['--max-semi-space-size=16'] },
};

const [name, ...given] = process.argv.slice(2);
const task = tasks[name];
if (task === undefined) {
  console.error(`Unknown task ${name}. Tasks: ${Object.keys(tasks).join(', ')}`);
  process.exit(2);
}

// What the bootstrap of Debian packages is told; the task itself does not see it.
const forBootstrap = ['--yes', '--no-install'];
const rest = task.packages === undefined ? given : given.filter((argument) => !forBootstrap.includes(argument));
ensureInstalled();
if (task.packages !== undefined) {
  // Missing packages are named in one line; a task that can do without skips what needs them.
  const needs = task.needs === undefined ? [] : [`--needed-by=${task.needs}`];
  const options = given.filter((argument) => forBootstrap.includes(argument));
  const installed = await run([join(root, 'scripts/bootstrap.js'), ...options, ...needs, task.packages]);
  if (installed === 2 || (installed === 1 && task.needs !== undefined)) process.exit(installed);
}
const built = task.build === undefined ? 0 : await run([join(root, 'scripts/build-on-demand.ts'), task.build]);
if (built !== 0 || task.run.length === 0) process.exit(built);
// npm changes into the package's folder; file names on the command line are meant from where the caller stands.
const [file, ...all] = task.run;
// Specs that are named replace those of the suite: vitest would run both.
const isNarrowed =
  file.endsWith('vitest.mjs') &&
  rest.some((argument, index) => !argument.startsWith('-') && rest[index - 1]?.startsWith('-') !== true);
const fixed = isNarrowed ? all.filter((argument) => !/^e2e\/|\.spec\.ts$/.test(argument)) : all;
const status = await run(
  [...(task.flags ?? []), join(root, file), ...fixed, ...rest],
  name === 'causeway' ? (process.env.INIT_CWD ?? root) : root,
  task.env,
);
// Single tests of a file say nothing of the whole.
const isPart = rest.some((argument) => /^(-t|--testNamePattern)(=|$)/.test(argument));
if (task.records !== undefined && !isPart)
  await run([join(root, 'scripts/support-matrix.ts'), '--record', task.records, reportOf(task.records)]);
process.exit(status);

/**
 * Runs a file on Node 24, hands signals on, resolves with its exit status. What Node compiles is kept: suites start thousands
 * of engines, each of which would otherwise strip and compile hundreds of files.
 */
function run(args, cwd = root, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(node24, args, {
      stdio: 'inherit',
      cwd,
      env: { NODE_COMPILE_CACHE: join(root, '.cache', 'compile'), ...process.env, ...env },
    });
    // The terminal sends Ctrl-C to the whole group; the child decides what it means, and we wait for it.
    const handOn = (signal) => () => signal === 'SIGINT' || child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, handOn(signal));
    child.on('error', (error) => {
      console.error(`Could not start ${args[0]}: ${error.message}`);
      resolve(2);
    });
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}
