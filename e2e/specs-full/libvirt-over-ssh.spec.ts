import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { libvirtDaemon } from '../../electron/engine/platforms/qemu-hypervisor/libvirt-daemons.ts';
import { SshHost } from '../../electron/engine/platforms/qemu-hypervisor/ssh-host.ts';
import { LibvirtCarrier, LibvirtDaemon } from '../../electron/engine/qmp/libvirt-carrier.ts';
import { makeCredentials } from '../conformance/nbd-servers.ts';
import { freePort, startSshd, type SshdRig } from '../rigs/sshd.ts';

const run = promisify(execFile);
const signal = new AbortController().signal;
const isHere =
  process.getuid?.() === 0 &&
  [
    '/usr/sbin/libvirtd',
    '/usr/bin/virsh',
    '/usr/lib/x86_64-linux-gnu/libvirt/connection-driver/libvirt_driver_qemu.so',
  ].every((path) => existsSync(path));

/** libvirt's own daemon, in a mount namespace of its own, with a domain of QEMU that runs without a disk or a guest. */
describe.skipIf(!isHere)('libvirt over SSH, in the daemon’s own protocol', () => {
  let folder: string;
  let daemon: ChildProcess;
  let sshd: SshdRig;
  let host: SshHost;
  let tlsPort = 0;
  const pki = (): string => join(folder, 'pki');
  const socket = (): string => join(folder, 'libvirt-sock');
  const virsh = (...args: readonly string[]) =>
    run('virsh', ['-q', '-c', `qemu+unix:///system?socket=${socket()}`, ...args], { timeout: 30_000 });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-libvirtd-'));
    for (const name of ['etc', 'lib', 'log', 'cache', 'run']) await mkdir(join(folder, name));
    await writeFile(
      join(folder, 'etc', 'qemu.conf'),
      [
        'user = "root"',
        'group = "root"',
        'security_driver = "none"',
        'stdio_handler = "file"',
        'cgroup_controllers = [ ]',
        'namespaces = [ ]',
        '',
      ].join('\n'),
    );
    await mkdir(pki());
    await makeCredentials(pki());
    for (const [from, to] of [
      ['ca-cert', 'cacert'],
      ['client-cert', 'clientcert'],
      ['client-key', 'clientkey'],
    ])
      await copyFile(join(pki(), `${from}.pem`), join(pki(), `${to}.pem`));
    tlsPort = await freePort();
    await writeFile(
      join(folder, 'libvirtd.conf'),
      [
        `unix_sock_dir = "${folder}"`,
        'auth_unix_rw = "none"',
        'auth_unix_ro = "none"',
        'listen_tls = 1',
        'listen_addr = "127.0.0.1"',
        `tls_port = "${tlsPort}"`,
        `ca_file = "${pki()}/ca-cert.pem"`,
        `cert_file = "${pki()}/server-cert.pem"`,
        `key_file = "${pki()}/server-key.pem"`,
        '',
      ].join('\n'),
    );
    const binds = [
      ['etc', '/etc/libvirt'],
      ['lib', '/var/lib/libvirt'],
      ['log', '/var/log/libvirt'],
      ['cache', '/var/cache/libvirt'],
      ['run', '/run'],
    ] as const;
    const script = binds.map(([from, to]) => `mkdir -p ${to} && mount --bind "$1/${from}" ${to}`).join(' && ');
    daemon = spawn(
      'unshare',
      [
        '--mount',
        '--propagation',
        'slave',
        'bash',
        '-c',
        `cd / && ${script} && exec libvirtd --listen -f "$1/libvirtd.conf" -p "$1/libvirtd.pid"`,
        'bash',
        folder,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    daemon.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
    await vi.waitUntil(
      () => {
        if (daemon.exitCode !== null) throw new Error(`the daemon ended: ${said}`);
        return virsh('version').then(
          () => true,
          () => false,
        );
      },
      { timeout: 60_000, interval: 200 },
    );
    await writeFile(
      join(folder, 'domain.xml'),
      `<domain type="qemu"><name>web-01</name><memory unit="MiB">32</memory><vcpu>1</vcpu><os><type arch="x86_64" machine="pc">hvm</type></os><devices><emulator>/usr/bin/qemu-system-x86_64</emulator></devices></domain>`,
    );
    sshd = await startSshd();
    host = new SshHost(
      { host: '127.0.0.1', port: sshd.port, username: sshd.username, privateKeyPem: sshd.privateKeyPem },
      [sshd.hostKey.split(' ').slice(0, 2).join(' ')],
    );
  });
  afterAll(async () => {
    await host?.close();
    await virsh('destroy', 'web-01').catch(() => undefined);
    if (daemon !== undefined && daemon.exitCode === null) {
      const ended = once(daemon, 'exit');
      daemon.kill();
      await ended;
    }
    await sshd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('lists running domains and sends commands to the monitor of their QEMU, and knows when one ended', async () => {
    const libvirt = new LibvirtDaemon('qemu:///system at the lab', 'qemu:///system', async () => [
      host.socket(join(folder, 'virtqemud-sock')),
      host.socket(socket()),
    ]);
    expect(await libvirt.runningDomains(signal)).toEqual([]);
    await virsh('create', join(folder, 'domain.xml'));
    expect(await libvirt.runningDomains(signal)).toMatchObject([{ name: 'web-01' }]);
    const carrier = new LibvirtCarrier(libvirt, 'web-01');
    expect(await carrier.execute('query-status', {}, signal)).toMatchObject({ status: 'running' });
    // Larger than one piece of the network.
    expect(JSON.stringify(await carrier.execute('query-qmp-schema', {}, signal)).length).toBeGreaterThan(100_000);
    await expect(carrier.execute('blockdev-del', { 'node-name': 'nothing' }, signal)).rejects.toMatchObject({
      code: 'source.request-refused',
      description: expect.stringContaining('nothing') as string,
    });
    await virsh('suspend', 'web-01');
    expect(await carrier.execute('query-status', {}, signal)).toMatchObject({ status: 'paused' });
    await virsh('destroy', 'web-01');
    await expect(carrier.execute('query-status', {}, signal)).rejects.toMatchObject({ code: 'source.unreachable' });
    await libvirt.close();
  });

  it('does the same over TLS, with certificates on both sides', async () => {
    const at = (credentials: string) => libvirtDaemon(`qemu+tls://localhost:${tlsPort}/system`, undefined, credentials);
    const libvirt = at(pki());
    expect(await libvirt.runningDomains(signal)).toEqual([]);
    await virsh('create', join(folder, 'domain.xml'));
    const carrier = new LibvirtCarrier(libvirt, 'web-01');
    expect(await carrier.execute('query-status', {}, signal)).toMatchObject({ status: 'running' });
    expect(JSON.stringify(await carrier.execute('query-qmp-schema', {}, signal)).length).toBeGreaterThan(100_000);
    await virsh('destroy', 'web-01');
    await libvirt.close();
    // A client of another authority.
    const stranger = join(folder, 'stranger');
    await mkdir(stranger);
    await makeCredentials(stranger);
    for (const [from, to] of [
      ['client-cert', 'clientcert'],
      ['client-key', 'clientkey'],
    ])
      await copyFile(join(stranger, `${from}.pem`), join(stranger, `${to}.pem`));
    await copyFile(join(pki(), 'ca-cert.pem'), join(stranger, 'cacert.pem'));
    const refused = at(stranger);
    await expect(refused.runningDomains(signal)).rejects.toMatchObject({ code: 'source.tls-refused' });
    await refused.close();
  });
});
