import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWindowsCertificate } from '../../electron/engine/workers/windows-worker-user-data.ts';
import {
  morphWindowsByWinrm,
  type MorphOptions,
  type WinrmMorphRequest,
} from '../../electron/engine/osmorphing/index.ts';
import { closeAll } from '../rigs/closing.ts';
import {
  startWinrmStandIn,
  type CommandAnswer,
  type ReceivedCommand,
  type WinrmStandIn,
} from '../rigs/windows/winrm-stand-in/start.ts';

/**
 * The worker is a stand-in that speaks WinRM and pretends the scripts' answers: what is shown is the protocol, the order
 * and requests of the scripts, and what becomes of faults; the scripts themselves have run on no Windows.
 */
const opened = {
  drive: 'E:',
  device: 'disk 1 partition 2',
  uuid: '\\\\?\\Volume{1}\\',
  name: 'Windows Server 2019 Standard',
  version: [10, 0, 17763],
  server: true,
  architecture: 'AMD64',
  hostname: 'WINSRC',
  uefi: false,
  crashes: { restarts: 1, kept: false },
  services: { VMTools: 2, partmgr: 0 },
  worker: [10, 0, 20348],
  withServers: ['{22222222-2222-2222-2222-222222222222}'],
  interfaces: [
    {
      guid: '{11111111-1111-1111-1111-111111111111}',
      name: 'Backup LAN',
      suffix: 'corp.example',
      addresses: ['10.20.0.15', '10.20.0.16'],
      masks: ['255.255.255.0', '255.255.255.0'],
      gateways: ['10.20.0.1'],
      servers: ['10.20.0.2'],
    },
  ],
};

/** C: on a disk with the signature 57494e31, at 1 MiB; D: on one with GPT; T: on a disk that is gone. */
const oldPlatform = {
  pagingFiles: 'C:\\pagefile.sys 0 0',
  activation: null,
  denied: null,
  isUniversal: false,
  letters: [
    { letter: 'C:', place: '314e4957' + '0000100000000000' },
    { letter: 'D:', place: '444d494f3a49443a' + '78563412341278569abcdef012345678' },
    { letter: 'T:', place: '11111111' + '0000100000000000' },
  ],
  partitions: [
    { guid: null, signature: 0x57494e31, offset: 1 << 20 },
    { guid: '{12345678-1234-5678-9abc-def012345678}', signature: null, offset: 1 << 20 },
  ],
};

/** The card of the opened guest's interface has a fixed address of IPv6, too. */
const interfaces = {
  interfaces: {
    guid: '{11111111-1111-1111-1111-111111111111}',
    name: 'Backup LAN',
    suffix: 'corp.example',
    metric: '25',
    gatewayMetrics: null,
    servers: '10.20.0.2',
    servers6: null,
  },
  cards: [{ guid: '{11111111-1111-1111-1111-111111111111}', number: 9, kind: 6 }],
  routes: null,
  addresses: {
    name: '0000000900000600fd000000000000000000000000000005',
    value: `FFFFFFFFFFFFFFFF010000000100000040${'00'.repeat(31)}`,
  },
};

