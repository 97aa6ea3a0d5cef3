import { describe, expect, it, test } from 'vitest';
import { detectedScripts } from './script-detection.ts';
import { gnomeProxy, kdeProxy, macProxy, readSystemProxy, windowsProxy } from './system-proxy.ts';

const windows = (lines: string): string =>
  `\r\nHKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings\r\n    User Agent    REG_SZ    Mozilla/4.0\r\n${lines.replaceAll('\n', '\r\n')}\r\n\r\n`;
const flags = (byte: string): string =>
  `\r\nHKEY_CURRENT_USER\\…\\Connections\r\n    DefaultConnectionSettings    REG_BINARY    4600000004000000${byte}000000000000\r\n`;

test.each([
  [
    'on',
    '    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    proxy.example:8080\n    ProxyOverride    REG_SZ    *.intern.example;10.*;<local>',
    '01',
    { server: 'proxy.example:8080', exceptions: ['*.intern.example', '10.*', '<local>'], detects: false },
  ],
  [
    'off, which is when it looks for a script',
    '    ProxyEnable    REG_DWORD    0x0\n    ProxyServer    REG_SZ    proxy.example:8080',
    '09',
    { server: undefined, detects: true },
  ],
  [
    'by protocol',
    '    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    http=a.example:80;https=b.example:443',
    '03',
    { server: 'b.example:443' },
  ],
  [
    'SOCKS alone',
    '    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    socks=a.example:1080',
    '03',
    { server: 'socks5://a.example:1080' },
  ],
  [
    'by script',
    '    ProxyEnable    REG_DWORD    0x0\n    AutoConfigURL    REG_SZ    http://wpad.example/proxy.pac',
    '05',
    { script: 'http://wpad.example/proxy.pac', detects: false },
  ],
])('the proxy of Windows’ settings: %s', (_what, lines, byte, proxy) =>
  expect(windowsProxy(windows(lines), flags(byte))).toMatchObject(proxy),
);

test('the settings of a computer count for all its users where a policy says so', async () => {
  const asked: string[] = [];
  const run = async (_program: string, [, key = '']: readonly string[]): Promise<string> => {
    asked.push(key);
    if (key.includes('Policies')) return '    ProxySettingsPerUser    REG_DWORD    0x0\r\n';
    return key.endsWith('Connections')
      ? flags('03')
      : windows('    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    proxy.example:8080');
  };
  expect(await readSystemProxy('win32', run, {})).toEqual({
    server: { kind: 'http', host: 'proxy.example', port: 8080 },
    exceptions: '',
  });
  expect(asked.filter((key) => key.startsWith('HKCU'))).toEqual([]);
});

const mac = `<dictionary> {
  ExceptionsList : <array> {
    0 : *.local
    1 : 169.254/16
    2 : intern.example
  }
  ExcludeSimpleHostnames : 1
  HTTPEnable : 1
  HTTPPort : 80
  HTTPProxy : other.example
  HTTPSEnable : 1
  HTTPSPort : 8080
  HTTPSProxy : proxy.example
  ProxyAutoConfigEnable : 1
  ProxyAutoConfigURLString : https://wpad.example/proxy.pac
  ProxyAutoDiscoveryEnable : 0
  SOCKSEnable : 1
  SOCKSPort : 1080
  SOCKSProxy : socks.example
}
`;
test('the proxy of macOS’ settings', () => {
  expect(macProxy(mac)).toEqual({
    server: 'proxy.example:8080',
    exceptions: ['<local>', '*.local', '169.254/16', 'intern.example'],
    script: 'https://wpad.example/proxy.pac',
    detects: false,
  });
  expect(macProxy(mac.replace('HTTPSEnable : 1', 'HTTPSEnable : 0'))).toMatchObject({
    server: 'socks5://socks.example:1080',
  });
  expect(macProxy(mac.replaceAll('Enable : 1', 'Enable : 0'))).toMatchObject({
    server: undefined,
    script: undefined,
    detects: false,
  });
});

