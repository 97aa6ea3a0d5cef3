import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureWorkerInitramfs, imageCache, type Progress } from '../images/ensure.ts';
import { requirePrograms } from '../machines/require-programs.ts';
import { logIn, type RigApi, type RigLogin } from './admin-api.ts';
import { furnishCloud, furnishProject } from './furnish.ts';
import { registerServices } from './register-services.ts';

export const rigPassword = 'rig-password';
const authUrl = 'http://127.0.0.1:15000/v3';
const projects = [
  { projectName: 'origin', username: 'origin-user', range: '10.71.0' },
  { projectName: 'target', username: 'target-user', range: '10.72.0' },
] as const;

export type ProjectName = (typeof projects)[number]['projectName'];

/** The running cloud. */
export interface OpenSourceCloud {
  /** Everything that the rig keeps, below one folder. */
  readonly folder: string;
  readonly cephConfiguration: string;
  /** Whether this call started it: nobody else works in it then. */
  readonly startedHere: boolean;
  /** Connection information of an endpoint in the project, as the product takes it. */
  connection(project: ProjectName): Record<string, unknown>;
  /** The cloud as a project's user sees it, or as its administrator does. */
  api(project: ProjectName | 'admin'): Promise<RigApi>;
  /** Runs a phase of `rig.sh`, e.g. `backup-driver ceph`, `token-life 60`, `end cinder-volume`, `restart cinder-volume`. */
  phase(...args: readonly string[]): Promise<void>;
  /** Ends the cloud if this call started it; data stays for the next start. */
  close(): Promise<void>;
}

const folderOfRig = (): string => join(imageCache, 'open-source-cloud');
const script = fileURLToPath(new URL('rig.sh', import.meta.url));

/** Runs a phase of the rig's script; rejects with what it complained about. */
export async function runPhase(args: readonly string[], progress: Progress = () => {}): Promise<string> {
  const child = spawn(script, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, STATE: folderOfRig() },
  });
  const said: string[] = [];
  const complaints: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    complaints.push(chunk.toString());
    progress(chunk.toString().trim());
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // Daemons keep the pipes open only if they inherited them: waiting for the script itself is right.
    child.once('exit', resolve);
  });
  if (code !== 0)
    throw new Error(`the rig's phase "${args.join(' ')}" ended with ${String(code)}: ${complaints.join('').trim()}`);
  return said.join('');
}

const login = (projectName: string): RigLogin => {
  const user = projects.find((project) => project.projectName === projectName)?.username ?? 'admin';
  return { authUrl, username: user, password: rigPassword, projectName };
};

/** Whether a rig is up and furnished. One that is not refuses at once; one on a busy machine takes its time. */
export function isRunning(): Promise<boolean> {
  const answers = (url: string) =>
    fetch(url, { signal: AbortSignal.timeout(30_000) }).then(
      () => true,
      () => false,
    );
  return existsSync(join(folderOfRig(), 'ready'))
    ? Promise.all(
        ['15000/v3', '18774/', '18776/', '19696/', '18080/healthcheck'].map((path) =>
          answers(`http://127.0.0.1:${path}`),
        ),
      ).then((all) => all.every(Boolean))
    : Promise.resolve(false);
}

