import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discFolders } from './disc-folders.ts';
import { initAgentConfiguration } from './init-agent.ts';
import { powershellFile } from './powershell-files.ts';
import { cloudServers, denials, guards, oldPlatformSchema, settleOldPlatform } from './old-platform.ts';
import {
  emulatedDiskServices,
  emulatedDiskValues,
  hasSourceServices,
  hybridServices,
  registryValues,
  sourceDrivers,
  sourceFilters,
  sourceServices,
  stayingTools,
  usbDoubt,
  withoutSourceDrivers,
} from './service-values.ts';
import { ipv6Settings, type RegistryInterfaces } from './ipv6-settings.ts';
import { fixedInterfaces, staticCards } from './static-network.ts';
import { windowsMaterial, windowsModeOf } from './windows-mode.ts';
import { quoted } from '../../transport/winrm/winrm-connection.ts';
import {
  attribute,
  bodyOf,
  child,
  createShell,
  envelope,
  faultOf,
  outputOf,
  startCommand,
  textOf,
} from '../../transport/winrm/ws-man-messages.ts';

describe('the way to prepare a Windows guest', () => {
  it('is as asked, else by a Windows worker if there is an image for one', () => {
    expect(windowsModeOf('offline', { hasWindowsWorkerImage: true }, false)).toBe('offline');
    expect(windowsModeOf(undefined, { hasWindowsWorkerImage: true }, false)).toBe('worker');
    expect(windowsModeOf(undefined, { hasWindowsWorkerImage: false }, false)).toBe('offline');
    expect(windowsModeOf('worker', { hasWindowsWorkerImage: false }, false)).toBe('worker');
  });

  it('is offline where a volume has to be unlocked', () => {
    expect(windowsModeOf(undefined, { hasWindowsWorkerImage: true }, true)).toBe('offline');
    expect(windowsModeOf('worker', { hasWindowsWorkerImage: true }, true)).toBe('worker');
  });

  it('takes drivers and agent from files, then from the environment, then from their public places', () => {
    expect(windowsMaterial({ windowsDriversUrl: 'https://a.example/v.iso' }, { initAgent: '/agent.zip' })).toEqual({
      virtioDisc: { url: 'https://a.example/v.iso' },
      initAgent: { file: '/agent.zip' },
    });
    expect(windowsMaterial({}, {})).toMatchObject({
      virtioDisc: { url: expect.stringMatching(/virtio-win\.iso$/) as string },
      initAgent: { url: expect.stringMatching(/\.zip$/) as string },
    });
  });

  it('expects the digest that a URL ends with', () => {
    const digest = 'ab'.repeat(32);
    expect(windowsMaterial({ windowsAgentUrl: `https://a.example/a.zip#sha256=${digest}` }, {}).initAgent).toEqual({
      url: 'https://a.example/a.zip',
      sha256: digest,
    });
    expect(() => windowsMaterial({ windowsAgentUrl: 'https://a.example/a.zip#sha256=12' }, {})).toThrow(
      'is not sha256= and 64',
    );
    expect(windowsMaterial({ windowsDriversUrl: `https://a.example/v.iso#sha256=${digest}` }, {}).virtioDisc).toEqual({
      url: 'https://a.example/v.iso',
      sha256: digest,
    });
  });

  it('takes the newest folder of the disc that fits', () => {
    expect(discFolders([10, 0, 20348], true)[0]).toBe('2k22');
    expect(discFolders([10, 0, 19045], false)).toEqual(['w10', 'w8.1', 'w8', 'w7']);
    expect(discFolders([6, 0, 6002], true)).toEqual([]);
  });
});

describe("the agent's configuration", () => {
  const plugins = (wishes: Partial<Parameters<typeof initAgentConfiguration>[0]>): string =>
    /^plugins=(.*)\r$/m.exec(
      initAgentConfiguration({ retainUserCredentials: false, setDhcp: true, preserveHostname: true, ...wishes }),
    )?.[1] ?? '';

  it('leaves accounts alone when credentials are retained, and addresses when they are static', () => {
    expect(plugins({})).toContain('SetUserPasswordPlugin');
    expect(plugins({ retainUserCredentials: true })).not.toMatch(/SetUserPassword|CreateUser|SetUserSSH/);
    expect(plugins({ setDhcp: false })).not.toContain('NetworkConfigPlugin');
    expect(plugins({ preserveHostname: false })).toContain('SetHostNamePlugin');
    expect(plugins({ retainUserCredentials: true, setDhcp: false })).toMatch(/LocalScriptsPlugin$/);
  });
});

