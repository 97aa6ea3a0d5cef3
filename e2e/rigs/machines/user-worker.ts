import { once } from 'node:events';
import { link, mkdir, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kill, run, spawnBound } from './child-process.ts';
import { seedFromUserData } from './cloud-config.ts';
import type { Seed } from './cloud-config.ts';
import { LoopbackHosts } from './loopback-hosts.ts';
import type { Machine, StartMachine } from './machine.ts';
import { requirePrograms } from './require-programs.ts';

const sshPort = 10_022;
const marker = 'CAUSEWAY_LAB_WORKER';

/**
 * Workers that need no rights at all: an SSH server of this user, commands run as this user in a folder of their own,
 * volumes are plain files in `devices/`. What a worker's image would bring (sudo, an agent that finds its
 * devices) is put in front of the search path.
 */
export function userWorkers(): StartMachine {
  const hosts = new LoopbackHosts();
  return async (plan, folder) => {
    if (plan.boot.kind !== 'image') throw new Error('a worker of this kind starts from an image, not from a volume');
    requirePrograms('a worker of this user', 'setpriv', 'python3', 'ssh-keygen');
    await using stack = new AsyncDisposableStack();
    const host = stack.adopt(await hosts.take(), (held) => hosts.release(held));
    const devices = join(folder, 'devices');
    for (const name of ['devices', 'names', 'home', 'bin', 'tmp']) await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, 'bin', 'sudo'), '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n', {
      mode: 0o755,
    });
    await writeFile(join(folder, 'bin', 'python3'), await pythonFor(host, devices), { mode: 0o755 });
    const seed = seedFromUserData(plan.userData, plan.publicKey);
    const settings = {
      host,
      port: sshPort,
      hostKey: await hostKey(seed, folder),
      accounts: Object.fromEntries(seed.users.map((user) => [user.name, user.authorizedKeys])),
      passwords: Object.fromEntries(
        seed.users.flatMap(({ name, password }) => (password === undefined ? [] : [[name, password]])),
      ),
      folder: join(folder, 'home'),
      environment: {
        PATH: `${join(folder, 'bin')}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
        HOME: join(folder, 'home'),
        TMPDIR: join(folder, 'tmp'),
        [marker]: plan.serverId,
      },
    };
    const settingsPath = join(folder, 'sshd.json');
    await writeFile(settingsPath, JSON.stringify(settings), { mode: 0o600 });
    const console = await open(join(folder, 'console.log'), 'a');
    const program = fileURLToPath(new URL('user-worker-sshd.ts', import.meta.url));
    const child = spawnBound(process.execPath, [program, settingsPath], { stdio: ['ignore', 'pipe', console.fd] });
    stack.defer(() => killMarked(plan.serverId));
    stack.adopt(child, (server) => kill(server));
    await console.close();
    const first = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')]);
    if (!Buffer.isBuffer(first[0]))
      throw new Error(`worker did not start: ${await readFile(join(folder, 'console.log'), 'utf8')}`);

    const places = new Map<string, string>();
    let attachments = 0;
    const machine: Machine = {
      // A second name of the same file, so that nothing but the worker's folder has to be opened to its agent.
      attach: async ({ volumeId, path, device }) => {
        // In the order of their attachment, which is all that some platforms tell of them.
        const name = device === undefined ? volumeId : `disk-${String(attachments++).padStart(4, '0')}`;
        places.set(volumeId, name);
        if (device !== undefined) await writeFile(join(folder, 'names', name), JSON.stringify(device));
        await link(path, join(devices, name));
      },
      detach: async (volumeId) => {
        const name = places.get(volumeId);
        if (name === undefined) return;
        await rm(join(devices, name), { force: true });
        await rm(join(folder, 'names', name), { force: true });
      },
      target: (port) => ({ host, port: port === 22 ? sshPort : port }),
      log: () => readFile(join(folder, 'console.log'), 'utf8'),
      stop: () => opened.disposeAsync(),
    };
    for (const volume of plan.dataVolumes) await machine.attach(volume);
    const opened = stack.move();
    return machine;
  };
}

/** Python as this worker has it: its agent listens on the worker's own address and has the worker's own devices. */
async function pythonFor(host: string, devices: string): Promise<string> {
  const real = (await run('sh', ['-c', 'command -v python3'])).trim();
  const wrapper = fileURLToPath(new URL('user-worker-agent.py', import.meta.url));
  return [
    '#!/bin/sh',
    'case "${1##*/}" in',
    `  causeway_agent.py) exec '${real}' '${wrapper}' '${devices}' "$@" --host ${host} --allow '${devices}' ;;`,
    'esac',
    `exec '${real}' "$@"`,
    '',
  ].join('\n');
}

async function hostKey(seed: Seed, folder: string): Promise<string> {
  const given = seed.hostKeys['ed25519_private'];
  if (given !== undefined) return given;
  const path = join(folder, 'host-key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
  return readFile(path, 'utf8');
}

/** Ends what runs on behalf of a worker, agents in the background included; they carry its mark in their environment. */
async function killMarked(serverId: string): Promise<void> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(`${marker}=${serverId}`)) continue;
    try {
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
