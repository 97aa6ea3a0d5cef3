import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HypervConnection } from '../../electron/engine/platforms/windows-hypervisor/index.ts';
import type { CheckStep } from '../../electron/engine/ports/platform-common.ts';
import type { SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { closeAll } from '../rigs/closing.ts';
import {
  hypervHarness,
  type HypervHarness,
  type HypervHarnessOptions,
} from '../rigs/windows-hypervisor/source-harness.ts';
import { startSshServer, type RigSshServer } from '../rigs/windows-hypervisor/ssh-server.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;

/** Each parameter of an endpoint and of the source environment by what it does at the host, and each finding of the check with what to do about it. */
describe('an endpoint of Hyper-V', () => {
  let lab: HypervHarness;
  const closing: (() => Promise<unknown>)[] = [];
  const start = async (options: HypervHarnessOptions = {}): Promise<void> => void (lab = await hypervHarness(options));
  afterEach(() => closeAll(...closing.splice(0).toReversed(), () => lab.close()));
  const open = (more: Partial<HypervConnection>): SourcePlatform => {
    const platform = lab.open(more);
    closing.push(() => platform.close());
    return platform;
  };
  const steps = async (platform = lab.platform): Promise<readonly CheckStep[]> => (await platform.check(signal)).steps;
  const step = async (name: string, platform = lab.platform): Promise<CheckStep | undefined> =>
    (await steps(platform)).find((one) => one.name === name);
  /** A port that nobody listens on. */
  const closedPort = async (): Promise<number> => {
    const server = createTcpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  };
  const sshServer = async (): Promise<RigSshServer> => {
    const server = await startSshServer(lab.rig, '127.0.0.1');
    closing.push(() => server.close());
    return server;
  };
  /** One execution's worth of reading by this platform. */
  const readOnce = async (
    platform: SourcePlatform,
    environment: Readonly<Record<string, string | boolean>> = { verify_rct_server: 'no' },
  ): Promise<Buffer> => {
    const taken = await platform.createSnapshot({ vmId: lab.vmId, tag: 'read', environment }, signal);
    try {
      const reader = await platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal);
      const into = Buffer.alloc(MIB);
      try {
        await reader.read(0, into, signal);
        return into;
      } finally {
        await reader.close();
      }
    } finally {
      await platform.discardSnapshot(taken, undefined, signal);
    }
  };

  describe('its check', () => {
    it('passes where nothing is missing', async () => {
      await start({ reader: true });
      expect(
        (await steps()).map(({ name, outcome, evidence }) => (outcome === 'passed' ? name : `${name}: ${evidence}`)),
      ).toEqual([
        'Sign in and run PowerShell',
        'Check policies for scripts',
        'Find Hyper-V',
        'Check groups',
        'List VMs',
        'Check the firewall',
        'Read the event log',
        'Compare clocks',
        'Read disks',
      ]);
    });

    it.each([
      [
        'a group policy that ignores rules of its firewall',
        { firewall: ['Domain', 'Public'] },
        'Check the firewall',
        'warning',
        /a group policy ignores rules of the host \(Domain, Public\): have the port of the reader \(reader_port\) opened by policy, or manage the host by SSH/,
      ],
      [
        'an execution policy by group policy',
        { executionPolicy: 'Restricted' },
        'Check policies for scripts',
        'warning',
        /a group policy sets the execution policy Restricted.*"Turn on Script Execution"/,
      ],
      [
        'an execution policy that asks for signatures',
        { executionPolicy: 'AllSigned' },
        'Check policies for scripts',
        'warning',
        /a group policy sets the execution policy AllSigned/,
      ],
      [
        'AppLocker rules for scripts',
        { appLocker: ['Exe', 'Script'] },
        'Check policies for scripts',
        'warning',
        /AppLocker restricts scripts: the account needs a rule that allows PowerShell in full language mode/,
      ],
      [
        'both',
        { appLocker: 'Script', executionPolicy: 'Restricted' },
        'Check policies for scripts',
        'warning',
        /execution policy Restricted.*AppLocker restricts scripts/,
      ],
      [
        'AppLocker rules for programs alone',
        { appLocker: ['Exe'] },
        'Check policies for scripts',
        'passed',
        /no AppLocker rules for scripts/,
      ],
      [
        'an account without administrator rights',
        { isAdministrator: false, isHyperVAdministrator: true },
        'Check groups',
        'warning',
        /no administrator of the host, which the reader of disks needs: add it to Administrators, or use the RCT service/,
      ],
      [
        'no Hyper-V',
        { hasService: false },
        'Find Hyper-V',
        'failed',
        /root\\virtualization\\v2 is not there or not readable: install the Hyper-V role, and add the account to Hyper-V Administrators/,
      ],
      ['no module', { hasModule: false }, 'Find Hyper-V', 'failed', /Install-WindowsFeature Hyper-V-PowerShell/],
      [
        'Windows before 2016',
        { build: 9600, system: 'Microsoft Windows Server 2012 R2' },
        'Find Hyper-V',
        'failed',
        /2012 R2 \(build 9600\) does not track changes: Windows Server 2016 or later is needed/,
      ],
      [
        'a clock that is wrong',
        { time: new Date(0).toISOString() },
        'Compare clocks',
        'warning',
        /the clock of the host differs by \d+ s/,
      ],
    ] as const)('names %s, and what to do', async (_what, facts, name, outcome, evidence) => {
      await start({ reader: true });
      Object.assign(lab.rig.world.hostFacts, facts);
      expect(await step(name)).toMatchObject({ outcome, evidence: expect.stringMatching(evidence) as string });
    });

    it('asks of an account that reads by the RCT service to be a Hyper-V administrator only', async () => {
      await start();
      Object.assign(lab.rig.world.hostFacts, { isAdministrator: false, isHyperVAdministrator: true });
      expect(await step('Check groups')).toMatchObject({ outcome: 'passed' });
      lab.rig.world.hostFacts['isHyperVAdministrator'] = false;
      expect(await step('Check groups', open({}))).toMatchObject({
        outcome: 'warning',
        evidence: expect.stringContaining('neither Administrators nor Hyper-V Administrators') as string,
      });
      // It opens no port for that.
      expect(await step('Check the firewall')).toBeUndefined();
      expect(
        (lab.platform.policy?.() ?? [])
          .filter(({ isEssential }) => isEssential)
          .flatMap(({ privileges }) => privileges),
      ).toEqual([
        'BUILTIN\\Remote Management Users',
        `TCP ${lab.rig.hosts[0]?.port} (WinRM over HTTPS) from this computer`,
        'BUILTIN\\Hyper-V Administrators',
        'BUILTIN\\Event Log Readers',
        'the key of the service (rct_password)',
        `TCP ${lab.rig.rct.port} from this computer`,
      ]);
    });

    it('names PowerShell in constrained language mode, an account that sees no VM, and one that may not read the event log', async () => {
      await start({ reader: true });
      lab.rig.world.history.set('127.0.0.1', { problem: 'Attempted to perform an unauthorized operation.' });
      expect(await step('Read the event log')).toMatchObject({
        outcome: 'warning',
        evidence: expect.stringMatching(
          /Attempted to perform an unauthorized operation.*Add the account to Event Log Readers/,
        ) as string,
      });
      const vms = lab.rig.world.vms.splice(0);
      expect(await step('List VMs')).toMatchObject({
        outcome: 'warning',
        evidence: expect.stringContaining('may lack membership in Hyper-V Administrators') as string,
      });
      lab.rig.world.vms.push(...vms);
      lab.rig.world.languageMode = 'ConstrainedLanguage';
      const [first, rest, ...none] = await steps(open({}));
      expect(first).toMatchObject({
        outcome: 'failed',
        code: 'source.host-restricted',
        evidence: expect.stringMatching(/ConstrainedLanguage mode.*allow full language mode for the account/) as string,
      });
      expect([rest?.outcome, none]).toEqual(['skipped', []]);
    });

    it('looks at each node of a cluster, and names those that something is missing on', async () => {
      await start({ reader: true, nodes: ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'] });
      const { world } = lab.rig;
      world.clusterName = 'CL1';
      expect((await steps()).filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
      expect(await step('Read disks', open({}))).toMatchObject({
        evidence: expect.stringMatching(/runs on 127\.0\.0\.1 .*; .*runs on 127\.0\.0\.4 /) as string,
      });
      for (const node of ['127.0.0.2', '127.0.0.3'])
        world.nodeFacts.set(node, { isAdministrator: false, firewall: ['Domain'], appLocker: ['Script'] });
      world.nodeFacts.set('127.0.0.3', {
        ...world.nodeFacts.get('127.0.0.3'),
        hasModule: false,
        time: new Date(0).toISOString(),
      });
      world.history.set('127.0.0.2', { problem: 'Attempted to perform an unauthorized operation.' });
      world.restrictedNodes.add('127.0.0.4');
      const found = new Map((await steps(open({}))).map((one) => [one.name, one]));
      for (const [name, evidence] of [
        ['Check policies for scripts', /^127\.0\.0\.2, 127\.0\.0\.3: AppLocker restricts scripts/],
        ['Find Hyper-V', /^127\.0\.0\.3: the PowerShell module Hyper-V is not installed/],
        ['Check groups', /^127\.0\.0\.2, 127\.0\.0\.3: the account is no administrator/],
        ['List VMs', /node 127\.0\.0\.4 cannot be managed, .* ConstrainedLanguage mode/],
        ['Check the firewall', /^127\.0\.0\.2, 127\.0\.0\.3: a group policy ignores rules of the host \(Domain\)/],
        ['Read the event log', /^127\.0\.0\.2: whether the host lost power/],
        ['Compare clocks', /^127\.0\.0\.3: the clock of the host differs/],
      ] as const)
        expect(found.get(name), name).toMatchObject({
          outcome: 'warning',
          evidence: expect.stringMatching(evidence) as string,
        });
      expect(await lab.leftovers()).toEqual([]);
    });

    it('names a missing WinRM listener or SSH server with its port, a wrong password, and an account that may not use WinRM', async () => {
      await start();
      const port = await closedPort();
      expect(await steps(open({ port }))).toMatchObject([
        {
          outcome: 'failed',
          code: 'source.unreachable',
          evidence: expect.stringContaining(
            `a WinRM listener with HTTPS, and TCP ${port} open for this computer`,
          ) as string,
        },
        { outcome: 'skipped' },
      ]);
      const { hostKey } = await sshServer();
      expect(await steps(open({ management: 'ssh', ssh_port: port, ssh_host_keys: [hostKey] }))).toMatchObject([
        {
          outcome: 'failed',
          code: 'source.unreachable',
          evidence: expect.stringContaining(`the OpenSSH server, with TCP ${port} open for this computer`) as string,
        },
        { outcome: 'skipped' },
      ]);
      expect(await steps(open({ password: 'wrong' }))).toMatchObject([
        { outcome: 'failed', code: 'source.login-refused' },
        { outcome: 'skipped' },
      ]);
      lab.rig.hosts[0]?.deny(true);
      expect(await steps(open({}))).toMatchObject([
        {
          outcome: 'failed',
          code: 'source.login-refused',
          evidence: expect.stringContaining('in Administrators or Remote Management Users of the host') as string,
        },
        { outcome: 'skipped' },
      ]);
      lab.rig.hosts[0]?.deny(false);
      expect(await steps(open({ username: 'nobody' }))).toMatchObject([
        { outcome: 'failed', code: 'source.login-refused' },
        { outcome: 'skipped' },
      ]);
    });

    it('warns of a certificate that is not verified, and not of one that is pinned', async () => {
      await start({ connection: { allow_untrusted: true } });
      expect(await step('Verify certificates')).toBeUndefined();
      expect(await step('Verify certificates', open({ certificate_sha256: undefined }))).toMatchObject({
        outcome: 'warning',
        evidence: expect.stringContaining('NOT verified') as string,
      });
    });
  });

  it('signs in as authentication says, and in no other way', async () => {
    await start();
    const host = () => lab.rig.hosts[0];
    const first = async (platform: SourcePlatform): Promise<CheckStep | undefined> => (await steps(platform))[0];
    for (const authentication of ['auto', 'ntlm'] as const)
      expect(await first(open({ authentication }))).toMatchObject({ outcome: 'passed' });
    expect([...(host()?.schemes ?? [])]).toEqual(['Negotiate']);
    expect(await first(open({ authentication: 'basic' }))).toMatchObject({
      outcome: 'failed',
      code: 'source.login-refused',
    });
    for (const close of closing.splice(0)) await close();
    await lab.close();
    await start({ authentication: 'basic' });
    expect(await first(open({ authentication: 'ntlm' }))).toMatchObject({
      outcome: 'failed',
      code: 'source.login-refused',
    });
    expect(host()?.schemes.has('Basic')).toBe(false);
    expect(await first(open({ authentication: 'basic' }))).toMatchObject({ outcome: 'passed' });
    expect(host()?.schemes.has('Basic')).toBe(true);
  });

  it('reads by the way that disk_access says; of auto, by the RCT service where its password is set', async () => {
    await start({ reader: true });
    await lab.write(0, 0, MIB, 0x61);
    const rct = { rct_port: lab.rig.rct.port, rct_password: lab.rig.rct.key };
    const ways: readonly (readonly [Partial<HypervConnection>, 'service' | 'reader'])[] = [
      [{ ...rct, disk_access: 'auto' }, 'service'],
      [{ ...rct, disk_access: undefined }, 'service'],
      [{ ...rct, disk_access: 'rct_service' }, 'service'],
      [{ ...rct, disk_access: 'reader' }, 'reader'],
      [{ disk_access: 'auto' }, 'reader'],
    ];
    for (const [connection, way] of ways) {
      const [calls, readers] = [lab.rig.calls.length, lab.rig.readers.length];
      expect((await readOnce(open(connection))).equals(Buffer.alloc(MIB, 0x61))).toBe(true);
      const byService = lab.rig.calls.slice(calls).some(({ name }) => name === 'rct content');
      expect([byService, lab.rig.readers.length - readers], JSON.stringify(connection)).toEqual(
        way === 'service' ? [true, 0] : [false, 1],
      );
    }
  });

  it('shows rct_password to the service on rct_port, and says which one was refused', async () => {
    await start();
    expect(await step('Read disks', open({ rct_password: 'another key' }))).toMatchObject({ outcome: 'warning' });
    await expect(readOnce(open({ rct_password: 'another key' }))).rejects.toMatchObject({
      code: 'source.login-refused',
      message: expect.stringContaining('rct_password') as string,
    });
    await expect(readOnce(open({ rct_port: await closedPort() }))).rejects.toMatchObject({ code: 'cloud.unreachable' });
  });

  it.each([
    ['yes', false],
    [true, false],
    ['true', false],
    [undefined, false],
    ['no', true],
    [false, true],
    ['No', true],
  ])(
    'verifies the certificate of the RCT service with verify_rct_server: %s unless that is no',
    async (value, isRead) => {
      await start();
      const reading = readOnce(lab.platform, value === undefined ? {} : { verify_rct_server: value });
      if (isRead) await expect(reading).resolves.toBeInstanceOf(Buffer);
      else await expect(reading).rejects.toMatchObject({ code: 'cloud.certificate-not-trusted' });
      expect(lab.rig.calls.some(({ name }) => name.startsWith('rct '))).toBe(isRead);
    },
  );

  it.each([
    ['yes', 2],
    [true, 2],
    ['True', 2],
    ['no', undefined],
    [false, undefined],
    [undefined, undefined],
  ])(
    'takes a crash-consistent checkpoint with fallback_to_crash_consistent_snapshots: %s only where that is yes and the guest has no integration services',
    async (value, level) => {
      await start();
      const environment = value === undefined ? {} : { fallback_to_crash_consistent_snapshots: value };
      const take = async (): Promise<number | undefined> => {
        const taken = await lab.platform.createSnapshot({ vmId: lab.vmId, tag: 'level', environment }, signal);
        const { level: asked } = lab.vm.checkpoints[0] ?? {};
        await lab.platform.discardSnapshot(taken, undefined, signal);
        return asked;
      };
      expect(await take()).toBe(1);
      lab.vm.facts.hasIntegrationServices = false;
      if (level === undefined) await expect(take()).rejects.toMatchObject({ code: 'source.guest-not-ready' });
      else expect(await take()).toBe(level);
      expect(lab.vm.checkpoints).toEqual([]);
    },
  );

  it('has the reader listen on the first free port from reader_port on', async () => {
    await start({ reader: true });
    const reader_port = await closedPort();
    const [one, other] = [open({ reader_port }), lab.nextExecution({ reader_port })];
    closing.push(() => other.close());
    const taken = await one.createSnapshot({ vmId: lab.vmId, tag: 'ports', environment: {} }, signal);
    const readers = [
      await one.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal),
      await other.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal),
    ];
    const [first, second] = lab.rig.readers.map(({ port }) => port);
    expect(first).toBe(reader_port);
    expect(second).toBeGreaterThan(reader_port);
    expect(second).toBeLessThan(reader_port + 32);
    for (const reader of readers) await reader.close();
    await other.close();
    await one.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('manages hosts by SSH on ssh_port, through jump hosts and a proxy, and sends no WinRM message then', async () => {
    await start({ reader: true });
    await lab.write(0, 0, MIB, 0x62);
    const [host, jump] = [await sshServer(), await sshServer()];
    const proxied: string[] = [];
    const proxy = createServer().on('connect', ({ url = '', headers }, socket) => {
      if (headers['proxy-authorization'] !== `Basic ${Buffer.from('me:proxy-password').toString('base64')}`)
        return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      proxied.push(url);
      const onward = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      for (const end of [socket, onward]) end.on('error', () => undefined);
      socket.once('close', () => onward.destroy());
      onward.once('close', () => socket.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    closing.unshift(() => new Promise((resolve) => proxy.close(resolve)));
    const ssh = { management: 'ssh' as const, ssh_port: host.port, ssh_host_keys: [host.hostKey] };
    const through = {
      ssh_jump_hosts: [`${lab.rig.username}@127.0.0.1:${jump.port} ${jump.hostKey}`],
      ssh_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      ssh_proxy_username: 'me',
    };
    expect(
      (await readOnce(open({ ...ssh, ...through, ssh_proxy_password: 'proxy-password' }))).equals(
        Buffer.alloc(MIB, 0x62),
      ),
    ).toBe(true);
    expect(new Set(proxied)).toEqual(new Set([`127.0.0.1:${jump.port}`]));
    expect(new Set(jump.forwarded)).toEqual(new Set([`127.0.0.1:${host.port}`]));
    expect([host.attempts() > 0, lab.rig.hosts[0]?.requests()]).toEqual([true, 0]);
    // A jump host with another key, and a proxy that refuses, keep everything from going on.
    const before = [host.attempts(), jump.attempts()];
    expect(
      await steps(
        open({
          ...ssh,
          ...through,
          ssh_jump_hosts: [`${lab.rig.username}@127.0.0.1:${jump.port} ${host.hostKey}`],
          ssh_proxy_password: 'proxy-password',
        }),
      ),
    ).toMatchObject([{ outcome: 'failed' }, { outcome: 'skipped' }]);
    expect(await steps(open({ ...ssh, ...through, ssh_proxy_password: 'wrong' }))).toMatchObject([
      { outcome: 'failed', code: 'source.unreachable' },
      { outcome: 'skipped' },
    ]);
    expect([host.attempts(), jump.attempts()]).toEqual(before);
  });
});
