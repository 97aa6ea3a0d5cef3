import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject } from '../../electron/workbench/project-file.ts';
import { bytes } from '../../shared/model/quantities.ts';
import type { SourceVm } from '../rigs/emulated-vm.ts';
import type { EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { usualWorkerKind } from '../rigs/machines/kinds.ts';
import type { SshdRig } from '../rigs/sshd.ts';
import { CommandLine, type Commands } from './command-line.ts';
import { deployReplica, deployedEnvironment, openSsh } from './deploy.ts';
import { addEndpoints, cloudEndpoint, hostEndpoint } from './endpoints.ts';
import { environmentDocument } from './environment.ts';
import { startLab, vmName } from './lab.ts';
import { tellStory } from './story.ts';
import { windowsComputer } from './windows-computer.ts';

/**
 * The main job, end to end, on a lab of its own: a Linux guest that runs in QEMU is checked, replicated to the European
 * cloud while it runs, killed in the middle, resumed, changed, replicated again, and compared byte by byte each time.
 * Everything goes through the command line that users have. With `--deploy`, the replica is then made into a VM that
 * boots and answers; that needs root. With `--windows`, the command line runs on Windows' own Node (under Wine) and
 * reaches the VM's host over SSH: from there, it is another computer.
 */
const {
  values: { deploy: deploys, windows: isOnWindows },
} = parseArgs({
  options: { deploy: { type: 'boolean', default: false }, windows: { type: 'boolean', default: false } },
});
if (deploys && usualWorkerKind !== 'native') {
  console.error('--deploy needs root: a worker prepares the guest on block devices.');
  process.exit(2);
}
/** What the replica's environment says beside the usual. */
const environment = deploys ? deployedEnvironment : [];
const story = tellStory();
const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(130));

try {
  await tell();
  story.close();
  console.log(`
Next:
${deploys ? '' : '  npm run demo -- --deploy   the same, and the replica becomes a running VM (as root; 3 to 10 minutes more)\n'}  npm start                  opens the workbench; "Start sample" starts this lab with a project
  npm run lab                starts this lab for the command line and prints what to type`);
  await end(0);
} catch (error) {
  if (!ending) console.error(`\nThe demonstration stopped: ${error instanceof Error ? error.message : String(error)}`);
  await end(1);
}

async function tell(): Promise<void> {
  story.chapter('The lab: a cloud, and a VM to move');
  const lab = await startLab({ folder, withVm: true, say: (line) => story.say(line) });
  closers.unshift(() => lab.close());
  const { cloud, vm } = lab;
  if (vm === undefined) throw new Error('the lab has no VM');

  const computer = isOnWindows ? await windowsComputer() : thisComputer();
  closers.unshift(() => computer.close());
  const { causeway } = computer;
  createProject(causeway.project, 'Demonstration');
  const closeSsh = deploys ? await openSsh(cloud) : undefined;
  await checkOffline(causeway);
  await describeEndpoints(causeway, cloud, vm, computer.ssh);
  await replicateWithCrash(causeway);
  await replicateChanges(causeway, cloud, vm);
  if (deploys) await deployReplica(story, causeway, vm);
  await closeSsh?.();
  await lookForLeftovers(causeway, cloud);
}

/** Where the command line runs. */
interface Computer {
  readonly causeway: Commands;
  /** Its way to this machine, if it is another one. */
  readonly ssh?: SshdRig;
  close(): Promise<void>;
}

function thisComputer(): Computer {
  return {
    causeway: new CommandLine(join(folder, 'project'), { CAUSEWAY_KEY_FILE: join(folder, 'vault.key') }),
    close: async () => undefined,
  };
}

function documentPath(causeway: Commands): string {
  return join(causeway.project, `${vmName}.yaml`);
}

async function checkOffline(causeway: Commands): Promise<void> {
  story.chapter('Check the environment file, without any network');
  const file = documentPath(causeway);
  await writeFile(file, environmentDocument(...environment, 'disk_buss: virtio'));
  const wrong = await causeway.run(['validate', causeway.path(file)]);
  console.log(indent(wrong.stdout));
  story.prove(
    'A mistake is found, with its place and what was meant',
    wrong.status === 1 && wrong.stdout.includes('disk_bus'),
    'exit status 1',
  );
  await writeFile(file, environmentDocument(...environment));
  const right = await causeway.run(['validate', causeway.path(file)]);
  story.prove('The corrected file is valid', right.status === 0, 'exit status 0');
}

async function describeEndpoints(
  causeway: Commands,
  cloud: EuropeanCloud,
  vm: SourceVm,
  ssh: SshdRig | undefined,
): Promise<void> {
  story.chapter('Describe both ends; secrets go into the vault');
  for (const endpoint of await addEndpoints(causeway, { cloud, vm }, ssh)) {
    const { status, stdout } = await causeway.run(['endpoint', 'check', endpoint]);
    if (status !== 0) console.log(indent(stdout));
    story.prove(`The endpoint ${endpoint} passes its check`, status === 0, 'every step passed');
  }
  await causeway.show(['vm', 'list', hostEndpoint]);
  await causeway.expect([
    'replica',
    'create',
    hostEndpoint,
    vmName,
    cloudEndpoint,
    '--environment',
    causeway.path(documentPath(causeway)),
  ]);
}

