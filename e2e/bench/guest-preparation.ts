/**
 * What it costs to prepare a Debian guest for virtio, beside virt-customize (which gets the same work told command by
 * command) and virt-v2v-in-place (which does not install cloud-init): all in software emulation, on copies of one disk, from
 * the start of the machine that does it to its end. Then what each changed in the guest, and whether what it made boots
 * and answers SSH when its network card sits in another slot.
 *
 *   node e2e/bench/guest-preparation.ts [--no-boot] [--json]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { readConsole } from '../../electron/engine/deployments/console-signs.ts';
import { debianGuest, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { changeOf, listTree, type TreeChange } from '../rigs/guests/tree-listing.ts';
import { ensureDebianGuest, imageCache } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { requirePrograms } from '../rigs/machines/require-programs.ts';

const ways = ['causeway', 'virt-customize', 'virt-v2v-in-place'] as const;
type Way = (typeof ways)[number];

interface Outcome {
  readonly way: Way;
  readonly seconds: number;
  /** Of them, installing cloud-init; undefined where it is not told or not done. */
  readonly packageSeconds?: number;
  readonly change: TreeChange;
  /** What came of booting it. */
  readonly boot: string;
}

const peer = join(import.meta.dirname, '../rigs/guests/prepare-by-peer.sh');
const bootDeadlineMs = 240_000;
/** A guest with a login is given so long to answer over the network. */
const networkGraceMs = 45_000;
// How long it may take beside what does the same.
const target = 1;

