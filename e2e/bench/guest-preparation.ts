/**
 * What it costs to prepare guests for virtio, beside virt-customize (which gets the same work told command by
 * command) and virt-v2v-in-place (which installs no packages): all in software emulation, on copies of one disk, from
 * the start of the machine that does it to its end. Then what each changed in the guest, and whether what it made boots
 * and answers SSH when its network card sits in another slot. The guests are the plain one and any of the corpus.
 *
 *   node e2e/bench/guest-preparation.ts [--guests plain,two-kernels] [--ways causeway,virt-customize,virt-v2v-in-place] [--no-boot] [--json]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { readConsole } from '../../electron/engine/deployments/console-signs.ts';
import { ensureCorpusGuest } from '../rigs/guests/corpus.ts';
import { startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { changeOf, listTree, type TreeChange } from '../rigs/guests/tree-listing.ts';
import { ensureDebianGuest, imageCache } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { requirePrograms } from '../rigs/machines/require-programs.ts';
import { atMost, startReport } from './results.ts';

const ways = ['causeway', 'virt-customize', 'virt-v2v-in-place'] as const;
type Way = (typeof ways)[number];

interface Outcome {
  readonly way: Way;
  readonly seconds: number;
  /** Of them, installing cloud-init and the hypervisor's agent; undefined where it is not told or not done. */
  readonly packageSeconds?: number;
  readonly change: TreeChange;
  /** What came of booting it. */
  readonly boot: string;
  /** Seconds from its power-on, if it answered over the network. */
  readonly answeredAfter?: number;
  /** Why it ended without having prepared the guest. */
  readonly refused?: string;
}

const peer = join(import.meta.dirname, '../rigs/guests/prepare-by-peer.sh');
const bootDeadlineMs = 240_000;
/** A guest with a login is given so long to answer over the network. */
const networkGraceMs = 45_000;
// How long it may take beside what does the same.
const target = 1;