describe('what a guest brings from its old platform', () => {
  const python = readFileSync(
    join(import.meta.dirname, '../../../../assets/worker/osmorphing/causeway_osmorphing/windows/source_tools.py'),
    'utf8',
  );
  /** The names that a table of the Linux worker has, by platform. */
  const table = (name: string): Record<string, string[]> => {
    const text = new RegExp(`^${name} = \\{(.*?)\\}$`, 'ms').exec(python)?.[1] ?? '';
    return Object.fromEntries(
      [...text.matchAll(/'([^']+)': \(([^)]*)\)/g)].map(([, platform, names]) => [
        platform!,
        [...(names ?? '').matchAll(/'([^']+)'/g)].map(([, each]) => each!),
      ]),
    );
  };

  it('is the same to both ways of preparing it', () => {
    expect(table('_FILTERS')).toEqual(sourceFilters);
    expect(table('_DRIVERS')).toEqual(sourceDrivers);
    const services = table('_SERVICES');
    const unlike = (names: readonly string[]): string[] =>
      [...new Set(names.map((each) => each.toLowerCase()))].toSorted();
    expect(unlike(Object.values(services).flat())).toEqual(unlike(sourceServices));
    expect(python).toContain(`_HYBRID = (${hybridServices.map((each) => `'${each}'`).join(', ')})`);
    expect(python).toContain(`_STAYING = {'xen': '${stayingTools.xen}'}`);
    for (const [platform, own] of [
      ['hyperv', 'resource-group-cloud'],
      ['xen', 'xen'],
    ] as const) {
      const kept = sourceServices.filter(
        (each) => !registryValues(false, { platform }).some(({ key }) => key === each),
      );
      expect(unlike(kept)).toEqual(unlike(services[own] ?? []));
    }
  });

  it('leaves an agent alone that was registered for machines elsewhere', () => {
    const keys = registryValues(false, { platform: 'kvm', isRegistered: true }).map(({ key }) => key);
    expect(keys).toContain('Ec2Config');
    expect(keys).not.toContain('AmazonSSMAgent');
    expect(hasSourceServices({ AmazonSSMAgent: 2 }, { platform: 'kvm', isRegistered: true })).toBe(false);
    expect(hasSourceServices({ amazonssmagent: 2 }, { platform: 'kvm' })).toBe(true);
  });

  it('stays as it is where nothing of the source is in front of its devices', () => {
    expect(
      withoutSourceDrivers(
        [{ key: 'Control\\Class\\{0}', name: 'UpperFilters', values: ['partmgr'] }],
        { partmgr: 0, xenpci: 4 },
        'kvm',
      ),
    ).toEqual([]);
  });
});

