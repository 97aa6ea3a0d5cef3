import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import type { CloudAccess } from '../rigs/european-cloud/rig-client.ts';
import { startRigWorker } from '../rigs/european-cloud/rig-worker.ts';
import { volumeSerial } from '../rigs/cloud-kit/server-machines.ts';
import { startEuropeanCloud } from '../rigs/european-cloud/start.ts';
import type { EuropeanCloud } from '../rigs/european-cloud/start.ts';
import { run } from '../rigs/machines/child-process.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import type { WorkerKind } from '../rigs/machines/kinds.ts';
import { processesNaming } from '../rigs/processes-naming.ts';
import { makeKeyPair, RigSsh } from '../rigs/rig-ssh.ts';
import type { LabMachines } from '../rigs/machines/lab-machines.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { canRun } from '../../scripts/test/needs.ts';

let keys: string;
let cloud: EuropeanCloud | undefined;

beforeEach(async () => {
  keys = await mkdtemp(join(tmpdir(), 'causeway-keys-'));
});

afterEach(() =>
  closeAll(
    () => cloud?.close(),
    () => (cloud = undefined),
    () => rm(keys, { recursive: true, force: true }),
  ),
);

async function labOf(worker: WorkerKind): Promise<{ client: RigClient; machines: LabMachines; lab: EuropeanCloud }> {
  let machines: LabMachines | undefined;
  const lab = await startEuropeanCloud({
    machines: async (folder) =>
      (machines = await labMachines({ worker, progress: (line) => process.stderr.write(`${line}\n`) })(folder)),
  });
  cloud = lab;
  const client = new RigClient(lab);
  await client.signIn();
  if (machines === undefined) throw new Error('no machines');
  return { client, machines, lab };
}

async function newVolume(client: RigClient): Promise<string> {
  const { body } = await client.call('POST', 'volumes', { availabilityZone: 'eu01-1', size: 1 });
  await client.waitFor(`volumes/${String(body['id'])}`, 'AVAILABLE');
  return String(body['id']);
}

async function head(path: string, length: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await file.close();
  }
}

/** What happens to a connection: the first bytes, or how it ended. */
function probe(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.setTimeout(10_000, () => socket.destroy(new Error('ETIMEDOUT')));
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1').slice(0, 4));
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.once('close', () => resolve('closed'));
  });
}

