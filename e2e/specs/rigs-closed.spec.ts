import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEuropeanCloud } from '../rigs/european-cloud/start.ts';
import { run } from '../rigs/machines/child-process.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { startNats } from '../rigs/nats-cluster.ts';
import { networkNamespace } from '../rigs/network-namespace.ts';
import { startMoverRig } from '../rigs/mover-rig.ts';
import { startProjectLab } from '../rigs/project/lab-project.ts';
import { freePort, startSshd } from '../rigs/sshd.ts';

/** Native workers, namespaces and mounts need it. */
const isRoot = process.geteuid?.() === 0;

/** A rig opens several things, one after the other. Here a later one fails, and nothing of the earlier ones may stay. */
describe.runIf(isRoot)('a rig that fails to open', () => {
  const own = { folder: '', before: '', environment: {} as Record<string, string | undefined> };
  beforeEach(async () => {
    own.folder = await mkdtemp(join(tmpdir(), 'causeway-closed-'));
    const { PATH, TMPDIR } = process.env;
    own.environment = { PATH, TMPDIR };
    const temporary = join(own.folder, 'temporary');
    await mkdir(temporary);
    process.env['TMPDIR'] = temporary;
    own.before = JSON.stringify(await held());
  });
  afterEach(async () => {
    for (const [name, value] of Object.entries(own.environment)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(own.folder, { recursive: true, force: true });
  });

  /** What this process holds: its children and theirs, sockets, mounts, loop devices of its files, networks, temporary files. */
  async function held(): Promise<object> {
    const children = async (pid: number | string): Promise<string[]> => {
      const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
      const lists = await Promise.all(
        tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
      );
      const found = lists
        .join(' ')
        .split(/\s+/)
        .filter((each) => each !== '');
      return [...found, ...(await Promise.all(found.map(children))).flat()];
    };
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    const files = (await readdir(own.folder, { recursive: true })).filter((name) => name.endsWith('.raw'));
    const loops = await Promise.all(files.map((name) => run('losetup', ['--associated', join(own.folder, name)])));
    const mine = (text: string): string[] => text.split('\n').filter((line) => line.includes(`cw${process.pid}`));
    return {
      children: await Promise.all((await children('self')).map((pid) => readFile(`/proc/${pid}/comm`, 'utf8'))),
      sockets: links.filter((link) => link.startsWith('socket:')).length,
      mounts: (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(own.folder)),
      loops: loops.filter((line) => line !== ''),
      networks: [...mine(await run('ip', ['netns', 'list'])), ...mine(await run('ip', ['-brief', 'link']))],
      temporary: await readdir(process.env['TMPDIR'] ?? ''),
    };
  }

  const nothingLeft = async (): Promise<void> => void (await expect.poll(held).toEqual(JSON.parse(own.before)));

  it('closes the cloud and its machines when the project cannot be opened', async () => {
    const core = Object.defineProperty({}, 'platforms', {
      enumerable: true,
      get() {
        throw new Error('no platforms');
      },
    });
    await expect(startProjectLab({ core })).rejects.toThrow('no platforms');
    await nothingLeft();
  });

  it('ends the machines of a cloud that has no port', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { readonly port: number };
    await expect(startEuropeanCloud({ port, machines: labMachines({ worker: 'native' }) })).rejects.toThrow(
      'EADDRINUSE',
    );
    holder.close();
    await nothingLeft();
  });

  it('ends a native worker, and frees its first volume, when its second one cannot be attached', async () => {
    const first = join(own.folder, 'first.raw');
    await writeFile(first, Buffer.alloc(2 ** 20));
    const machines = await labMachines({ worker: 'native' })(own.folder);
    const plan = {
      serverId: 'one',
      name: 'one',
      vcpus: 1,
      memoryMiB: 512,
      userData: '',
      boot: { kind: 'image', imageName: 'Debian 12' } as const,
      dataVolumes: [
        { volumeId: 'first', path: first },
        { volumeId: 'second', path: join(own.folder, 'missing.raw') },
      ],
      nics: [],
    };
    await expect(machines.start(plan)).rejects.toThrow('missing.raw');
    expect(await run('losetup', ['--associated', first])).toBe('');
    await machines.close();
    await nothingLeft();
  });

  it('removes the folder of an sshd that does not take its configuration', async () => {
    await expect(startSshd({ extraConfig: 'NoSuchKeyword yes' })).rejects.toThrow('Bad configuration option');
    await nothingLeft();
  });

  it('ends the first of three NATS servers when the second has no port', async () => {
    await expect(startNats({ servers: 3, more: `http: 127.0.0.1:${await freePort()}` })).rejects.toThrow(
      'nats-server ended',
    );
    await nothingLeft();
  });

  it('removes a network namespace that gets no address translation', async () => {
    // One network of this process stays leased from the first on.
    await (await networkNamespace()).remove();
    own.before = JSON.stringify(await held());
    const programs = join(own.folder, 'programs');
    await mkdir(programs);
    await writeFile(join(programs, 'iptables'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    process.env['PATH'] = `${programs}:${own.environment['PATH'] ?? ''}`;
    await expect(networkNamespace()).rejects.toThrow('iptables');
    process.env['PATH'] = own.environment['PATH'];
    await nothingLeft();
  });

  it('ends cloud, namespace and both SSH servers of a mover that the laptop has no way to', async () => {
    // The lease of the network above.
    await (await networkNamespace()).remove();
    own.before = JSON.stringify(await held());
    await expect(startMoverRig(() => Promise.reject(new Error('no way')))).rejects.toThrow('no way');
    await nothingLeft();
  });
});