describe('what means something on the old platform alone', () => {
  /** C: at 1 MiB of a disk with MBR, D: on one with GPT, E: beyond the first one's partitions, T: and X: on none. */
  const guid = '0d9f1e2c-1234-5678-9abc-def012345678';
  const here = {
    pagingFiles: [],
    activation: [],
    denied: [],
    isUniversal: false,
    letters: [
      { letter: 'C:', place: '314e49570000100000000000' },
      { letter: 'd:', place: '444d494f3a49443a2c1e9f0d341278569abcdef012345678' },
      { letter: 'E:', place: '314e49570000004000000000' },
      { letter: 'T:', place: '111111110000100000000000' },
      { letter: 'X:', place: '6100' },
    ],
    partitions: [
      { guid: null, signature: 0x57494e31, offset: 1 << 20 },
      { guid: `{${guid.toUpperCase()}}`, signature: null, offset: 1 << 21 },
    ],
  };
  const settled = (found: object, services = {}, datasources: readonly string[] = []) =>
    settleOldPlatform(oldPlatformSchema.parse({ ...here, ...found }), services, datasources);

  it('leaves a Windows alone that has nothing of it', () => {
    expect(
      settled(
        { pagingFiles: 'C:\\pagefile.sys 0 0', activation: { key: 'a', server: 'kms.own.example' } },
        { klif: 4 },
      ),
    ).toEqual({ values: [], notes: [], warnings: [] });
    expect(settled({ pagingFiles: null, activation: null, denied: null })).toEqual({
      values: [],
      notes: [],
      warnings: [],
    });
  });

  it.each([
    [['T:\\pagefile.sys'], ['C:\\pagefile.sys 0 0']],
    [
      ['T:\\pagefile.sys 0 0', 'D:\\pagefile.sys 1 2'],
      ['D:\\pagefile.sys 1 2', 'C:\\pagefile.sys 0 0'],
    ],
    [['?:\\pagefile.sys', 't:\\pagefile.sys 0 0'], ['?:\\pagefile.sys']],
    [['E:\\pagefile.sys'], ['C:\\pagefile.sys 0 0']],
    [['C:\\pagefile.sys 0 0', 'D:\\pagefile.sys 0 0', 'Z:\\x.sys'], undefined],
    [[], undefined],
  ])('moves the page files %j to %j', (pagingFiles, value) => {
    expect(settled({ pagingFiles }).values.map((each) => each['value'])).toEqual(value === undefined ? [] : [value]);
    // Where even the system's own letter leads nowhere, nothing is known.
    expect(settled({ pagingFiles, partitions: [] }).values).toEqual([]);
  });

  it('forgets servers for activation of clouds, and tells what is doubtful', () => {
    const { values, notes, warnings } = settled(
      {
        activation: [
          { key: 'a', server: 'KMS.core.windows.net' },
          { key: 'b', server: '169.254.169.250' },
        ],
        denied: 'DenyDeviceIDs',
        isUniversal: true,
      },
      { csagent: 1, tmcomm: 0 },
    );
    expect(values).toEqual(
      ['a', 'b'].map((key) => ({ hive: 'SOFTWARE', key, name: 'KeyManagementServiceName', isRemoved: true })),
    );
    expect(notes).toHaveLength(2);
    expect(warnings.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
      'Windows was',
      'Windows takes',
      'a policy',
      'CrowdStrike Falcon,',
    ]);
    expect(settled({ isUniversal: true }, {}, ['Azure']).warnings).toEqual([]);
  });

  it('is the same to both ways of preparing it', () => {
    const program = readFileSync(
      join(import.meta.dirname, '../../../../assets/worker/osmorphing/causeway_osmorphing/windows/old_platform.py'),
      'utf8',
    );
    expect(program).toContain(`_CLOUD_SERVERS = re.compile(r'${cloudServers.source}', re.IGNORECASE)`);
    expect(program).toContain(`_DENIALS = (${denials.map((each) => `'${each}'`).join(', ')})`);
    const table = /^_GUARDS = \{(.*?)^\}/ms.exec(program)?.[1] ?? '';
    expect(
      Object.fromEntries(
        [...table.matchAll(/'(\w+)': '([^']+)'/g)].map(([, service, product]) => [service!, product!]),
      ),
    ).toEqual(guards);
    for (const { warnings } of [
      settled({ isUniversal: true, denied: ['DenyDeviceIDs'] }, { klif: 0 }),
      settled({ activation: [{ key: 'a', server: 'kms.core.windows.net' }] }),
    ]) {
      const flat = program.replaceAll("\\'", "'").replaceAll(/'\s*\n\s*'/g, '');
      for (const each of warnings)
        expect(flat).toContain(each.replace('DenyDeviceIDs', '%s').replace(/^Kaspersky/, '%s'));
    }
  });
});

describe('disks that are no VirtIO disks', () => {
  const services = { StorAHCI: 0, atapi: 3, vmbus: 0 };
  it.each([
    [{ diskBuses: ['ide'] }, true],
    [{ diskBuses: ['virtio', 'ide'] }, true],
    [{ diskBuses: ['xen'] }, true],
    [{ hypervisor: 'hyperv' }, true],
    [{ diskBuses: ['virtio', 'scsi'] }, false],
    [{}, false],
  ])('have drivers that start at boot, with %j: %s', (destination, needed) => {
    expect(
      emulatedDiskValues(services, destination).map(
        ({ key, name, value, isEvery }) => `${String(key)} ${isEvery === true ? '*' : String(name)}=${String(value)}`,
      ),
    ).toEqual(
      needed ? ['storahci Start=0', 'storahci\\StartOverride *=0', 'atapi Start=0', 'atapi\\StartOverride *=0'] : [],
    );
  });

  it('are the same to both ways of preparing them', () => {
    const program = readFileSync(
      join(import.meta.dirname, '../../../../assets/worker/osmorphing/causeway_osmorphing/windows/emulated_disks.py'),
      'utf8',
    );
    expect(program).toContain(`SERVICES = (${emulatedDiskServices.map((each) => `'${each}'`).join(', ')})`);
    expect(program).toContain(`_USB = '${usbDoubt}'`);
  });
});