describe.runIf(canRun('native workers'))('a native worker', () => {
  it('answers SSH with the host key and account of its user data', async () => {
    const { client } = await labOf('native');
    const worker = await startRigWorker(client, keys);
    expect(await worker.ssh.text('id -un; sudo -n id -un; uname -n')).toBe('causeway\nroot\nworker-1');
    const scan = await run('ssh-keyscan', [
      '-t',
      'ed25519',
      '-p',
      String(worker.ssh.access.port),
      worker.ssh.access.host,
    ]);
    expect(scan).toContain(worker.hostKey);
  });

  it('sees the volumes that are attached to it, by serial, and no other disk', async () => {
    const { client, lab } = await labOf('native');
    const worker = await startRigWorker(client, keys);
    const [first, second] = [await newVolume(client), await newVolume(client)];
    expect(await worker.ssh.text('ls /sys/block /dev/disk/by-id')).toBe('/dev/disk/by-id:\n\n/sys/block:');
    await worker.attach(first);
    await worker.attach(second);
    expect((await worker.ssh.text('ls /dev/disk/by-id')).split('\n').sort()).toEqual(
      [first, second].map((id) => `virtio-${volumeSerial(id)}`).sort(),
    );
    const device = `/dev/disk/by-id/virtio-${volumeSerial(second)}`;
    expect(await worker.ssh.text(`sudo blockdev --getsize64 ${device}`)).toBe(String(2 ** 30));
    await worker.ssh.text(`sudo dd of=${device} conv=fsync status=none`, { input: 'written by the worker' });
    await worker.detach(second);
    expect(await worker.ssh.text('ls /dev/disk/by-id')).toBe(`virtio-${volumeSerial(first)}`);
    expect(await head(lab.volumePath(second), 21)).toBe('written by the worker');
    expect(await run('losetup', ['--associated', lab.volumePath(second)])).toBe('');
  });

  it('knows its volumes by what the cloud passes on: a number on the bus with its link, a path, or nothing but their order', async () => {
    const { client, machines, lab } = await labOf('native');
    const worker = await startRigWorker(client, keys);
    const volumes = [await newVolume(client), await newVolume(client), await newVolume(client)];
    const names = [
      { lun: 3, links: ['disk/azure/scsi1/lun3'] },
      { serial: 'vol0123', byPath: 'ip-10.0.0.1:3260-iscsi-iqn.a-lun-2' },
      {},
    ];
    for (const [index, volumeId] of volumes.entries()) {
      await machines.attach(worker.serverId, { volumeId, path: lab.volumePath(volumeId), device: names[index] ?? {} });
    }
    const agent = await readFile(fileURLToPath(new URL('../../assets/worker/causeway_agent.py', import.meta.url)));
    const list =
      "import json, sys, types; agent = types.ModuleType('agent'); exec(sys.stdin.read(), agent.__dict__); print(json.dumps(agent.list_devices()))";
    const devices = JSON.parse(await worker.ssh.text(`sudo python3 -c "${list}"`, { input: agent })) as {
      serial: string;
      lun: number | null;
      byPath: string[];
      sizeBytes: number;
    }[];
    expect(
      devices
        .map(({ serial, lun, byPath, sizeBytes }) => ({ serial, lun, byPath, sizeBytes }))
        .sort((one, other) => (other.lun ?? 0) - (one.lun ?? 0) || other.serial.length - one.serial.length),
    ).toEqual([
      { serial: '', lun: 3, byPath: ['azure/scsi1/lun3'], sizeBytes: 2 ** 30 },
      { serial: 'vol0123', lun: null, byPath: ['ip-10.0.0.1:3260-iscsi-iqn.a-lun-2'], sizeBytes: 2 ** 30 },
      { serial: '', lun: null, byPath: [], sizeBytes: 2 ** 30 },
    ]);
    expect(await worker.ssh.text('sudo blockdev --getsize64 /dev/disk/azure/scsi1/lun3')).toBe(String(2 ** 30));
    for (const volumeId of volumes) await machines.detach(worker.serverId, volumeId);
    expect(await worker.ssh.text('find /sys/block /dev/disk ! -type d')).toBe('');
  });

  it('is reached as far as its security group lets in, until the server is gone', async () => {
    const { client } = await labOf('native');
    const worker = await startRigWorker(client, keys);
    const { host, port } = resolveAddress(worker.address, 22);
    expect(await probe(host, port)).toBe('SSH-');
    expect(await probe(worker.address, 5566)).toBe('ECONNRESET');
    await worker.ssh.text('nohup python3 -m http.server 5566 >/dev/null 2>&1 &');
    expect(await probe(worker.address, 5566)).toBe('ECONNRESET');
    const { body: rule } = await client.call('POST', `security-groups/${worker.securityGroupId}/rules`, {
      direction: 'ingress',
      protocol: 'tcp',
      portRange: { min: 5566, max: 5566 },
      ipRange: '127.0.0.1/32',
    });
    await expect
      .poll(async () => (await fetch(`http://${worker.address}:5566/`).catch(() => undefined))?.status)
      .toBe(200);
    await client.call('DELETE', `security-groups/${worker.securityGroupId}/rules/${String(rule['id'])}`);
    expect(await probe(worker.address, 5566)).toBe('ECONNRESET');
    await client.call('DELETE', `servers/${worker.serverId}`);
    await client.waitFor(`servers/${worker.serverId}`, 'GONE');
    await expect.poll(() => probe(host, port)).toBe('ECONNREFUSED');
  });

  it('can be cut off, frozen and crashed', async () => {
    const { client, machines } = await labOf('native');
    const worker = await startRigWorker(client, keys);
    const sleeping = worker.ssh.execute('sleep 60');
    await expect.poll(() => worker.ssh.text('pgrep -c sleep || true')).toBe('1');
    await machines.link(worker.serverId, 'cut');
    expect((await sleeping).code).not.toBe(0);
    await machines.link(worker.serverId, 'freeze');
    let isAnswered = false;
    const waiting = worker.ssh.text('echo thawed').then((text) => {
      isAnswered = true;
      return text;
    });
    await delay(500);
    expect(isAnswered).toBe(false);
    await machines.link(worker.serverId, 'thaw');
    expect(await waiting).toBe('thawed');
    await machines.crash(worker.serverId);
    expect((await worker.ssh.execute('true')).code).toBe(255);
    expect((await client.call('GET', `servers/${worker.serverId}`)).body['status']).toBe('ACTIVE');
  });

  it('leaves no process and no loop device behind when the cloud is killed', async () => {
    const program = fileURLToPath(new URL('../rigs/european-cloud/serve.ts', import.meta.url));
    const folder = join(keys, 'cloud');
    const child = spawn(
      process.execPath,
      [program, '--folder', folder, '--workers', 'native', '--transition-ms', '20'],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const client = new RigClient(JSON.parse(line) as CloudAccess);
    await client.signIn();
    const worker = await startRigWorker(client, keys);
    const volume = await newVolume(client);
    await worker.attach(volume);
    expect(await processesNaming(folder)).not.toEqual([]);
    expect(await run('losetup', ['--associated', join(folder, 'volumes', `${volume}.raw`)])).not.toBe('');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => processesNaming(folder)).toEqual([]);
    await expect.poll(() => run('losetup', ['--associated', join(folder, 'volumes', `${volume}.raw`)])).toBe('');
    expect(await probe(worker.address, 22)).toBe('ECONNREFUSED');
  });
});