describe('a Windows guest on a Windows worker', () => {
  let worker: WinrmStandIn;
  let answers: Record<string, (request: Record<string, unknown>) => CommandAnswer | Promise<CommandAnswer>>;
  let folder: string;
  const closers: (() => void)[] = [];

  const nameOf = ({ script }: ReceivedCommand): string =>
    Object.entries(marks).find(([, mark]) => script.includes(mark))?.[0] ?? 'unknown';
  const asked = (name: string): Record<string, unknown>[] =>
    worker.commands
      .filter((each) => nameOf(each) === name)
      .map(({ input }) => JSON.parse(input.toString()) as Record<string, unknown>);
  const line = (answer: object): CommandAnswer => ({ stdout: `${JSON.stringify(answer)}\r\n` });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-winrm-'));
    answers = {
      'open-guest': () => line(opened),
      'add-drivers': () => line({ added: ['viostor for 2k19', 'NetKVM for 2k19'], laidDown: ['qemu-ga-x86_64.msi'] }),
      'ensure-loader': () =>
        line({
          copied: ['EFI\\Boot\\bootx64.efi'],
          failed: ['the EFI system partition of disk 2 cannot be prepared: it is full'],
        }),
      'read-old-platform': () => line(oldPlatform),
      'read-interfaces': () => line(interfaces),
      'lay-down-package': () => line({ laidDown: true, why: '' }),
      'install-agent': () =>
        line({
          set: [
            { key: 'ControlSet001\\Services\\cloudbase-init', name: 'Start', before: null, after: '2' },
            { key: 'ControlSet001\\Services\\VMTools', name: 'Start', before: '2', after: '4' },
          ],
        }),
      'write-files': ({ files }) =>
        line({ changed: (files as { path: string }[]).map(({ path }) => ({ path, existed: false })) }),
      'run-script': () => line({ exitCode: 0, output: 'done\r\n' }),
      'close-guest': () => line({ closed: true }),
    };
    worker = await startWinrmStandIn((command) => {
      const name = nameOf(command);
      if (name === 'upload')
        return {
          stdout: createHash('sha256')
            .update(
              Buffer.concat(
                command.input
                  .toString()
                  .trim()
                  .split('\n')
                  .map((each) => Buffer.from(each, 'base64')),
              ),
            )
            .digest('hex'),
        };
      return (
        answers[name]?.(JSON.parse(command.input.toString()) as Record<string, unknown>) ?? {
          exitCode: 1,
          stderr: `what is ${command.script.slice(-300)}`,
        }
      );
    });
  });

  afterEach(() =>
    closeAll(
      () => worker.close(),
      ...closers.splice(0),
      () => rm(folder, { recursive: true, force: true }),
      () => expect(worker.violations).toEqual([]),
    ),
  );

  const options = (more: Partial<MorphOptions> = {}): MorphOptions => ({
    nics: [{ macAddress: 'fa:16:3e:00:00:01', addresses: ['10.20.0.15'] }],
    windows: {
      virtioDisc: { url: 'https://drivers.example/virtio.iso' },
      initAgent: { url: 'https://agent.example/agent.zip' },
    },
    ...more,
  });
  const morph = (more: Partial<WinrmMorphRequest> = {}, target: Partial<WinrmMorphRequest['target']> = {}) =>
    morphWindowsByWinrm({
      target: {
        host: '127.0.0.1',
        port: worker.port,
        username: worker.username,
        password: worker.password,
        certificateSha256: worker.certificateSha256,
        ...target,
      },
      disks: [{ serial: '11111111-2222-3333-4' }],
      options: options(),
      signal: new AbortController().signal,
      login: { deadlineMs: 1_500, loginGraceMs: 1_000 },
      ...more,
    });

  it('is prepared step by step, and its disks are let go', async () => {
    const outcome = await morph({
      options: options({
        setDhcp: false,
        scripts: { firstBoot: [{ name: 'hello', content: 'hello' }], inGuest: [{ name: 'look', content: 'dir' }] },
      }),
    });
    expect(worker.commands.map(nameOf)).toEqual([
      'open-guest',
      'run-script',
      'add-drivers',
      'read-old-platform',
      'install-agent',
      'read-interfaces',
      'write-files',
      'close-guest',
    ]);
    expect(outcome.dossier).toMatchObject({
      family: 'windows',
      version: '10.0.17763',
      architecture: 'x86_64',
      hostname: 'WINSRC',
      bootloader: 'bootmgr',
    });
    expect(asked('add-drivers')[0]).toMatchObject({
      url: 'https://drivers.example/virtio.iso',
      drive: 'E:',
      folders: ['2k19', '2k16', 'w10', '2k12R2', '2k12', '2k8R2'],
      architecture: 'amd64',
    });
    const files = (asked('write-files')[0]?.['files'] ?? []) as { path: string; content: string }[];
    expect(files.map(({ path }) => path)).toEqual(
      [
        'conf\\cloudbase-init.conf',
        'FirstBoot\\10-causeway-network.ps1',
        'FirstBoot\\29-causeway-crashes.ps1',
        'FirstBoot\\05-causeway-drivers.ps1',
        'FirstBoot\\08-causeway-old-cards.ps1',
        'FirstBoot\\25-causeway-clock.ps1',
        'FirstBoot\\20-causeway-source-tools.ps1',
        'FirstBoot\\50-00-hello.ps1',
        'LocalScripts\\00-causeway.ps1',
      ].map((path) => `Cloudbase-Init\\${path}`),
    );
    const network = Buffer.from(files[1]?.content ?? '', 'base64').toString();
    expect(network).toContain('"mac": "FA:16:3E:00:00:01"');
    expect(network).toContain('"10.20.0.16"');
    expect(network).toContain('"name": "Backup LAN"');
    expect(network).toContain('"suffix": "corp.example"');
    expect(network).toContain('"address": "fd00::5"');
    expect(network).toContain('"metric": "25"');
    const values = asked('install-agent')[0]?.['values'] as { key: string }[];
    expect(values.filter(({ key }) => /^vio/.test(key))).toMatchObject(
      ['viostor', 'vioscsi'].flatMap((key) => [
        { key, name: 'Start', value: 0, onlyIfThere: true },
        { key: `${key}\\StartOverride`, isEvery: true, value: 0, onlyIfThere: true },
      ]),
    );
    expect(outcome.diff.services).toEqual({ enabled: ['cloudbase-init'], disabled: ['VMTools'] });
    expect(outcome.diff.registry?.changed).toEqual({
      'SYSTEM\\ControlSet001\\Services\\VMTools Start': { before: '2', after: '4' },
    });
    expect(worker.actions.filter((action) => action === 'Delete')).toHaveLength(1);
    expect(worker.openShells()).toBe(0);
  });

  it('gets no VirtIO on its way to Hyper-V, where disks have LUNs alone: its own drivers start, and it can be reached', async () => {
    answers['open-guest'] = () =>
      line({ ...opened, services: { ...opened.services, vmbus: 3, storvsc: 3, netvsc: 3, WindowsAzureGuestAgent: 2 } });
    const disks = [
      { lun: 3, sizeBytes: 2 ** 30 },
      { lun: 0, sizeBytes: 2 ** 31 },
    ];
    const outcome = await morph({
      disks,
      options: {
        nics: [],
        hypervisor: 'hyperv',
        windows: {
          initAgent: { url: 'https://agent.example/agent.zip' },
          virtioDisc: { url: 'https://drivers.example/none.iso' },
        },
      },
    });
    expect(asked('open-guest')[0]).toMatchObject({ disks });
    expect(asked('close-guest')[0]).toEqual({ disks });
    expect(asked('add-drivers')).toEqual([]);
    const [drivers, agent] = asked('install-agent');
    expect(drivers).toMatchObject({
      agent: null,
      openRemoteDesktop: true,
      values: [
        ...['vmbus', 'storvsc', 'storflt'].flatMap((key) => [
          { key, name: 'Start', value: 0, onlyIfThere: true },
          { key: `${key}\\StartOverride`, isEvery: true, value: 0, onlyIfThere: true },
        ]),
        { key: 'netvsc', value: 3 },
      ],
    });
    const stopped = (agent?.['values'] as { key: string; value: unknown }[])
      .filter(({ value }) => value === 4)
      .map(({ key }) => key);
    expect(stopped).toContain('VMTools');
    expect(stopped).not.toContain('WindowsAzureGuestAgent');
    const files = (asked('write-files')[0]?.['files'] ?? []) as { path: string }[];
    expect(files.map(({ path }) => path)).toContain('Cloudbase-Init\\FirstBoot\\30-causeway-serial-console.ps1');
    expect(outcome.steps.map(({ title }) => title)).toContain('Start the drivers of Hyper-V');

    answers['open-guest'] = () => line({ ...opened, services: { partmgr: 0 } });
    await expect(morph({ disks, options: { nics: [], hypervisor: 'hyperv' } })).rejects.toMatchObject({
      code: 'osmorphing.drivers-missing',
    });
  });

  it('is rid of what its old platform put in front of its disks, stops at blue screens until it has started, and lets somebody in', async () => {
    const buses = 'Control\\Class\\{4d36e97d-e325-11ce-bfc1-08002be10318}';
    answers['open-guest'] = () =>
      line({
        ...opened,
        uefi: true,
        wasPrivate: true,
        isRegistered: true,
        services: { ...opened.services, XENPCI: 0, prl_boot: 4, AmazonSSMAgent: 2 },
        filters: [
          { key: buses, name: 'UpperFilters', values: ['XENFILT', 'partmgr'] },
          { key: buses, name: 'LowerFilters', values: 'prl_strg' },
          { key: 'Control\\Class\\{0}', name: 'UpperFilters', values: ['kbdclass'] },
        ],
      });
    answers['add-drivers'] = () =>
      line({ added: ['viostor for 2k19'], doubts: ['the guest would not load the driver Balloon'] });
    answers['ensure-loader'] = () =>
      line({
        copied: ['EFI\\Boot\\bootx64.efi'],
        shown: true,
        failed: ['the EFI system partition of disk 2 cannot be prepared: it is full'],
      });
    const outcome = await morph();
    expect(worker.commands.map(nameOf)).toEqual([
      'open-guest',
      'add-drivers',
      'ensure-loader',
      'read-old-platform',
      'install-agent',
      'write-files',
      'close-guest',
    ]);
    expect(asked('add-drivers')[0]).toMatchObject({ storage: ['viostor', 'vioscsi'], needsUpdate: false });
    expect(asked('ensure-loader')[0]).toEqual({ disks: [{ serial: '11111111-2222-3333-4' }], architecture: 'AMD64' });
    const values = asked('install-agent')[0]?.['values'] as { key: string }[];
    expect(values.filter(({ key }) => /^Control|^XENPCI|^prl_boot|^AmazonSSM/.test(key))).toEqual([
      { key: 'XENPCI', name: 'Start', type: 'DWord', value: 4, onlyIfThere: true },
      { key: buses, name: 'UpperFilters', type: 'MultiString', value: ['partmgr'], onlyIfThere: true },
      { key: buses, name: 'LowerFilters', type: 'MultiString', value: [], onlyIfThere: true },
      { key: 'Control\\CrashControl', name: 'CausewayAutoReboot', type: 'DWord', value: 1 },
      { key: 'Control\\CrashControl', name: 'AutoReboot', type: 'DWord', value: 0 },
    ]);
    const files = (asked('write-files')[0]?.['files'] ?? []) as { path: string; content: string }[];
    expect(files.map(({ path }) => path.slice(path.lastIndexOf('\\') + 1))).toEqual(
      expect.arrayContaining(['15-causeway-network-profile.ps1', '29-causeway-crashes.ps1']),
    );
    expect(outcome.steps.find(({ step }) => step === 'ensure-efi-loader')).toMatchObject({
      changed: true,
      notes: ['copied the boot loader of Windows to EFI\\Boot\\bootx64.efi', 'Windows shows its start on the screen'],
    });
    expect(outcome.warnings).toEqual([
      'the guest would not load the driver Balloon',
      'the EFI system partition of disk 2 cannot be prepared: it is full',
    ]);
  });

  it('is rid of what its old platform alone has: a disk with the page file, a server for activation', async () => {
    answers['open-guest'] = () => line({ ...opened, services: { ...opened.services, CSAgent: 1 } });
    answers['read-old-platform'] = () =>
      line({
        ...oldPlatform,
        pagingFiles: ['T:\\pagefile.sys 0 0'],
        activation: { key: 'Microsoft\\P', server: 'azkms.core.windows.net' },
      });
    const removed = {
      hive: 'SOFTWARE',
      key: 'Microsoft\\P',
      name: 'KeyManagementServiceName',
      before: 'azkms.core.windows.net',
      after: null,
    };
    answers['install-agent'] = ({ agent }) =>
      line({
        set:
          agent === null
            ? [removed]
            : [
                { hive: 'SYSTEM', key: 'ControlSet001\\Services\\VMTools', name: 'Start', before: '2', after: '4' },
                { hive: 'SYSTEM', key: 'ControlSet002\\Services\\VMTools', name: 'Start', before: '3', after: '4' },
              ],
      });
    const outcome = await morph();
    expect(asked('read-old-platform')[0]).toEqual({
      drive: 'E:',
      disks: [{ serial: '11111111-2222-3333-4' }],
      denials: ['DenyUnspecified', 'DenyDeviceIDs', 'DenyDeviceClasses'],
    });
    expect(asked('install-agent')[0]).toEqual({
      drive: 'E:',
      agent: null,
      values: [
        {
          key: 'Control\\Session Manager\\Memory Management',
          name: 'PagingFiles',
          type: 'MultiString',
          value: ['C:\\pagefile.sys 0 0'],
        },
        { hive: 'SOFTWARE', key: 'Microsoft\\P', name: 'KeyManagementServiceName', isRemoved: true },
      ],
    });
    expect(outcome.steps.find(({ step }) => step === 'settle-old-platform')?.notes).toHaveLength(2);
    expect(outcome.warnings.map((each) => each.split(' ').slice(0, 3).join(' '))).toEqual([
      'Windows was activated',
      'CrowdStrike Falcon may',
    ]);
    expect(outcome.diff.registry).toEqual({
      added: {},
      removed: { 'SOFTWARE\\Microsoft\\P KeyManagementServiceName': 'azkms.core.windows.net' },
      changed: {
        'SYSTEM\\ControlSet001\\Services\\VMTools Start': { before: '2', after: '4' },
        'SYSTEM\\ControlSet002\\Services\\VMTools Start': { before: '3', after: '4' },
      },
    });
    expect(outcome.diff.services).toEqual({ enabled: [], disabled: ['VMTools'] });
  });

  it("gets the destination's agent if that is an installer of Windows, and goes on without it", async () => {
    const files = (): string[] =>
      (asked('write-files').at(-1)?.['files'] as { path: string }[]).map(({ path }) => path);
    const script = 'Cloudbase-Init\\FirstBoot\\28-causeway-packages.ps1';
    const agent = { url: 'https://agents.example/a.msi?token=x', sha256: 'ab'.repeat(32) };
    expect((await morph({ options: options({ agent }) })).warnings).toEqual([]);
    expect(asked('lay-down-package')).toEqual([
      { ...agent, drive: 'E:', target: 'Cloudbase-Init\\FirstBoot\\packages\\platform-agent.msi' },
    ]);
    expect(files()).toContain(script);
    answers['lay-down-package'] = () => line({ laidDown: false, why: 'it is no installer of Windows' });
    expect((await morph({ options: options({ agent }) })).warnings).toEqual([
      "the destination's agent is not installed: it is no installer of Windows",
    ]);
    expect(files()).not.toContain(script);
    await morph({ options: options({ agent: { url: 'https://agents.example/a.deb' } }) });
    expect(asked('lay-down-package')).toHaveLength(2);
    const none = await morph({
      options: options({
        agent,
        cloudInit: 'if-possible',
        windows: { virtioDisc: { url: 'https://drivers.example/virtio.iso' } },
      }),
    });
    expect(none.warnings).toContain(
      "nothing would install the destination's agent at the first boot: install it by hand",
    );
  });

  it('keeps what belongs to its new platform, and its own setting for blue screens', async () => {
    answers['open-guest'] = () =>
      line({
        ...opened,
        services: { partmgr: 0, xenpci: 0, xenagent: 2, VMTools: 2 },
        crashes: { restarts: 0, kept: false },
        filters: [{ key: 'Control\\Class\\{0}', name: 'UpperFilters', values: ['xenfilt'] }],
      });
    await morph({ options: options({ diskBuses: ['xen'] }) });
    const values = asked('install-agent')[0]?.['values'] as { key: string }[];
    expect(values.filter(({ key }) => /^Control|^xen/i.test(key))).toEqual([]);
    const files = (asked('write-files')[0]?.['files'] ?? []) as { path: string; content: string }[];
    expect(files.map(({ path }) => path)).not.toContain('Cloudbase-Init\\FirstBoot\\29-causeway-crashes.ps1');
    const uninstaller = files.find(({ path }) => path.endsWith('20-causeway-source-tools.ps1'));
    expect(Buffer.from(uninstaller?.content ?? '', 'base64').toString()).toContain("$staying = '^(Citrix|XenServer) '");
  });

  it('asks by DHCP on every interface, unless it keeps its addresses', async () => {
    const tcpip = 'Tcpip\\Parameters\\Interfaces\\';
    const values = (): unknown[] =>
      (asked('install-agent').at(-1)?.['values'] as { key: string }[]).filter(({ key }) => key.startsWith(tcpip));
    await morph();
    const fixed = `${tcpip}{11111111-1111-1111-1111-111111111111}`;
    expect(values()).toEqual([
      { key: fixed, name: 'EnableDHCP', type: 'DWord', value: 1, onlyIfThere: true },
      { key: fixed, name: 'NameServer', type: 'String', value: '', onlyIfThere: true },
      {
        key: `${tcpip}{22222222-2222-2222-2222-222222222222}`,
        name: 'NameServer',
        type: 'String',
        value: '',
        onlyIfThere: true,
      },
    ]);
    const kept = await morph({ options: options({ setDhcp: false }) });
    expect(values()).toEqual([]);
    expect(kept.fixedAddresses).toEqual([{ macAddress: 'fa:16:3e:00:00:01', addresses: ['10.20.0.15', '10.20.0.16'] }]);
  });

  it('gets files of this machine in pieces that fit into messages, and whole', async () => {
    const archive = join(folder, 'agent.zip');
    const bytes = Buffer.alloc(1_500_000, 'Cloudbase');
    await writeFile(archive, bytes);
    await morph({
      options: options({
        windows: { virtioDisc: { url: 'https://drivers.example/virtio.iso' }, initAgent: { file: archive } },
      }),
    });
    const upload = worker.commands.find((each) => nameOf(each) === 'upload');
    const arrived = Buffer.concat(
      (upload?.input.toString() ?? '')
        .trim()
        .split('\n')
        .map((each) => Buffer.from(each, 'base64')),
    );
    expect(arrived.equals(bytes)).toBe(true);
    expect(asked('install-agent')[0]).toMatchObject({ agent: { path: 'C:\\Windows\\Temp\\causeway-init-agent.zip' } });
  });

  it('is not touched with a wrong password', async () => {
    await expect(morph({}, { password: 'wrong' })).rejects.toMatchObject({ code: 'transport.login-refused' });
    expect(worker.actions).toEqual([]);
  });

  it('gets no byte, the password least of all, when its certificate is not the one that was made for it', async () => {
    const other = await createWindowsCertificate();
    let connections = 0;
    let received = 0;
    // In TLS 1.2 the server has finished its handshake before the client has: it would get whatever the client sends next.
    const impostor = createTlsServer({ key: other.keyPem, cert: other.certPem, maxVersion: 'TLSv1.2' }, (socket) => {
      connections += 1;
      socket.on('error', () => undefined).on('data', (bytes: Buffer) => (received += bytes.length));
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    try {
      await expect(
        morph(
          { login: { deadlineMs: 60_000, loginGraceMs: 1_500 } },
          { port: (impostor.address() as AddressInfo).port },
        ),
      ).rejects.toMatchObject({ code: 'transport.certificate-mismatch' });
    } finally {
      impostor.close();
    }
    expect(connections).toBeGreaterThan(1);
    expect(received).toBe(0);
    expect(worker.requests()).toBe(0);
  });

  it('is found although another listener of its image answers first', async () => {
    const other = await createWindowsCertificate();
    const image = createTlsServer(
      { key: other.keyPem, cert: other.certPem, maxVersion: 'TLSv1.2' },
      (socket) => void socket.on('error', () => undefined),
    );
    await new Promise<void>((resolve) => image.listen(0, '127.0.0.1', resolve));
    const { port } = image.address() as AddressInfo;
    image.once('secureConnection', () => {
      image.close();
      const forward = createServer(
        (socket) =>
          void socket
            .pipe(connect(worker.port, '127.0.0.1'))
            .on('error', () => undefined)
            .pipe(socket)
            .on('error', () => undefined),
      );
      image.once('close', () => forward.listen(port, '127.0.0.1'));
      closers.push(() => void forward.close());
    });
    await expect(morph({ login: { deadlineMs: 60_000, loginGraceMs: 60_000 } }, { port })).resolves.toMatchObject({
      dossier: { hostname: 'WINSRC' },
    });
  });

  it('cannot make the engine read without end', async () => {
    answers['open-guest'] = () => ({ stdout: 'x'.repeat(5_000_000) });
    await expect(morph()).rejects.toMatchObject({
      code: 'transport.winrm-protocol',
      message: expect.stringContaining('more than') as string,
    });
  });

  it("is let go when a script fails, with the script's words", async () => {
    answers['add-drivers'] = () => ({
      exitCode: 1,
      stderr: '#< CLIXML\r\n<Objs><S S="Error">the image is locked_x000D__x000A_</S></Objs>',
    });
    await expect(morph()).rejects.toMatchObject({
      code: 'osmorphing.command-failed',
      message: expect.stringContaining('the image is locked') as string,
    });
    expect(worker.commands.map(nameOf)).toEqual(['open-guest', 'add-drivers', 'close-guest']);
    expect(worker.openShells()).toBe(0);
  });

  it("is refused with the script's own reason", async () => {
    answers['open-guest'] = () => ({
      ...line({ error: { code: 'osmorphing.hibernated', message: 'E: holds a hibernated Windows' } }),
      exitCode: 3,
    });
    await expect(morph()).rejects.toMatchObject({ code: 'osmorphing.hibernated' });
    answers['open-guest'] = () => line({ ...opened, version: [10, 0, 26100] });
    await expect(morph()).rejects.toMatchObject({
      code: 'osmorphing.not-supported',
      message: expect.stringContaining('older than the guest') as string,
    });
    expect(worker.openShells()).toBe(0);
  });

  it.each(['Command', 'Send', 'Receive'])('fails as lost when the link is cut at %s', async (action) => {
    worker.cutAt(action);
    await expect(morph()).rejects.toMatchObject({ code: 'transport.lost', retryable: true });
  });

  it('stops a script when it is cancelled, and lets the disks go', async () => {
    const cancel = new AbortController();
    answers['add-drivers'] = () => {
      cancel.abort(new Error('stopped by hand'));
      return new Promise<CommandAnswer>((resolve) => setTimeout(() => resolve(line({ added: [] })), 300).unref());
    };
    await expect(morph({ signal: cancel.signal })).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(worker.actions).toContain('Signal');
    expect(asked('close-guest')).toHaveLength(1);
    expect(worker.openShells()).toBe(0);
  });
});

/** A line that only this script has. */
const marks: Readonly<Record<string, string>> = {
  'open-guest': 'finds its Windows',
  'add-drivers': 'has DISM add',
  'install-agent': 'Unpacks the guest initialization agent',
  'write-files': 'Writes text files into the guest',
  'read-interfaces': 'has of its network interfaces',
  'read-old-platform': 'means something on its old platform',
  'lay-down-package': 'Lays an installer down',
  'ensure-loader': 'Copies the boot loader of Windows',
  'run-script': 'Runs a script of the user',
  'close-guest': 'Lets go of everything',
  upload: '[IO.File]::Create(',
};