describe('fixed addresses', () => {
  const one = { addresses: ['10.0.0.1'], masks: ['255.255.0.0'], gateways: ['10.0.0.254'], servers: [] };
  it('go to the card that had them', () => {
    expect(staticCards([one], [{ macAddress: 'aa-bb', addresses: ['10.0.0.1'] }])).toEqual({
      cards: [
        {
          name: '',
          suffix: '',
          mac: 'AA:BB',
          addresses: [{ address: '10.0.0.1', mask: '255.255.0.0' }],
          gateways: ['10.0.0.254'],
          servers: [],
          metric: '',
          gatewayMetrics: [],
          addresses6: [],
          gateways6: [],
          servers6: [],
        },
      ],
      warnings: [],
    });
    expect(staticCards([one], [{ macAddress: 'aa' }]).cards).toHaveLength(1);
    const named = (name: string, suffix: string): object | undefined =>
      staticCards([{ ...one, name, suffix }], [{ macAddress: 'aa' }]).cards[0];
    expect(named('LAN (2)', 'corp.example')).toMatchObject({ name: 'LAN (2)', suffix: 'corp.example' });
    // The script takes the list apart by its signs, and reads no other letters than those of ASCII.
    for (const odd of ['a"b', 'a}b', 'a]b', 'Übertragung', 'a\nb', ''])
      expect(named(odd, odd)).toMatchObject({ name: '', suffix: '' });
    const unclear = staticCards([one], [{ macAddress: 'aa', addresses: ['10.7.7.7'] }]);
    expect([unclear.cards, unclear.warnings.length]).toEqual([[], 1]);
  });
});

describe('fixed IPv6 addresses', () => {
  const guid = '{11111111-1111-1111-1111-111111111111}';
  const local = '0000000900000600';
  const address = (text: string, { origin = 1, length = 64 } = {}): { name: string; value: string } => ({
    name: local + text,
    value: `FFFFFFFFFFFFFFFF0${origin}00000001000000${length.toString(16).toUpperCase().padStart(2, '0')}00${'FF'.repeat(28)}`,
  });
  const route = (destination: string, nextHop: string, of = local): { name: string; value: string } => ({
    name: `00000000${destination}${'00'.repeat(19)}${of}${of}${nextHop}`,
    value: '',
  });
  const found = (more: Partial<RegistryInterfaces> = {}): RegistryInterfaces => ({
    interfaces: [
      {
        guid,
        name: 'LAN',
        suffix: '',
        metric: '25',
        gatewayMetrics: ['5'],
        servers: [],
        servers6: ['fd00::53', 'odd'],
      },
    ],
    cards: [{ guid: guid.toUpperCase(), number: 9, kind: 6 }],
    addresses: [address('fd000000000000000000000000000005')],
    routes: [route('00'.repeat(17), 'fe800000000000000000000000000001')],
    ...more,
  });

  it('are read from the store that Windows has for them', () => {
    expect(ipv6Settings(found(), guid)).toEqual({
      addresses: [{ address: 'fd00::5', length: '64' }],
      gateways: ['fe80::1'],
      servers: ['fd00::53'],
      hasOtherRoutes: false,
    });
    const others = [
      address('fe80000000000000000000000000000a'),
      address('fd000000000000000000000000000006', { origin: 3 }),
      address('fd000000000000000000000000000007', { length: 0 }),
      { name: 'odd', value: '' },
      { name: `0000000800000600${'0'.repeat(31)}1`, value: '' },
    ];
    expect(ipv6Settings(found({ addresses: others }), guid).addresses).toEqual([]);
    expect(ipv6Settings(found({ cards: [] }), guid).addresses).toEqual([]);
    const routes = [
      route(`20010db8${'00'.repeat(12)}20`, 'fe800000000000000000000000000001'),
      route('00'.repeat(17), 'fe800000000000000000000000000002', '0000000800000600'),
    ];
    expect(ipv6Settings(found({ routes }), guid)).toMatchObject({ gateways: [], hasOtherRoutes: true });
  });

  it('go to the card that had them, with metrics, beside fixed ones of IPv4 or without', () => {
    const nics = [{ macAddress: 'aa', addresses: ['FD00:0::5'] }];
    expect(staticCards(fixedInterfaces([], found()), nics)).toEqual({
      warnings: [],
      cards: [
        {
          name: 'LAN',
          suffix: '',
          mac: 'AA',
          addresses: [],
          gateways: [],
          servers: [],
          metric: '25',
          gatewayMetrics: ['5'],
          addresses6: [{ address: 'fd00::5', length: '64' }],
          gateways6: ['fe80::1'],
          servers6: ['fd00::53'],
        },
      ],
    });
    const both = staticCards(
      fixedInterfaces([{ guid, addresses: ['10.0.0.1'], masks: ['255.0.0.0'], gateways: [], servers: [] }], found()),
      nics,
    ).cards;
    expect(both).toMatchObject([{ addresses: [{ address: '10.0.0.1' }], addresses6: [{ address: 'fd00::5' }] }]);
    expect(fixedInterfaces([], found({ addresses: [] }))).toEqual([]);
    expect(
      staticCards(
        fixedInterfaces([], found({ routes: [route(`20010db8${'00'.repeat(12)}20`, '00'.repeat(16))] })),
        nics,
      ).warnings,
    ).toEqual(['persistent routes of IPv6 of LAN are not set again']);
  });
});