describe.runIf(canRun('user workers'))('a worker of this user', () => {
  it('answers SSH for the account of its user data alone, and has attached volumes as files', async () => {
    const { client, lab } = await labOf('user');
    const worker = await startRigWorker(client, keys);
    expect(
      await worker.ssh.text('sudo -n sh -c "echo as root"; python3 -c "print(6 * 7)"; cat', { input: 'from here' }),
    ).toBe('as root\n42\nfrom here');
    expect((await worker.ssh.execute('exit 3')).code).toBe(3);
    const stranger = await makeKeyPair(keys, 'stranger');
    for (const wrong of [{ keyPath: stranger.path }, { user: 'somebody' }]) {
      expect((await new RigSsh({ ...worker.ssh.access, ...wrong }).execute('true')).code).toBe(255);
    }
    const volume = await newVolume(client);
    await worker.attach(volume);
    await worker.ssh.text(`dd of=../devices/${volume} conv=notrunc status=none`, { input: 'written by the worker' });
    await worker.detach(volume);
    expect(await worker.ssh.text('ls ../devices')).toBe('');
    expect(await head(lab.volumePath(volume), 21)).toBe('written by the worker');
  });

  it('tells its agent what the cloud passes on of a volume', async () => {
    const { client, machines, lab } = await labOf('user');
    const worker = await startRigWorker(client, keys);
    const [usual, numbered] = [await newVolume(client), await newVolume(client)];
    await worker.attach(usual);
    await machines.attach(worker.serverId, {
      volumeId: numbered,
      path: lab.volumePath(numbered),
      device: { lun: 3, byPath: 'a-lun-3' },
    });
    await worker.ssh.text('cat > causeway_agent.py', {
      input: 'def main(arguments):\n    import json\n    print(json.dumps(list_devices()))\n',
    });
    const devices = JSON.parse(await worker.ssh.text('python3 causeway_agent.py')) as { lun: number | null }[];
    expect(devices.sort((one, other) => (one.lun ?? 0) - (other.lun ?? 0))).toMatchObject([
      { serial: usual, lun: null, byPath: [], sizeBytes: 2 ** 30 },
      { serial: '', lun: 3, byPath: ['a-lun-3'], sizeBytes: 2 ** 30 },
    ]);
  });
});

describe.runIf(canRun('emulated machines'))('an emulated worker', () => {
  // Workers that are virtual machines carry whole executions in the full tier.
  it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
    'boots, is prepared by its user data, and has volumes plugged and unplugged while it runs',
    async () => {
      const { client, lab, machines } = await labOf('qemu');
      const worker = await startRigWorker(client, keys);
      expect(await worker.ssh.text('id -un; sudo -n id -un; uname -n')).toBe('causeway\nroot\nworker-1');
      const volume = await newVolume(client);
      for (const text of ['first', 'again']) {
        await worker.attach(volume);
        const find = `for i in $(seq 100); do d=$(grep -l '^${volumeSerial(volume)}$' /sys/block/*/serial 2>/dev/null) && break; sleep 0.1; done; basename $(dirname $d)`;
        const name = await worker.ssh.text(find);
        expect(name).toMatch(/^vd[a-z]$/);
        expect(await worker.ssh.text(`cat /sys/block/${name}/size`)).toBe(String(2 ** 30 / 512));
        await worker.ssh.text(`sudo dd of=/dev/${name} conv=fsync status=none`, { input: text });
        await worker.detach(volume);
        expect(await head(lab.volumePath(volume), 5)).toBe(text);
      }
      // An emulated worker has neither a SCSI bus for what is plugged in nor names by path, and says so.
      await expect(
        machines.attach(worker.serverId, { volumeId: volume, path: lab.volumePath(volume), device: { lun: 5 } }),
      ).rejects.toThrow('serial or order only');
      expect(String((await client.call('GET', `servers/${worker.serverId}/log`)).body['output'])).toContain(
        'worker is up',
      );
    },
  );
});