test('the proxy of GNOME’s settings', () => {
  const printed = (mode: string, url = ''): string =>
    `org.gnome.system.proxy mode '${mode}'\norg.gnome.system.proxy autoconfig-url '${url}'\norg.gnome.system.proxy ignore-hosts ['localhost', '127.0.0.0/8', '::1']\norg.gnome.system.proxy.https host 'proxy.example'\norg.gnome.system.proxy.https port 8080\norg.gnome.system.proxy.socks host ''\norg.gnome.system.proxy.socks port 0\n`;
  expect(gnomeProxy(printed('manual'))).toEqual({
    server: 'proxy.example:8080',
    exceptions: ['localhost', '127.0.0.0/8', '::1'],
  });
  expect(gnomeProxy(printed('auto', 'http://a.example/p'))).toEqual({ script: 'http://a.example/p' });
  expect([gnomeProxy(printed('auto')), gnomeProxy(printed('none'))]).toEqual([{ detects: true }, {}]);
});

test('the proxy of KDE’s settings', () => {
  const file = (type: number): string =>
    `[Proxy Settings]\nNoProxyFor=intern.example,.lab\nProxy Config Script=http://a.example/p\nProxyType=${type}\nhttpsProxy=http://proxy.example 8080\n`;
  expect(kdeProxy(file(1))).toEqual({ server: 'http://proxy.example:8080', exceptions: ['intern.example', '.lab'] });
  expect([kdeProxy(file(2)), kdeProxy(file(3)), kdeProxy(file(0))]).toEqual([
    { script: 'http://a.example/p' },
    { detects: true },
    {},
  ]);
});

test('what cannot be read changes nothing', async () => {
  const fails = async (): Promise<string> => Promise.reject(new Error('no such program'));
  expect(
    await Promise.all(
      (['win32', 'darwin', 'linux'] as const).map((platform) =>
        readSystemProxy(platform, fails, { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' }),
      ),
    ),
  ).toEqual([{}, {}, {}]);
  expect(await readSystemProxy('darwin', async () => mac.replace('proxy.example', '[wrong'), {})).toEqual({
    scripts: ['https://wpad.example/proxy.pac'],
  });
});

describe('a script that nobody has set', () => {
  const known =
    (...names: readonly string[]) =>
    async (name: string): Promise<boolean> =>
      names.includes(name);

  it('is at the host wpad of the own domains, never of their parents or of names that belong to nobody', async () => {
    const asked: string[] = [];
    const run = async (): Promise<string> =>
      '\r\n    DhcpDomain    REG_SZ    office.example.com\r\n    Domain    REG_SZ    \r\n    SearchList    REG_SZ    example.org,local,com\r\n';
    expect(
      await detectedScripts(
        'win32',
        run,
        { USERDNSDOMAIN: 'AD.EXAMPLE.COM' },
        async (name) => (asked.push(name), name === 'wpad.office.example.com'),
      ),
    ).toEqual(['http://wpad.office.example.com/wpad.dat']);
    expect(asked).toEqual(['wpad.ad.example.com', 'wpad.office.example.com', 'wpad.example.org']);
  });

  it('is first where the DHCP server says', async () => {
    const run = async (program: string): Promise<string> =>
      program === 'scutil' ? 'resolver #1\n  search domain[0] : example.com\n' : 'http://dhcp.example.com/p.pac\n';
    expect(await detectedScripts('darwin', run, {}, known('wpad.example.com'))).toEqual([
      'http://dhcp.example.com/p.pac',
      'http://wpad.example.com/wpad.dat',
    ]);
    expect(
      (
        await detectedScripts(
          'linux',
          async () => 'DHCP4.OPTION[12]:wpad = http://dhcp.example.com/p.pac\n',
          {},
          known(),
        )
      )[0],
    ).toBe('http://dhcp.example.com/p.pac');
  });
});
