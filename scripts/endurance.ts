import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';

/**
 * The endurance suite: seeded crash points and faults, and the test files with properties, with a fresh seed. Seeds are drawn and
 * printed; `CAUSEWAY_ENDURANCE_SEED` repeats a run, `CAUSEWAY_ENDURANCE_POINTS` and `CAUSEWAY_ENDURANCE_FAULTS` shorten
 * it. The result goes to docs/results/endurance.json, whose format docs/results/README.md describes.
 */
const root = join(import.meta.dirname, '..');
const number = (name: string, otherwise: number): number => {
  const value = process.env[`CAUSEWAY_ENDURANCE_${name}`];
  if (value === undefined || value === '') return otherwise;
  if (!/^\d+$/.test(value)) {
    console.error(`CAUSEWAY_ENDURANCE_${name} must be a whole number, not "${value}"`);
    process.exit(2);
  }
  return Number(value);
};
const seed = number('SEED', randomInt(1, 1_000_000_000));
const points = number('POINTS', 1_000);
const faults = number('FAULTS', 1_000);
const out = join(root, 'out', 'endurance.json');
mkdirSync(join(root, 'out'), { recursive: true });
rmSync(out, { force: true });
console.log(
  `Endurance: ${points} crash points and ${faults} faults. To repeat: CAUSEWAY_ENDURANCE_SEED=${seed} npm run test:endurance`,
);

const startedAt = new Date();
const set = {
  CAUSEWAY_ENDURANCE_SEED: String(seed),
  CAUSEWAY_ENDURANCE_POINTS: String(points),
  CAUSEWAY_ENDURANCE_FAULTS: String(faults),
  CAUSEWAY_ENDURANCE_RESULT: out,
};
const propertiesPassed = await vitest(['--project', 'unit', '--reporter', 'dot', ...propertyTests()], {
  CAUSEWAY_PROPERTY_SEED: String(seed),
});
const executionsPassed = await vitest(['--project', 'endurance', '--reporter', 'verbose'], set);

interface Done {
  readonly done: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly kind: 'crash' | 'fault' }[];
}
const { done, failures }: Done = readResult();
const of = (kind: string): { asked: number; ran: number; failed: number } => ({
  asked: kind === 'crash' ? points : faults,
  ran: Object.entries(done)
    .filter(([name]) => name.startsWith(kind))
    .reduce((sum, [, count]) => sum + count, 0),
  failed: failures.filter((failure) => failure.kind === kind).length,
});
const result = {
  date: startedAt.toISOString(),
  seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
  seed,
  machine: {
    node: process.versions.node,
    platform: process.platform,
    processors: availableParallelism(),
    model: cpus()[0]?.model ?? '',
  },
  crashPoints: of('crash'),
  faults: of('fault'),
  properties: { seed, passed: propertiesPassed },
  passed: propertiesPassed && executionsPassed,
  failures,
};
const folder = join(root, 'docs', 'results');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'endurance.json'), `${JSON.stringify(result, undefined, 2)}\n`);
console.log(
  `${result.passed ? 'Passed' : 'FAILED'}: ${result.crashPoints.ran} crash points, ${result.faults.ran} faults, ${failures.length} failures, seed ${seed}, ${result.seconds} s. docs/results/endurance.json`,
);
process.exit(result.passed ? 0 : 1);

/** Test files with properties, relative to the project. */
function propertyTests(): string[] {
  return ['shared', 'electron', 'renderer', 'assets', 'scripts', 'e2e'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) =>
          /\.test\.tsx?$/.test(file) && readFileSync(join(root, folder, file), 'utf8').includes(`from 'fast-check'`),
      )
      .map((file) => join(folder, file)),
  );
}

function readResult(): Done {
  try {
    return JSON.parse(readFileSync(out, 'utf8')) as Done;
  } catch {
    return { done: {}, failures: [] };
  }
}

/** Resolves with whether all tests passed. */
function vitest(args: readonly string[], env: Readonly<Record<string, string>>): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    const handOn = (signal: NodeJS.Signals): void => void child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, handOn);
    child.on('error', () => resolve(false));
    child.on('exit', (code, signal) => {
      for (const one of signals) process.off(one, handOn);
      // Who ends the suite wants no result of half of it.
      if (signal !== null) process.exit(130);
      resolve(code === 0);
    });
  });
}