async function replicateWithCrash(causeway: Commands): Promise<void> {
  story.chapter('The first, full replication, killed with SIGKILL in the middle');
  let killedAt = 0;
  await causeway.killWhen(['replica', 'execute', vmName, '--limit', '60M'], (line) => {
    const progress = (line as { progress?: { total: { bytesDone: number; bytesTotal: number; phase: string } } })
      .progress?.total;
    if (progress === undefined || progress.phase !== 'copying' || progress.bytesDone < 0.4 * progress.bytesTotal)
      return false;
    killedAt = progress.bytesDone / progress.bytesTotal;
    return true;
  });
  story.say(`Killed at ${(100 * killedAt).toFixed(0)} % of the disk. Started again:`);
  const outcome = await execute(causeway);
  story.prove(
    'It resumes after the kill',
    killedAt > 0 && outcome.status === 0,
    `the second start sent ${bytes(outcome.bytesSent)}`,
  );
}

async function replicateChanges(causeway: Commands, cloud: EuropeanCloud, vm: SourceVm): Promise<void> {
  story.chapter('Files change in the running guest; only what changed is sent');
  await vm.monitor.execute('cont');
  await vm.ssh.text('dd if=/dev/urandom of=/srv/data/report.bin bs=1M count=16 status=none; rm /srv/data/f2; sync');
  await freeze(vm);
  const outcome = await execute(causeway);
  story.prove(
    'The second execution succeeds',
    outcome.status === 0,
    `sent ${bytes(outcome.bytesSent)} for 16 MiB of new data and what the guest wrote besides`,
  );
  await compare(cloud, vm, 'After the second execution');

  story.chapter('Once more, over SSH instead of HTTPS');
  await vm.monitor.execute('cont');
  await vm.ssh.text('dd if=/dev/urandom of=/srv/data/second.bin bs=1M count=8 status=none; sync');
  await freeze(vm);
  await writeFile(documentPath(causeway), environmentDocument(...environment, 'data_transfer_mechanism: SSH'));
  await causeway.expect(['replica', 'delete', vmName, '--yes']);
  await causeway.expect([
    'replica',
    'create',
    hostEndpoint,
    vmName,
    cloudEndpoint,
    '--environment',
    causeway.path(documentPath(causeway)),
  ]);
  const overSsh = await execute(causeway);
  story.prove('A full replication over SSH succeeds', overSsh.status === 0, `sent ${bytes(overSsh.bytesSent)}`);
  await compare(cloud, vm, 'After the replication over SSH');
}

async function lookForLeftovers(causeway: Commands, cloud: EuropeanCloud): Promise<void> {
  story.chapter('What is left in the cloud');
  await causeway.show(['ledger', 'list']);
  const servers = [...cloud.world.servers.values()].length;
  story.prove(
    'No worker, key, address or rule is left behind',
    servers === 0 && cloud.world.leftovers().length <= 1,
    'only the replica’s volume exists',
  );
  await causeway.expect(['replica', 'delete', vmName, '--yes']);
  story.prove('Deleting the replica deletes its volume', cloud.world.leftovers().length === 0, 'no resource is left');
}

/** Stops the guest's processors, so that its disk stands still and can be compared from outside. */
async function freeze(vm: SourceVm): Promise<void> {
  await vm.monitor.execute('stop');
}

async function execute(causeway: Commands): Promise<{ readonly status: number | null; readonly bytesSent: number }> {
  const status = await causeway.show(['replica', 'execute', vmName, '--verify', 'all']);
  const [latest] = (await causeway.expect(['execution', 'list', '--replica', vmName, '--json'])).trim().split('\n');
  const execution = JSON.parse(latest!) as { readonly progress?: { readonly total: { readonly bytesSent: number } } };
  return { status, bytesSent: execution.progress?.total.bytesSent ?? 0 };
}

/** The proof that does not rely on Causeway: the files behind both disks, read from outside. */
async function compare(cloud: EuropeanCloud, vm: SourceVm, when: string): Promise<void> {
  const volume = [...cloud.world.volumes.values()].find(({ name }) => name.startsWith('causeway'));
  if (volume === undefined) throw new Error('the cloud has no volume of the replica');
  const source = await sha256(vm.disks[0]!.path);
  const destination = await sha256(cloud.volumePath(volume.id), source.bytes);
  story.prove(
    `${when}, source and destination are byte-identical`,
    source.digest === destination.digest,
    `SHA-256 ${source.digest.slice(0, 16)}…`,
  );
}

/** Of the first `limit` bytes: a volume is as large as its next full gibibyte. */
async function sha256(path: string, limit = Infinity): Promise<{ readonly digest: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const part of createReadStream(path, limit === Infinity ? {} : { end: limit - 1 })) {
    hash.update(part as Buffer);
    size += (part as Buffer).length;
  }
  return { digest: hash.digest('hex'), bytes: size };
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '           ');
}

async function end(status: number): Promise<void> {
  if (ending) return;
  ending = true;
  for (const close of closers) await close().catch((error: unknown) => console.error(error));
  process.exit(status);
}
