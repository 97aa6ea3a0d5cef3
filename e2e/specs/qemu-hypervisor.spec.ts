import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { createQemuHypervisorSource } from '../../electron/engine/platforms/qemu-hypervisor/index.ts';
import { shutDownGuest } from '../../electron/engine/platforms/qemu-hypervisor/shutdown.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { SocketCarrier } from '../../electron/engine/qmp/socket-carrier.ts';
import { makeCredentials } from '../conformance/nbd-servers.ts';
import { qemuHarness, type QemuHarness, type QemuHarnessOptions } from '../conformance/qemu-harness.ts';
import { leftovers, readDisk, takeSnapshot, vmStatus } from '../conformance/qemu-state.ts';
import { firstDifference } from '../conformance/read-snapshot.ts';
import { startLibvirtStandIn } from '../rigs/libvirt-daemon.ts';
import { freePort } from '../rigs/sshd.ts';
import { canRun } from '../../scripts/test/needs.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const BLOCK = 64 * KIB;
const signal = new AbortController().signal;
const run = promisify(execFile);

describe('a running QEMU VM as a source', () => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  const boot = async (options: QemuHarnessOptions = {}) => {
    const harness = await qemuHarness(options);
    open.unshift(() => harness.close());
    return harness;
  };
  let agents = 0;
  /** A guest's agent that answers synchronisation by itself and everything else by `answer`. Resolves with its socket's path. */
  const agentOf = async (folder: string, answer: (command: string) => object): Promise<string> => {
    const agent = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data: Buffer) => {
        for (const line of data.toString('utf8').trim().split('\n')) {
          const request = JSON.parse(line) as { execute: string; arguments?: { id?: number } };
          const answered = answer(request.execute);
          socket.write(
            `${JSON.stringify(request.execute === 'guest-sync' ? { return: request.arguments?.id } : answered)}\n`,
          );
        }
      });
    });
    agents += 1;
    const path = join(folder, `agent-${agents}.sock`);
    agent.listen(path);
    await once(agent, 'listening');
    open.unshift(async () => void agent.close());
    return path;
  };
  const bitmaps = async (harness: QemuHarness) =>
    [
      ...JSON.stringify(await harness.qemu().execute('query-named-block-nodes', { flat: true })).matchAll(
        /"name":\s?"(causeway-[^"]+)"/g,
      ),
    ]
      .map((match) => match[1])
      .sort();

  for (const fleecing of ['filter', 'job'] as const) {
    it(`keeps a snapshot as it was while the guest writes, zeroes and discards all over it (${fleecing})`, async () => {
      const harness = await boot({ fleecing });
      const random = seeded(20_261_121);
      const anything = async (index: number) => {
        const size = index === 0 ? 16 * MIB : 8 * MIB;
        const offset = Math.floor((random() * size) / 4096) * 4096;
        const length = Math.min(size - offset, Math.ceil(random() * 40) * 4096);
        const kind = random();
        const command =
          kind < 0.5
            ? `write -P ${1 + Math.floor(random() * 250)}`
            : kind < 0.7
              ? 'write -z -u'
              : kind < 0.85
                ? 'write -z'
                : 'discard';
        await harness.qemu().io(harness.disks[index]?.qdev ?? '', `${command} ${offset} ${length}`);
      };
      for (let count = 0; count < 60; count++) await anything(count % 2);
      let replicas: readonly (Buffer | undefined)[] = [undefined, undefined];
      let base: Snapshot | undefined;
      for (let round = 0; round < 4; round++) {
        const before = [await harness.content(0), await harness.content(1)];
        const taken = await takeSnapshot(harness, `round-${round}`, base);
        for (let count = 0; count < 30; count++) await anything(count % 2);
        let isReading = true;
        const guest = (async () => {
          for (let count = 0; isReading; count++) await anything(count % 2);
        })();
        const results = await Promise.all(
          ['system', 'data'].map((id, index) => readDisk(harness.platform, taken, id, base, replicas[index])),
        );
        isReading = false;
        await guest;
        for (const [index, result] of results.entries()) {
          expect(result.coverage).toBe(base === undefined ? 'allocated' : 'changed');
          expect(firstDifference(result.replica, before[index] ?? Buffer.alloc(0))).toBeUndefined();
        }
        replicas = results.map((result) => result.replica);
        if (round === 2) await harness.platform.discardSnapshot(taken, base, signal);
        else {
          await harness.platform.promoteToBase(taken, base, signal);
          base = taken;
        }
        if (round === 2) replicas = [undefined, undefined].map((_none, index) => results[index]?.replica);
      }
      expect(await vmStatus(harness)).toBe('running');
      expect(await leftovers(harness)).toEqual({ inQemu: [], files: [] });
      expect(await bitmaps(harness)).toEqual(['causeway-round-3', 'causeway-round-3']);
    });
  }

  it.runIf(canRun('root', 'namespaces', 'mount'))(
    'fails the snapshot and not the guest when the scratch space runs full',
    async () => {
      const small = await mkdtemp(join(tmpdir(), 'cwy-full-'));
      await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', small]);
      open.push(async () => {
        await run('umount', ['-l', small]);
        await rm(small, { recursive: true });
      });
      const harness = await boot({ scratchFolder: small });
      await harness.write(0, 0, 8 * MIB, 0x11);
      const base = await takeSnapshot(harness, 'base');
      await harness.platform.promoteToBase(base, undefined, signal);
      await harness.write(0, MIB, BLOCK, 0x12);
      const taken = await takeSnapshot(harness, 'fills', base);
      const reader = await harness.platform.openDisk(taken, 'system', base, signal);
      await harness.write(0, 2 * MIB, 5 * MIB, 0x22);
      expect((await harness.content(0)).subarray(2 * MIB, 7 * MIB).every((byte) => byte === 0x22)).toBe(true);
      await expect(reader.read(0, new Uint8Array(BLOCK), signal)).rejects.toMatchObject({
        code: 'source.snapshot-lost',
      });
      await reader.close();
      expect(await harness.platform.isAlive(taken, signal)).toBe(false);
      await harness.platform.discardSnapshot(taken, base, signal);
      const again = await takeSnapshot(harness, 'again', base);
      const result = await readDisk(
        harness.platform,
        again,
        'system',
        base,
        Buffer.alloc(16 * MIB).fill(0x11, 0, 8 * MIB),
      );
      expect(result.dataBytes).toBe(5 * MIB + BLOCK);
      expect(firstDifference(result.replica, await harness.content(0))).toBeUndefined();
      await harness.platform.promoteToBase(again, base, signal);
    },
  );

  it('goes on with the changes of a qcow2 disk after an orderly restart, and reads it whole after a crash', async () => {
    const harness = await boot();
    let base = await takeSnapshot(harness, 'first');
    let replica = (await readDisk(harness.platform, base, 'data')).replica;
    await harness.platform.promoteToBase(base, undefined, signal);
    for (const [way, coverage] of [
      ['quit', 'changed'],
      ['kill', 'allocated'],
    ] as const) {
      await harness.write(1, MIB, BLOCK, 0x31);
      await harness.content(1);
      await harness.restart(way);
      await harness.write(1, 3 * MIB, BLOCK, 0x32);
      const taken = await takeSnapshot(harness, `after-${way}`, base);
      const result = await readDisk(harness.platform, taken, 'data', base, replica);
      expect([way, result.coverage]).toEqual([way, coverage]);
      if (coverage === 'changed') expect(result.dataBytes).toBe(2 * BLOCK);
      expect(firstDifference(result.replica, await harness.content(1))).toBeUndefined();
      await harness.platform.promoteToBase(taken, base, signal);
      base = taken;
      replica = result.replica;
    }
  });

  it('finds the base spoilt when QEMU died while a snapshot was being read', async () => {
    const harness = await boot();
    const base = await takeSnapshot(harness, 'first');
    await harness.platform.promoteToBase(base, undefined, signal);
    const taken = await takeSnapshot(harness, 'second', base);
    await harness.write(1, MIB, BLOCK, 0x41);
    await harness.content(1);
    await harness.restart('kill');
    expect(await harness.platform.isAlive(taken, signal)).toBe(false);
    await harness.platform.discardSnapshot(taken, base, signal);
    const next = await takeSnapshot(harness, 'third', base);
    const result = await readDisk(harness.platform, next, 'data', base);
    expect(result.coverage).toBe('allocated');
    expect(firstDifference(result.replica, await harness.content(1))).toBeUndefined();
    await harness.platform.promoteToBase(next, base, signal);
  });

  it('is taken over by another process of ours after a crash, by its tag', async () => {
    const harness = await boot();
    const taken = await takeSnapshot(harness, 'kept');
    await harness.write(0, 0, MIB, 0x51);
    await harness.platform.close();
    const heir = createQemuHypervisorSource(
      { qmp_socket: join(harness.folder, 'source.qmp'), scratch_folder: harness.scratchFolder },
      { scratchFolder: join(harness.folder, 'ours') },
    );
    open.unshift(() => heir.close());
    expect(await takeSnapshot(harness, 'kept', undefined, heir)).toEqual(taken);
    expect((await readDisk(heir, taken, 'system')).replica.every((byte) => byte === 0)).toBe(true);
    await heir.discardSnapshot(taken, undefined, signal);
    expect([await leftovers(harness), await bitmaps(harness)]).toEqual([{ inQemu: [], files: [] }, []]);
  });

  it('freezes the guest for the moment of the snapshot, and thaws it also when that fails', async () => {
    const harness = await boot();
    const said: string[] = [];
    const path = await agentOf(harness.folder, (command) => {
      said.push(command);
      return { return: 2 };
    });
    const environment = { quiesce: true, guest_agent_socket: path };
    const taken = await takeSnapshot(harness, 'quiet', undefined, harness.platform, environment);
    expect(said).toEqual(['guest-sync', 'guest-fsfreeze-freeze', 'guest-fsfreeze-thaw']);
    await harness.platform.discardSnapshot(taken, undefined, signal);
    said.length = 0;
    // A bitmap of the same name makes the transaction fail between freeze and thaw.
    await harness.qemu().execute('block-dirty-bitmap-add', { node: 'data-node', name: 'causeway-blocked' });
    const blocked = harness.platform.createSnapshot(
      { vmId: harness.vmId, tag: 'blocked', environment: { ...environment, bitmap_granularity: 3 } },
      signal,
    );
    await expect(blocked).rejects.toMatchObject({ code: 'source.snapshot-failed' });
    expect(said.filter((command) => command.endsWith('freeze')).length).toBe(
      said.filter((command) => command.endsWith('thaw')).length,
    );
    expect([await vmStatus(harness), await leftovers(harness)]).toEqual(['running', { inQemu: [], files: [] }]);
    await expect(
      takeSnapshot(harness, 'no-agent', undefined, harness.platform, {
        quiesce: true,
        guest_agent_socket: join(harness.folder, 'nobody'),
      }),
    ).rejects.toMatchObject({ code: 'source.quiesce-failed' });
  });

  it('describes the VM as QEMU has it', async () => {
    const harness = await boot();
    expect(await harness.platform.describeVm(harness.vmId, signal)).toEqual({
      id: 'web-01',
      name: 'web-01',
      os_type: 'linux',
      firmware: 'bios',
      vcpus: 1,
      memory_mb: 32,
      disks: [
        { id: 'system', size_bytes: 16 * MIB, bootable: true, bus: 'sata' },
        { id: 'data', size_bytes: 8 * MIB, bootable: false, bus: 'virtio' },
      ],
      nics: [{ id: 'nic0', network: 'lan', mac_address: '52:54:00:aa:bb:cc' }],
    });
  });

  it('asks the guest itself, when its agent can be reached, and lets the environment have the last word', async () => {
    const harness = await boot();
    const describe = (environment: JsonObject) => harness.platform.describeVm(harness.vmId, signal, environment);
    const guest_agent_socket = await agentOf(harness.folder, (command) => {
      if (command === 'guest-get-osinfo') return { return: { id: 'mswindows' } };
      if (command !== 'guest-network-get-interfaces')
        return { error: { class: 'CommandNotFound', desc: 'not this one' } };
      const addresses = ['192.0.2.7', '169.254.3.4', 'fe80::1', '2001:db8::7'].map((address) => ({
        'ip-address': address,
        'ip-address-type': address.includes(':') ? 'ipv6' : 'ipv4',
      }));
      return {
        return: [
          { name: 'lo', 'ip-addresses': [{ 'ip-address': '127.0.0.1' }] },
          { name: 'Ethernet', 'hardware-address': '52:54:00:AA:BB:CC', 'ip-addresses': addresses },
        ],
      };
    });
    const nics = [
      { id: 'nic0', network: 'lan', mac_address: '52:54:00:aa:bb:cc', ip_addresses: ['192.0.2.7', '2001:db8::7'] },
    ];
    expect(await describe({ guest_agent_socket })).toMatchObject({ os_type: 'windows', firmware: 'bios', nics });
    expect(await describe({ guest_agent_socket, os_type: 'linux', firmware: 'uefi' })).toMatchObject({
      os_type: 'linux',
      firmware: 'uefi',
      nics,
    });
    // One that nobody listens at, or that must not tell, is no reason not to know the machine.
    expect(await describe({ guest_agent_socket: join(harness.folder, 'nobody') })).toEqual(await describe({}));
    const mute = await agentOf(harness.folder, () => ({ error: { class: 'CommandNotFound', desc: 'disabled' } }));
    expect(await describe({ guest_agent_socket: mute })).toEqual(await describe({}));
  });

  it('exports over TCP with TLS on both sides', async () => {
    const harness = await boot();
    const pki = join(harness.folder, 'pki');
    await mkdir(pki);
    await makeCredentials(pki);
    const platform = createQemuHypervisorSource(
      {
        qmp_sockets: { 'web-01': join(harness.folder, 'source.qmp') },
        nbd_listen: `127.0.0.1:${await freePort()}`,
        nbd_tls_server_credentials: pki,
        nbd_tls_client_credentials: pki,
      },
      { scratchFolder: join(harness.folder, 'ours') },
    );
    open.unshift(() => platform.close());
    await harness.write(0, MIB, MIB, 0x71);
    const taken = await takeSnapshot(harness, 'far', undefined, platform);
    expect(
      firstDifference((await readDisk(platform, taken, 'system')).replica, await harness.content(0)),
    ).toBeUndefined();
    await platform.promoteToBase(taken, undefined, signal);
  });

  it('is reached through libvirt’s monitor as well: the daemon of this computer (a stand-in), in its own protocol', async () => {
    const harness = await boot();
    const runtime = process.env['XDG_RUNTIME_DIR'];
    open.unshift(async () => {
      if (runtime === undefined) delete process.env['XDG_RUNTIME_DIR'];
      else process.env['XDG_RUNTIME_DIR'] = runtime;
    });
    process.env['XDG_RUNTIME_DIR'] = harness.folder;
    await mkdir(join(harness.folder, 'libvirt'));
    const daemon = await startLibvirtStandIn('web-01', join(harness.folder, 'source.qmp'), {
      socket: join(harness.folder, 'libvirt', 'virtqemud-sock'),
    });
    open.unshift(() => daemon.close());
    const platform = createQemuHypervisorSource(
      { libvirt_uri: 'qemu:///session', scratch_folder: harness.scratchFolder },
      { scratchFolder: join(harness.folder, 'ours') },
    );
    open.unshift(() => platform.close());
    expect(await platform.listVms(signal)).toMatchObject([{ id: 'web-01', diskCount: 2, power: 'running' }]);
    const taken = await takeSnapshot(harness, 'libvirt', undefined, platform);
    expect(
      firstDifference((await readDisk(platform, taken, 'system')).replica, await harness.content(0)),
    ).toBeUndefined();
    await platform.promoteToBase(taken, undefined, signal);
  });

  it('is reached through libvirt over TLS, with certificates on both sides', async () => {
    const harness = await boot();
    const pki = join(harness.folder, 'pki');
    await mkdir(pki);
    await makeCredentials(pki);
    for (const [from, to] of [
      ['ca-cert', 'cacert'],
      ['client-cert', 'clientcert'],
      ['client-key', 'clientkey'],
    ])
      await copyFile(join(pki, `${from}.pem`), join(pki, `${to}.pem`));
    const stranger = join(harness.folder, 'stranger');
    await mkdir(stranger);
    await makeCredentials(stranger);
    for (const [from, to] of [
      ['client-cert', 'clientcert'],
      ['client-key', 'clientkey'],
    ])
      await copyFile(join(stranger, `${from}.pem`), join(stranger, `${to}.pem`));
    await copyFile(join(pki, 'ca-cert.pem'), join(stranger, 'cacert.pem'));
    const [ca, cert, key] = await Promise.all(
      ['ca-cert', 'server-cert', 'server-key'].map((name) => readFile(join(pki, `${name}.pem`), 'utf8')),
    );
    const daemon = await startLibvirtStandIn('web-01', join(harness.folder, 'source.qmp'), {
      ca: ca ?? '',
      cert: cert ?? '',
      key: key ?? '',
    });
    open.unshift(() => daemon.close());
    const reach = (libvirt_uri: string, libvirt_tls_credentials: string) => {
      const platform = createQemuHypervisorSource(
        { libvirt_uri, libvirt_tls_credentials, scratch_folder: harness.scratchFolder },
        { scratchFolder: join(harness.folder, 'ours') },
      );
      open.unshift(() => platform.close());
      return platform.listVms(signal);
    };
    const uri = `qemu+tls://localhost:${daemon.port}/system`;
    expect(await reach(uri, pki)).toMatchObject([{ id: 'web-01', diskCount: 2, power: 'running' }]);
    // A client that the daemon's authority does not know; a daemon that the client's does not; none; no certificates.
    await expect(reach(uri, stranger)).rejects.toMatchObject({ code: 'source.tls-refused' });
    await copyFile(join(stranger, 'ca-cert.pem'), join(pki, 'cacert.pem'));
    await expect(reach(uri, pki)).rejects.toMatchObject({ code: 'source.tls-refused' });
    await expect(reach(`qemu+tls://localhost:${await freePort()}/system`, pki)).rejects.toMatchObject({
      code: 'source.unreachable',
    });
    await expect(reach(uri, harness.folder)).rejects.toMatchObject({
      code: 'general.invalid-input',
      message: expect.stringContaining('clientcert.pem') as string,
    });
  });

  it('says when a guest does not shut down, and is content when QEMU ends', async () => {
    const harness = await boot();
    const carrier = new SocketCarrier(join(harness.folder, 'source.qmp'));
    open.unshift(() => carrier.close());
    await expect(shutDownGuest('web-01', carrier, signal, 200)).rejects.toMatchObject({
      code: 'source.shutdown-refused',
    });
    const going = shutDownGuest('web-01', carrier, signal, 10_000);
    await harness.qemu().quit();
    await going;
    expect(await harness.platform.listVms(signal)).toMatchObject([{ id: 'web-01', power: 'unknown' }]);
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