/** Attaches to the rig of this project that is running, or starts it (two minutes; one minute once it has its data). */
export async function startOpenSourceCloud(progress: Progress = () => {}): Promise<OpenSourceCloud> {
  if (process.getuid?.() !== 0)
    throw new Error('the open-source cloud needs root: networks, mounts, databases of its own');
  requirePrograms(
    'the open-source cloud (node scripts/bootstrap.js openstack)',
    'keystone-manage',
    'cinder-volume',
    'nova-compute',
    'neutron-server',
    'glance-api',
    'swift-proxy-server',
    'ceph-osd',
    'ovn-northd',
    'ovs-vswitchd',
    'libvirtd',
    'mariadbd',
    'uwsgi',
  );
  const folder = folderOfRig();
  await mkdir(folder, { recursive: true });
  const wasRunning = await isRunning();
  if (!wasRunning) await bringUp(folder, progress);
  else await furnishCloud(await logIn(login('admin')), await ensureWorkerInitramfs(progress));
  return {
    folder,
    cephConfiguration: join(folder, 'ceph', 'ceph.conf'),
    startedHere: !wasRunning,
    connection: (project) => ({
      auth_url: authUrl,
      username: login(project).username,
      password: rigPassword,
      project_name: project,
      region_name: 'RegionOne',
      ceph_options: { ceph_conf_file: join(folder, 'ceph', 'ceph.conf'), ceph_pool_name: 'volumes' },
    }),
    api: (project) => logIn(login(project)),
    phase: async (...args) => {
      const since = Date.now();
      await runPhase(args, progress);
      if (args[0] === 'backup-driver') await waitForServices(await logIn(login('admin')), since);
    },
    close: async () => {
      if (!wasRunning) await stopOpenSourceCloud();
    },
  };
}

async function bringUp(folder: string, progress: Progress): Promise<void> {
  const lock = join(folder, 'starting');
  const handle = await open(lock, 'wx').catch(() => undefined);
  if (handle === undefined)
    throw new Error(`another start of the open-source cloud is under way; if not, remove ${lock}`);
  try {
    await rm(join(folder, 'ready'), { force: true });
    const worker = await ensureWorkerInitramfs(progress);
    progress('database, messages, distributed storage, identity');
    await runPhase(['base'], progress);
    const admin = login('admin');
    await registerServices(await logIn(admin), rigPassword, projects);
    progress('networks, block storage, images, object store, compute');
    await runPhase(['services'], progress);
    const api = await logIn(admin);
    await waitForServices(api);
    await runPhase(['map-hosts'], progress);
    progress('flavors, networks, images');
    await furnishCloud(api, worker);
    for (const { projectName, range } of projects) await furnishProject(await logIn(login(projectName)), range);
    await writeFile(join(folder, 'ready'), `${new Date().toISOString()}\n`);
  } finally {
    await handle.close();
    await rm(lock, { force: true });
  }
}

/** Until every service of block storage and compute has reported itself; the one for backups after `since`. */
async function waitForServices(admin: RigApi, since = 0): Promise<void> {
  const deadline = Date.now() + 120_000;
  const up = async (service: string, wanted: readonly string[]) => {
    const { services } = await admin.call<{ services: { binary: string; state: string; updated_at: string | null }[] }>(
      service,
      'GET',
      '/os-services',
    );
    const isFresh = (one: { binary: string; updated_at: string | null }) =>
      one.binary !== 'cinder-backup' || Date.parse(`${one.updated_at ?? ''}Z`) > since;
    return wanted.every((binary) =>
      services.some((one) => one.binary === binary && one.state === 'up' && (since === 0 || isFresh(one))),
    );
  };
  for (;;) {
    const states = await Promise.all([
      up('block-storage', ['cinder-volume', 'cinder-scheduler', 'cinder-backup']),
      up('compute', ['nova-compute', 'nova-conductor', 'nova-scheduler']),
    ]).catch(() => [false]);
    if (states.every(Boolean)) return;
    if (Date.now() > deadline)
      throw new Error('block storage and compute did not report themselves within two minutes');
    await sleep(1000);
  }
}

/** Ends whatever of the rig runs; servers of the cloud are destroyed, volumes and networks are kept. */
export async function stopOpenSourceCloud(): Promise<void> {
  await rm(join(folderOfRig(), 'ready'), { force: true });
  await runPhase(['stop']);
}

/** Ends the rig and forgets all of its data. */
export async function wipeOpenSourceCloud(): Promise<void> {
  await stopOpenSourceCloud();
  await rm(folderOfRig(), { recursive: true, force: true });
}

/** What runs, line by line: name, process, memory. */
export async function statusOfOpenSourceCloud(): Promise<string> {
  return existsSync(folderOfRig()) ? await runPhase(['status']) : '';
}