const { values } = parseArgs({
  options: {
    guests: { type: 'string', default: 'plain,names-by-place,dracut-hostonly' },
    ways: { type: 'string', default: ways.join(',') },
    'no-boot': { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const plain = 'plain';
const guests = values.guests.split(',');
const chosen = ways.filter((way) => values.ways.split(',').includes(way));
const kept = startReport('guest-preparation');
for (const peerName of ['virt-customize', 'virt-v2v', 'qemu-system-x86_64']) kept.version(peerName);
requirePrograms('this measurement', 'guestfish', 'virt-customize', 'virt-v2v-in-place', 'qemu-system-x86_64');
if (process.geteuid?.() !== 0) {
  console.error('This measurement needs root: its guest is built as root, and looked into by a mount.');
  process.exit(2);
}
const scratch = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
try {
  const measured: Measured[] = [];
  // The appliance of the peers is built once, when they first run; that is not their work on a guest. Then the files of both machines are in memory.
  if (chosen.some((way) => way !== 'causeway'))
    await run(peer, ['warm-up', join(await imageOf(guests[0]!), 'disk.raw'), imageCache]);
  if (chosen.includes('causeway')) await (await startMorphLab('qemu')).close();
  for (const guest of guests) measured.push(await measureAll(guest));
  report(measured);
  kept.finish();
} finally {
  await rm(scratch, { recursive: true, force: true });
}

interface Measured {
  readonly guest: string;
  readonly outcomes: readonly Outcome[];
  readonly loads: readonly number[];
}

/** The image's folder, with `disk.raw` and the key of root's account. */
function imageOf(guest: string): Promise<string> {
  return guest === plain ? ensureDebianGuest((line) => process.stderr.write(`${line}\n`)) : ensureCorpusGuest(guest);
}

async function measureAll(guest: string): Promise<Measured> {
  const image = await imageOf(guest);
  const untouched = join(image, 'disk.raw');
  const before = await listTree(untouched);
  const outcomes: Outcome[] = [];
  const loads: number[] = [];
  for (const way of chosen) {
    const disk = join(scratch, `${guest}-${way}.raw`);
    loads.push(loadavg()[0] ?? 0);
    process.stderr.write(`${guest}: ${way} (load ${(loads.at(-1) ?? 0).toFixed(1)})\n`);
    const taken = way === 'causeway' ? await prepareOurselves(image, disk) : await prepareByPeer(way, image, disk);
    outcomes.push({
      way,
      ...taken,
      change: taken.refused === undefined ? changeOf(before, await listTree(disk)) : unchanged,
    });
    process.stderr.write(`${guest}: ${way}: ${taken.seconds.toFixed(0)} s; ${taken.boot}\n`);
    await rm(disk, { force: true });
  }
  return { guest, outcomes, loads };
}

const unchanged: TreeChange = { added: [], removed: [], changed: [], packagesAdded: [] };

type Booted = Pick<Outcome, 'boot' | 'answeredAfter'>;
type Taken = Pick<Outcome, 'seconds' | 'packageSeconds' | 'refused'> & Booted;

/** From the start of the worker to the volume's being detached. */
async function prepareOurselves(image: string, disk: string): Promise<Taken> {
  const begun = performance.now();
  const lab = await startMorphLab('qemu', { guestKey: join(image, 'id_ed25519') });
  try {
    const guest = await lab.volume(2, (path) => run('cp', ['--sparse=always', join(image, 'disk.raw'), path]));
    const nic = await lab.nic();
    const prepared = await attempted(async () =>
      morphLinuxGuest({
        ssh: lab.ssh,
        devices: [guest.device],
        options: { nics: [{ macAddress: nic.macAddress }] },
        signal: new AbortController().signal,
      }),
    );
    await lab.detach(guest.id);
    const seconds = (performance.now() - begun) / 1000;
    if ('refused' in prepared) return { seconds, ...prepared };
    await run('cp', ['--sparse=always', guest.path, disk]);
    const installing = prepared.done.steps.find(({ step }) => step === 'install-cloud-init')?.seconds;
    return {
      seconds,
      ...(await bootOf(lab, guest.id, nic.id)),
      ...(installing === undefined ? {} : { packageSeconds: installing }),
    };
  } finally {
    await lab.close();
  }
}

/** A guest that cannot be prepared is an outcome, too. */
async function attempted<Done>(
  work: () => Promise<Done>,
): Promise<{ readonly done: Done } | { readonly refused: string; readonly boot: string }> {
  try {
    return { done: await work() };
  } catch (error) {
    const refused = String(error).split('\n').slice(0, 3).join(' ').slice(0, 300);
    return { refused, boot: `not prepared: ${refused}` };
  }
}

async function prepareByPeer(way: Exclude<Way, 'causeway'>, image: string, disk: string): Promise<Taken> {
  await run('cp', ['--sparse=always', join(image, 'disk.raw'), disk]);
  const begun = performance.now();
  const prepared = await attempted(async () => run(peer, [way, disk, imageCache]));
  const seconds = (performance.now() - begun) / 1000;
  if ('refused' in prepared) return { seconds, ...prepared };
  const lab = await startMorphLab('native', { guestKey: join(image, 'id_ed25519') });
  try {
    const volume = await lab.volume(2, (path) => run('cp', ['--sparse=always', disk, path]));
    await lab.detach(volume.id);
    return { seconds, ...(await bootOf(lab, volume.id, (await lab.nic()).id)) };
  } finally {
    await lab.close();
  }
}

/** What comes of booting it, with its card in another slot than it had. */
async function bootOf(lab: MorphLab, volumeId: string, nicId: string): Promise<Booted> {
  if (values['no-boot'] === true) return { boot: 'not booted' };
  const begun = performance.now();
  const booted = await lab.boot(volumeId, nicId);
  let loginAt: number | undefined;
  for (;;) {
    const elapsed = performance.now() - begun;
    if ((await booted.ssh.execute('true', { timeoutMs: 5_000 })).code === 0) {
      const answeredAfter = (performance.now() - begun) / 1000;
      return { boot: `answers SSH after ${answeredAfter.toFixed(0)} s`, answeredAfter };
    }
    const console = readConsole(await booted.console());
    if (console.sign === 'stopped') return { boot: `stops: ${console.line}` };
    if (console.sign === 'up') loginAt ??= elapsed;
    if (loginAt !== undefined && elapsed - loginAt > networkGraceMs)
      return { boot: `login on the console after ${(loginAt / 1000).toFixed(0)} s, no answer over the network` };
    if (elapsed > bootDeadlineMs) return { boot: `no login within ${bootDeadlineMs / 1000} s` };
    await delay(500);
  }
}

function report(measured: readonly Measured[]): void {
  const told = measured.map((one) => ({ ...one, ratios: ratiosOf(one.outcomes), target }));
  for (const { guest, outcomes, loads, ratios } of told) {
    keep(guest, outcomes);
    console.log(
      `preparing the guest ${guest} for virtio, in software emulation (one run; load ${loads.map((load) => load.toFixed(1)).join(', ')})`,
    );
    for (const { way, seconds, packageSeconds, change, boot } of outcomes) {
      const installing = packageSeconds === undefined ? '' : `, of which packages ${packageSeconds.toFixed(0)} s`;
      console.log(`${way}: ${seconds.toFixed(0)} s${installing}; ${boot}`);
      console.log(
        `  ${change.packagesAdded.length} packages; files: ${change.added.length} added, ${change.changed.length} changed, ${change.removed.length} removed`,
      );
      for (const [sign, paths] of [
        ['+', change.added],
        ['~', change.changed],
        ['-', change.removed],
      ] as const)
        console.log(`  ${sign} ${ownOf(paths)}`);
    }
    const verdict = (value: number | undefined): string =>
      value === undefined
        ? 'none, as one of them did not prepare it'
        : `${value.toFixed(2)} x (at most ${target}: ${value <= target ? 'met' : 'missed'})`;
    console.log(`beside virt-customize for the same: ${verdict(ratios.customize)}`);
    console.log(`beside virt-v2v-in-place for the same, so without packages: ${verdict(ratios.v2v)}`);
  }
  if (told.length > 1) {
    console.log(
      `which booted: ${chosen.map((way) => `${way} ${told.filter(({ outcomes }) => outcomes.some((one) => one.way === way && one.boot.startsWith('answers'))).length} of ${told.length}`).join(', ')}`,
    );
  }
}

/** A row beside each peer that prepared the guest, and what came of it. */
function keep(guest: string, outcomes: readonly Outcome[]): void {
  const group = `the guest ${guest}`;
  const done = outcomes.filter((outcome) => outcome.refused === undefined);
  const of = (way: Way): Outcome | undefined => done.find((outcome) => outcome.way === way);
  const ours = of('causeway');
  for (const [way, what] of [
    ['virt-customize', 'drivers and packages'],
    ['virt-v2v-in-place', 'drivers alone'],
  ] as const) {
    const other = of(way);
    if (ours === undefined) continue;
    const value = ours.seconds - (way === 'virt-v2v-in-place' ? (ours.packageSeconds ?? 0) : 0);
    kept.add({
      group,
      what,
      unit: 's',
      ways: [{ name: 'causeway', value }, ...(other === undefined ? [] : [{ name: way, value: other.seconds }])],
      peer: way,
      goal: atMost(target),
    });
  }
  const numbers: readonly (readonly [what: string, unit: string, of: (outcome: Outcome) => number | undefined])[] = [
    ['packages added', 'packages', ({ change }) => change.packagesAdded.length],
    [
      'settings and boot files added, changed or removed',
      'files',
      ({ change }) => own([...change.added, ...change.changed, ...change.removed]).length,
    ],
    ['from power-on to its answer over the network', 's', ({ answeredAfter }) => answeredAfter],
  ];
  for (const [what, unit, numberOf] of numbers) {
    const found = done.flatMap((outcome) => {
      const value = numberOf(outcome);
      return value === undefined ? [] : [{ name: outcome.way, value }];
    });
    if (found.length > 0) kept.add({ group, what, unit, ways: found });
  }
  for (const { way, boot } of outcomes) kept.note(`The guest ${guest} by ${way}: ${boot}.`);
}

/** The same work: packages and drivers, and drivers alone. */
function ratiosOf(outcomes: readonly Outcome[]): {
  readonly customize: number | undefined;
  readonly v2v: number | undefined;
} {
  const of = (way: Way): Outcome | undefined =>
    outcomes.find((outcome) => outcome.way === way && outcome.refused === undefined);
  const [ours, customize, v2v] = [of('causeway'), of('virt-customize'), of('virt-v2v-in-place')];
  return {
    customize: ours === undefined || customize === undefined ? undefined : ours.seconds / customize.seconds,
    v2v:
      ours === undefined || v2v === undefined ? undefined : (ours.seconds - (ours.packageSeconds ?? 0)) / v2v.seconds,
  };
}

/** Settings and boot files of the system, without those that packages bring in numbers. */
function own(paths: readonly string[]): readonly string[] {
  return paths.filter(
    (path) =>
      /^\/(etc|boot)\//.test(path) && !/\/(rc\d\.d|alternatives|ld\.so\.cache|cloud\/templates|apparmor)/.test(path),
  );
}

function ownOf(paths: readonly string[]): string {
  const few = own(paths);
  return few.length === 0
    ? 'none in /etc and /boot'
    : few.slice(0, 24).join(' ') + (few.length > 24 ? ` and ${few.length - 24} more` : '');
}