describe('messages of Windows Remote Management', () => {
  it('carry any argument and any text as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-ascii' }).filter((text) => text.trim() === text && text !== ''),
        (text) => {
          const body = bodyOf(envelope('https://host:5986/wsman', startCommand('shell', 'program', [text])));
          expect(textOf(child(child(body, 'CommandLine'), 'Arguments'))).toBe(text);
        },
      ),
    );
    expect(envelope('https://h:1/wsman', createShell)).toContain('/ws/2004/09/transfer/Create</a:Action>');
  });

  it('tell faults from a wait for output', () => {
    const fault = (code: string): string =>
      `<E:Envelope xmlns:E="e"><E:Body><E:Fault><E:Reason><E:Text>words</E:Text></E:Reason><E:Detail><f:WSManFault xmlns:f="f" Code="${code}"/></E:Detail></E:Fault></E:Body></E:Envelope>`;
    expect(faultOf(bodyOf(fault('2150858793')))).toEqual({
      isNoOutputYet: true,
      isShellGone: false,
      isAccessDenied: false,
      words: 'words',
    });
    expect(faultOf(bodyOf(fault('5')))).toEqual({
      isNoOutputYet: false,
      isShellGone: false,
      isAccessDenied: true,
      words: 'words',
    });
    expect(faultOf(bodyOf(fault('2150858843')))).toEqual({
      isNoOutputYet: false,
      isShellGone: true,
      isAccessDenied: false,
      words: 'words',
    });
    expect(() => bodyOf('<html>')).toThrow();
  });

  it('give output of both kinds and the exit code, negative ones too', () => {
    const body = bodyOf(
      '<Envelope><Body><ReceiveResponse><Stream Name="stdout">YQ==</Stream><Stream Name="stderr">Yg==</Stream><Stream Name="stdout">Yw==</Stream><CommandState State="x/CommandState/Done"><ExitCode>4294967295</ExitCode></CommandState></ReceiveResponse></Body></Envelope>',
    );
    const { stdout, stderr, exitCode } = outputOf(body);
    expect([stdout.toString(), stderr.toString(), exitCode]).toEqual(['ac', 'b', -1]);
    expect(attribute(child(child(body, 'ReceiveResponse'), 'CommandState'), 'State')).toContain('Done');
  });

  it('hold every worker script on one command line', async () => {
    for (const name of [
      'open-guest',
      'read-interfaces',
      'add-drivers',
      'ensure-loader',
      'read-old-platform',
      'lay-down-package',
      'install-agent',
      'write-files',
      'run-script',
      'close-guest',
    ] as const) {
      const script = `${await powershellFile('worker-functions')}\n${await powershellFile(name)}`;
      expect(Buffer.from(script, 'utf16le').toString('base64').length).toBeLessThan(32_000);
    }
  });

  it('quote texts for PowerShell', () => {
    expect(quoted("it's \u2019 $x")).toBe("'it''s \u2019\u2019 $x'");
  });
});
