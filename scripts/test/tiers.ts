import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { withImports } from './imports.ts';
import { lackingWithin } from './needs.ts';

/**
 * Which spec runs when. The folder of a spec file is its tier:
 *
 * - `e2e/specs`: usual. `npm test`, every capability once; at most 8 minutes on two cores once the images are built.
 * - `e2e/specs-full`: full. `npm run test:full` runs these, and again what the usual tier only samples, in larger
 *   samples; what `npm test` runs as a whole is not repeated.
 * - further folders are suites with a command of their own, e.g. `npm run test:openstack`, `npm run test:guests`, `npm run test:pairs`.
 */
export type Tier = 'usual' | 'full';

/** What a tier sets for its specs; what somebody has set by hand is kept. */
export const tierEnvironment: Readonly<Record<Tier, Readonly<Record<string, string>>>> = {
  // Seeded loops are short here.
  usual: { CAUSEWAY_CRASH_POINTS: '1', CAUSEWAY_FAULT_CASES: '1' },
  // By CAUSEWAY_EVERY_STEP=1 specs and unit tests do what they leave out otherwise (docs/test-tiers.md lists it).
  full: {
    CAUSEWAY_CRASH_POINTS: '6',
    CAUSEWAY_EVERY_LAYOUT: '1',
    CAUSEWAY_EVERY_STEP: '1',
    CAUSEWAY_SAMPLE: '1',
  },
};

/**
 * How many specs may hold a resource at once; one where nothing is said. An emulated guest takes most of a processor for minutes: one more
 * than there are, so that the last ones keep all of them busy.
 */
export const resources: Readonly<Record<string, number>> = { 'emulated guests': availableParallelism() + 1 };

/** One spec file of a run. */
export interface SpecFile {
  /** Relative to the repository. */
  readonly path: string;
  /** A resource of which there are few (`resources`): a line `// lease: <resource>` in the file. */
  readonly lease: string | undefined;
}

/** The spec files that a tier runs. */
export function specsOf(tier: Tier, root: string): SpecFile[] {
  const usual = specsIn('e2e/specs', root);
  if (tier === 'usual') return usual;
  return [...usual.filter(({ path }) => isSampled(path, root)), ...specsIn('e2e/specs-full', root)];
}

/** The spec files of both tiers, e.g. to find one by its name. */
export function allSpecs(root: string): SpecFile[] {
  return [...specsIn('e2e/specs', root), ...specsIn('e2e/specs-full', root)];
}

function specsIn(folder: string, root: string): SpecFile[] {
  return globSync(`${folder}/**/*.spec.ts`, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, lease: /^\/\/ lease: (.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] }));
}

const sampleVariables = [...new Set(Object.values(tierEnvironment).flatMap((each) => Object.keys(each)))];

/** Whether a spec, or a conformance suite that it runs, does more in the full tier. */
function isSampled(path: string, root: string): boolean {
  return withImports(path, root, ['e2e/conformance']).some((file) =>
    sampleVariables.some((name) => readFileSync(join(root, file), 'utf8').includes(`'${name}'`)),
  );
}

/** Unit tests that do more in the full tier: those that read its variables, or draw as many rounds as it asks for. */
export function sampledUnitTests(root: string): string[] {
  return globSync('{shared,electron}/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return text.includes('testing/rounds.ts') || sampleVariables.some((name) => text.includes(`'${name}'`));
    })
    .toSorted();
}

/** The files with tests that a tier runs. */
export function testFilesOf(tier: Tier, root: string): string[] {
  const unit =
    tier === 'full'
      ? sampledUnitTests(root)
      : globSync('{shared,electron,renderer,assets,scripts,e2e}/**/*.test.{ts,tsx}', { cwd: root });
  return [...unit, ...specsOf(tier, root).map(({ path }) => path)];
}

/**
 * Why tests of a file are skipped, or nothing where no reason is known.
 *
 * @param file the spec's file name, or `unit` for all unit tests
 */
export function reasonToSkip(file: string, root: string = join(import.meta.dirname, '..', '..')): string | undefined {
  const paths =
    file === 'unit'
      ? globSync('{shared,electron,scripts,e2e}/**/*.test.ts', { cwd: root })
      : allSpecs(root).flatMap(({ path }) => (path.endsWith(`/${file}`) ? [path] : []));
  const lacking = [...new Set(paths.flatMap((path) => lackingWithin(path, root)))].toSorted();
  return lacking.length > 0 ? `this machine lacks ${lacking.join(', ')}` : skippedForAReason[file];
}

/**
 * Tests that are skipped even where everything can run, with why. Any other skipped test fails the full tier on a
 * machine with root: what can run there must.
 */
export const skippedForAReason: Readonly<Record<string, string>> = {
  'nfc-peer.spec.ts': "the peer's program is no part of this repository: CAUSEWAY_NFC_PEER names its folder",
  'libvirt-over-ssh.spec.ts': "Debian's libvirt-daemon with its driver for QEMU is not installed",
  'osmorphing-windows-offline.spec.ts':
    "the comparison with virt-v2v-in-place needs Debian's virt-v2v: CAUSEWAY_VIRT_V2V=1",
  'own-vm-conformance.spec.ts':
    'classic infrastructure clouds tell their VMs nothing of themselves, and have but one place to attach volumes at',
  'destination-conformance.spec.ts': 'faults of single calls are tried with one kind of worker, not with each',
  'classic-cloud-conformance.spec.ts':
    'NICs come with their instance there, there is no UEFI, and nothing is deployed in place; faults of single calls are tried in the full tier',
  'classic-cloud-faults.spec.ts': 'NICs and public IPs of workers come with their instance there',
  'compartment-cloud-conformance.spec.ts':
    'NICs and public IPs come with their instance there; faults of single calls are tried in the full tier',
  'compartment-cloud-faults.spec.ts': 'NICs and public IPs come with their instance there',
  'ovm-destination-conformance.spec.ts':
    'NICs come with their VM there, there are no security groups and public IPs, and no UEFI; faults of single calls are tried in the full tier',
  'ovm-destination-faults.spec.ts': 'NICs come with their VM there, and there are no security groups and public IPs',
  'resource-group-cloud-conformance.spec.ts':
    'rules are part of their security group there; faults of single calls are tried in the full tier',
  'resource-group-cloud-faults.spec.ts': 'rules are part of their security group there',
  'source-conformance.spec.ts': 'a folder of disk images makes no calls that could go wrong',
  'toy-platform.spec.ts': 'the toy platform makes no security groups and no public IPs',
  'transport-conformance.spec.ts': "the file system of this machine's root is on no block device",
};