const { values } = parseArgs({ options: { 'no-boot': { type: 'boolean' }, json: { type: 'boolean' } } });
requirePrograms('this measurement', 'guestfish', 'virt-customize', 'virt-v2v-in-place', 'qemu-system-x86_64');
if (process.geteuid?.() !== 0) {
  console.error('This measurement needs root: its guest is built as root, and looked into by a mount.');
  process.exit(2);
}
const scratch = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
try {
  report(await measureAll());
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function measureAll(): Promise<{ readonly outcomes: readonly Outcome[]; readonly loads: readonly number[] }> {
  await ensureDebianGuest((line) => process.stderr.write(`${line}\n`));
  const untouched = join(scratch, 'untouched.raw');
  await debianGuest(untouched);
  // The appliance of the peers is built once, when they first run; that is not their work on a guest.
  await run(peer, ['warm-up', untouched, imageCache]);
  const before = await listTree(untouched);
  const outcomes: Outcome[] = [];
  const loads: number[] = [];
  for (const way of ways) {
    const disk = join(scratch, `${way}.raw`);
    loads.push(loadavg()[0] ?? 0);
    process.stderr.write(`${way} (load ${(loads.at(-1) ?? 0).toFixed(1)})\n`);
    const taken = way === 'causeway' ? await prepareOurselves(disk) : await prepareByPeer(way, disk);
    outcomes.push({ way, ...taken, change: changeOf(before, await listTree(disk)) });
    process.stderr.write(`${way}: ${taken.seconds.toFixed(0)} s; ${taken.boot}\n`);
  }
  return { outcomes, loads };
}

type Taken = Pick<Outcome, 'seconds' | 'packageSeconds' | 'boot'>;

/** From the start of the worker to the volume's being detached. */
async function prepareOurselves(disk: string): Promise<Taken> {
  const begun = performance.now();
  const lab = await startMorphLab('qemu');
  try {
    const guest = await lab.volume(2, debianGuest);
    const nic = await lab.nic();
    const { steps } = await morphLinuxGuest({
      ssh: lab.ssh, devices: [guest.device], options: { nics: [{ macAddress: nic.macAddress }] }, signal: new AbortController().signal,
    });
    await lab.detach(guest.id);
    const seconds = (performance.now() - begun) / 1000;
    await run('cp', ['--sparse=always', guest.path, disk]);
    const installing = steps.find(({ step }) => step === 'install-cloud-init')?.seconds;
    return { seconds, boot: await bootOf(lab, guest.id, nic.id), ...(installing === undefined ? {} : { packageSeconds: installing }) };
  } finally {
    await lab.close();
  }
}

async function prepareByPeer(way: Exclude<Way, 'causeway'>, disk: string): Promise<Taken> {
  await debianGuest(disk);
  const begun = performance.now();
  await run(peer, [way, disk, imageCache]);
  const seconds = (performance.now() - begun) / 1000;
  const lab = await startMorphLab('native');
  try {
    const volume = await lab.volume(2, (path) => run('cp', ['--sparse=always', disk, path]));
    await lab.detach(volume.id);
    return { seconds, boot: await bootOf(lab, volume.id, (await lab.nic()).id) };
  } finally {
    await lab.close();
  }
}

/** What comes of booting it, with its card in another slot than it had. */
async function bootOf(lab: MorphLab, volumeId: string, nicId: string): Promise<string> {
  if (values['no-boot'] === true) return 'not booted';
  const begun = performance.now();
  const booted = await lab.boot(volumeId, nicId);
  let loginAt: number | undefined;
  for (;;) {
    const elapsed = performance.now() - begun;
    if ((await booted.ssh.execute('true', { timeoutMs: 5_000 })).code === 0) return `answers SSH after ${((performance.now() - begun) / 1000).toFixed(0)} s`;
    const console = readConsole(await booted.console());
    if (console.sign === 'stopped') return `stops: ${console.line}`;
    if (console.sign === 'up') loginAt ??= elapsed;
    if (loginAt !== undefined && elapsed - loginAt > networkGraceMs) return `login on the console after ${(loginAt / 1000).toFixed(0)} s, no answer over the network`;
    if (elapsed > bootDeadlineMs) return `no login within ${bootDeadlineMs / 1000} s`;
    await delay(500);
  }
}

function report({ outcomes, loads }: Awaited<ReturnType<typeof measureAll>>): void {
  const of = (way: Way): Outcome => {
    const found = outcomes.find((outcome) => outcome.way === way);
    if (found === undefined) throw new Error(`${way} was not measured`);
    return found;
  };
  const [ours, customize, v2v] = [of('causeway'), of('virt-customize'), of('virt-v2v-in-place')];
  const ratios = {
    // The same work: cloud-init and drivers.
    customize: ours.seconds / customize.seconds,
    // The same work: drivers alone.
    v2v: (ours.seconds - (ours.packageSeconds ?? 0)) / v2v.seconds,
  };
  if (values.json === true) {
    console.log(JSON.stringify({ outcomes, ratios, target, loads }, null, 2));
    return;
  }
  console.log(`preparing a Debian guest for virtio, in software emulation (one run; load ${loads.map((load) => load.toFixed(1)).join(', ')})`);
  for (const { way, seconds, packageSeconds, change, boot } of outcomes) {
    const installing = packageSeconds === undefined ? '' : `, of which cloud-init ${packageSeconds.toFixed(0)} s`;
    console.log(`${way}: ${seconds.toFixed(0)} s${installing}; ${boot}`);
    console.log(`  ${change.packagesAdded.length} packages; files: ${change.added.length} added, ${change.changed.length} changed, ${change.removed.length} removed`);
    for (const [sign, paths] of [['+', change.added], ['~', change.changed], ['-', change.removed]] as const) console.log(`  ${sign} ${ownOf(paths)}`);
  }
  const verdict = (value: number): string => `${value.toFixed(2)} x (at most ${target}: ${value <= target ? 'met' : 'missed'})`;
  console.log(`beside virt-customize for the same: ${verdict(ratios.customize)}`);
  console.log(`beside virt-v2v-in-place for the same, so without cloud-init: ${verdict(ratios.v2v)}`);
}

/** What is settings and boot files of the system, without those that packages bring in numbers. */
function ownOf(paths: readonly string[]): string {
  const own = paths.filter((path) => /^\/(etc|boot)\//.test(path) && !/\/(rc\d\.d|alternatives|ld\.so\.cache|cloud\/templates|apparmor)/.test(path));
  return own.length === 0 ? 'none in /etc and /boot' : own.slice(0, 24).join(' ') + (own.length > 24 ? ` and ${own.length - 24} more` : '');
}
