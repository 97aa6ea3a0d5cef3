// needs: python3
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultProgramFolder } from '../program-archive.ts';
import { discArchitectures, discDrivers, discFolders, requiredDrivers, storageDrivers } from './disc-folders.ts';
import { fixedInterfaces, staticCards, type Card, type FixedInterface } from './static-network.ts';
import { oneLine } from '../../../../shared/testing/one-line.ts';
import { ipv6Settings, type RegistryInterfaces } from './ipv6-settings.ts';
import { hypervValues, registryValues, stopAtBlueScreens, virtioDiskValues } from './service-values.ts';

/**
 * A Windows guest is prepared by the Linux worker's program (Python) or on a Windows worker (TypeScript, PowerShell), and its first boot runs the same scripts. Whatever two
 * of them have to know is held together here: the program's own values, those of TypeScript, and what is written in the scripts.
 */

const folder = defaultProgramFolder();
const scriptText = (name: string): string => readFileSync(join(folder, 'windows', `${name}.ps1`), 'utf8');
const sourceText = (name: string): string =>
  readFileSync(join(folder, 'causeway_osmorphing/windows', `${name}.py`), 'utf8');
const mineText = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8');
/** Every match's groups. */
const all = (text: string, pattern: RegExp): string[][] =>
  [...text.matchAll(pattern)].map(([, ...groups]) => groups.map((each) => each ?? ''));
const one = (text: string, pattern: RegExp): string => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`nothing matches ${String(pattern)}`);
  return found;
};
/** Texts in single quotes, in their order. */
const quotedIn = (text: string): string[] => all(text, /'([^']*)'/g).map(([each]) => each!);

/** What the Linux worker's program answers; `question` is `asked` there. */
function python<Answer>(program: string, question: unknown = null): Answer {
  const text = `import json, sys\nasked = json.load(sys.stdin)\n${program}\n`;
  const { status, stdout, stderr, error } = spawnSync('python3', ['-B', '-c', text], {
    cwd: folder,
    encoding: 'utf8',
    input: JSON.stringify(question),
    maxBuffer: 1 << 26,
  });
  if (error !== undefined) throw new Error(`python3 is needed for this test: ${error.message}`);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Answer;
}

describe('fixed addresses', () => {
  const script = scriptText('first-boot-network');

  /** What the script reads of its text, by the expressions that it has for it. */
  function cardsRead(text: string): Record<string, unknown>[] {
    const functions = all(
      script,
      /function (Get-Card(?:Text|List))\([^)]*\) \{\n\s*\[regex\]::Match\(\$Text, '([^']*)' \+ \$Name \+ '([^']*)'\)\.Groups\[1\]\.Value\n\}/g,
    );
    const reader = (name: string) => {
      const [, before, after] = functions.find(([each]) => each === name) ?? [];
      if (before === undefined) throw new Error(`the script has no ${name}`);
      return (of: string, key: string): string => new RegExp(`${before}${key}${after}`).exec(of)?.[1] ?? '';
    };
    const [textOf, listOf] = [reader('Get-CardText'), reader('Get-CardList')];
    const item = new RegExp(
      one(
        script,
        /foreach \(\$part in \[regex\]::Matches\(\(Get-CardList \$Text \$Name\), '([^']*)'\)\) \{ \$part\.Groups\[1\]\.Value \}/,
      ),
      'g',
    );
    const block = new RegExp(
      one(script, /\$cards = @\(foreach \(\$block in \[regex\]::Matches\(\$text, '([^']*)'\)/),
      'g',
    );
    const table = one(script, /\$cards = @\(foreach [^\n]*\n {2}@\{\n([\s\S]*?)\n {2}\}\n\}\)/);
    return [...text.matchAll(block)].map(
      ([card]) =>
        Object.fromEntries([
          ...all(table, /^ {4}(\w+) = Get-CardText \$block\.Value '(\w+)'$/gm).map(([to, key]) => [
            to,
            textOf(card, key!),
          ]),
          ...all(table, /^ {4}(\w+) = @\(Get-CardItem \$block\.Value '(\w+)'\)$/gm).map(([to, key]) => [
            to,
            all(listOf(card, key!), item).map(([each]) => each),
          ]),
          ...all(
            table,
            /^ {4}(\w+) = @\(foreach \(\$part in \[regex\]::Matches\(\(Get-CardList \$block\.Value '(\w+)'\), '([^']*)'\)\) \{\n(.*)\n {4}\}\)$/gm,
          ).map(([to, key, part, made]) => [
            to,
            [...listOf(card, key!).matchAll(new RegExp(part!, 'g'))].map(([each]) => {
              const named = all(made!, /(\w+) = Get-CardText \$part\.Value '(\w+)'/g);
              return named.length > 0
                ? Object.fromEntries(named.map(([name, of]) => [name, textOf(each, of!)]))
                : one(made!, /"(.*)"/).replaceAll(/\$\(Get-CardText \$part\.Value '(\w+)'\)/g, (_whole, of: string) =>
                    textOf(each, of),
                  );
            }),
          ]),
        ]) as Record<string, unknown>,
    );
  }
  /** The text that the script has when it runs: PowerShell takes the lines between the marks as they are. */
  const textIn = (made: string): string => one(made, /\$text = @'\r?\n([\s\S]*?)\r?\n'@/);
  const expected = ({ addresses6, ...card }: Card): object => ({
    ...card,
    addresses6: addresses6.map(({ address, length }) => `${address}/${length}`),
  });

  const choices = <Value>(...values: Value[]): readonly Value[] => values;
  const interfaces: FixedInterface[] = choices([], ['10.0.0.254'], ['10.0.0.254', '10.0.0.253']).flatMap((gateways) =>
    choices([], ['5'], ['0', '7']).flatMap((gatewayMetrics) =>
      choices('', '25').flatMap((metric) =>
        choices(undefined, {
          addresses: [
            { address: 'fd00::5', length: '64' },
            { address: '2001:db8::1', length: '128' },
          ],
          gateways: ['fe80::1'],
          servers: ['fd00::53', 'fd00::54'],
          hasOtherRoutes: false,
        }).flatMap((ipv6) =>
          choices([], ['10.0.0.1'], ['10.0.0.1', '10.0.0.2'])
            .filter((addresses) => addresses.length > 0 || ipv6 !== undefined)
            .map((addresses): FixedInterface => ({
              addresses,
              masks: addresses.map((_, index) => ['255.255.0.0', '255.255.255.0'][index]!),
              gateways,
              gatewayMetrics,
              metric,
              ipv6,
              servers: addresses.length === 2 ? ['10.0.0.2', '10.0.0.3'] : [],
              name: addresses.length === 1 ? 'Backup LAN (2) #1' : '',
              suffix: addresses.length === 1 ? 'corp-1.example' : '',
            })),
        ),
      ),
    ),
  );
  const lastOf = ({ addresses, ipv6 }: FixedInterface): string =>
    [...addresses, ...(ipv6?.addresses ?? []).map(({ address }) => address)][0] ?? '';
  const nic = (of: FixedInterface): { macAddress: string; addresses: string[] } => ({
    macAddress: 'fa-16-3e-00-00-0a',
    addresses: [lastOf(of)],
  });

  /** The script that each way of preparing lays down. */
  const byTypescript = (cards: readonly Card[]): string =>
    script.replace('{{cards}}', () => JSON.stringify(cards, undefined, 1)).replace(/\r?\n/g, '\r\n');
  const byPython = (
    cases: readonly { readonly interfaces: readonly FixedInterface[]; readonly nics: readonly object[] }[],
  ): string[] =>
    python<string[]>(
      `
from causeway_osmorphing.windows import network
from causeway_osmorphing.windows.ipv6_settings import NOTHING, Ipv6Interface

def interface(told):
    six = told.get('ipv6')
    ipv6 = Ipv6Interface([(one['address'], int(one['length'])) for one in six['addresses']], six['gateways'], six['servers'], False) if six else NOTHING
    return network.Interface(
        '{1}', told['name'], not told['addresses'], list(zip(told['addresses'], told['masks'])), told['gateways'], told['servers'], told['suffix'], told['metric'],
        [network._metric(int(one)) for one in told['gatewayMetrics']], ipv6)

scripts = []
for each in asked['cases']:
    network.interfaces_of = lambda _, each=each: [interface(told) for told in each['interfaces']]
    scripts.append(network.static_script(None, each['nics'], asked['template']))
json.dump(scripts, sys.stdout)`,
      { template: script, cases },
    );

  it('are all read from what either way of preparing writes', () => {
    expect(interfaces.length).toBe(90);
    const cards = interfaces.map((each) => staticCards([each], [nic(each)]).cards);
    const made = byPython(interfaces.map((each) => ({ interfaces: [each], nics: [nic(each)] })));
    for (const [index, card] of cards.entries()) {
      expect(card).toHaveLength(1);
      expect(cardsRead(textIn(byTypescript(card)))).toEqual(card.map(expected));
      expect(cardsRead(textIn(made[index]!))).toEqual(card.map(expected));
    }
  }, 60_000);

  it('are read of several cards as of one', () => {
    const [first, last] = [interfaces[0]!, { ...interfaces.at(-1)!, addresses: ['10.9.0.1'], masks: ['255.0.0.0'] }];
    const nics = [nic(first), { macAddress: 'fa:16:3e:00:00:0b', addresses: ['10.9.0.1'] }];
    const { cards } = staticCards([first, last], nics);
    expect(cards).toHaveLength(2);
    expect(cardsRead(textIn(byTypescript(cards)))).toEqual(cards.map(expected));
    expect(cardsRead(textIn(byPython([{ interfaces: [first, last], nics }])[0]!))).toEqual(cards.map(expected));
  });

  it('are set by what was read, and nothing else', () => {
    const [card] = staticCards([interfaces[0]!], [nic(interfaces[0]!)]).cards;
    const used = new Set(
      all(
        script.slice(script.indexOf('$failed = $false')) + one(script, /(function Get-GatewayMetric[\s\S]*?\n\})/),
        /\$[Cc]ard\.(\w+)/g,
      ).map(([name]) => name),
    );
    expect([...used].toSorted()).toEqual(Object.keys(card!).toSorted());
  });

  it('may have the same names for the script', () => {
    for (const [name, pattern] of [
      ['name', '_NAME'],
      ['suffix', '_SUFFIX'],
    ] as const) {
      const text = one(sourceText('network'), new RegExp(`^${pattern} = re\\.compile\\(r'(.*)\\\\Z'\\)$`, 'm'));
      expect(mineText('static-network')).toContain(`${name}: /${text}$/`);
    }
  });

  it('of IPv6 are the same to both ways of preparing, whatever the store has', () => {
    const guid = '{11111111-1111-1111-1111-111111111111}';
    const local = '0000000900000600';
    const other = '0000000A00000600';
    const addresses = [0, 1, 2, 3, 4, 5].flatMap((origin) =>
      [0, 1, 64, 128, 129].flatMap((length, index) =>
        ['FD0000000000000000000000000000', 'FE8000000000000000000000000000', '20010DB80000000000000000000000'].flatMap(
          (address) =>
            [local, other].map((of) => ({
              name: `${of}${address}${index}${origin}`,
              value: `FFFFFFFFFFFFFFFF0${origin}00000001000000${length.toString(16).toUpperCase().padStart(2, '0')}00`,
            })),
        ),
      ),
    );
    const fixed = { name: `${local}FD00000000000000000000000000000A`, value: 'FFFFFFFFFFFFFFFF01000000010000004000' };
    const routes = ['00', '01'].flatMap((destination) =>
      ['00', '40'].flatMap((length) =>
        [`FE80${'00'.repeat(13)}01`, '00'.repeat(16)].flatMap((hop) =>
          [local, other].map((of) => ({
            name: `00000000${destination}${'00'.repeat(15)}${length}${'00'.repeat(19)}${of}${of}${hop}`,
            value: '',
          })),
        ),
      ),
    );
    const odd = [
      { name: 'odd', value: '' },
      { name: `${local}FD`, value: '' },
      { name: `${local}FD${'00'.repeat(15)}`, value: 'FFFF' },
    ];
    const cases: RegistryInterfaces[] = [
      ...addresses.map((each) => ({ addresses: [each], routes: [] })),
      ...routes.map((each) => ({ addresses: [fixed], routes: [each] })),
      ...odd.map((each) => ({ addresses: [each], routes: [each] })),
      { addresses: [...addresses, ...odd], routes: [...routes, ...odd] },
    ].map((each) => ({
      ...each,
      cards: [{ guid: guid.toUpperCase(), number: 9, kind: 6 }],
      interfaces: [
        {
          guid,
          name: 'LAN',
          suffix: 'corp.example',
          metric: '25',
          gatewayMetrics: ['5', '0'],
          servers: ['10.0.0.2'],
          servers6: ['fd00::53', '10.0.0.53', 'odd'],
        },
      ],
    }));
    const told = python<
      {
        addresses: [string, number][];
        gateways: string[];
        servers: string[];
        others: boolean;
        metric: string;
        gatewayMetrics: string[];
      }[]
    >(
      `
from causeway_osmorphing.windows import network
from causeway_osmorphing.windows.hive import BINARY, DWORD, MULTI, SZ
from tests.test_windows_registry import SERVICES, Windows

answers = []
for each in asked['cases']:
    of, card = each['interfaces'][0], each['cards'][0]
    key, six = '%s\\\\Tcpip\\\\Parameters\\\\Interfaces\\\\%s' % (SERVICES, of['guid']), '%s\\\\Tcpip6\\\\Parameters\\\\Interfaces\\\\%s' % (SERVICES, of['guid'])
    top = 'ControlSet001\\\\Control\\\\Class\\\\{4D36E972-E325-11CE-BFC1-08002BE10318}\\\\0001'
    store = 'ControlSet001\\\\Control\\\\Nsi\\\\{eb004a01-9b1a-11d4-9123-0050047759bc}\\\\'
    values = {
        (key, 'EnableDHCP'): (DWORD, 0), (key, 'IPAddress'): (MULTI, ['10.0.0.1']), (key, 'SubnetMask'): (MULTI, ['255.0.0.0']), (key, 'InterfaceMetric'): (DWORD, int(of['metric'])),
        (key, 'DefaultGatewayMetric'): (MULTI, of['gatewayMetrics']), (six, 'NameServer'): (SZ, ' '.join(of['servers6'])),
        (top, 'NetCfgInstanceId'): (SZ, card['guid']), (top, 'NetLuidIndex'): (DWORD, card['number']), (top, '*IfType'): (DWORD, card['kind']),
    }
    for table, entries in (('10', each['addresses']), ('16', each['routes'])):
        values.update(((store + table, one['name']), (BINARY, bytes.fromhex(one['value']))) for one in entries)
    found = network.interfaces_of(Windows(values))[0]
    answers.append({
        'addresses': found.ipv6.addresses, 'gateways': found.ipv6.gateways, 'servers': found.ipv6.servers, 'others': found.ipv6.has_other_routes, 'metric': found.metric,
        'gatewayMetrics': [one or '0' for one in found.gateway_metrics]})
json.dump(answers, sys.stdout)`,
      { cases },
    );
    expect(told.filter((each) => each.addresses.length > 0).length).toBeGreaterThan(20);
    for (const [index, found] of cases.entries()) {
      const { addresses: mine, gateways, servers, hasOtherRoutes } = ipv6Settings(found, guid);
      const theirs = told[index]!;
      const sorted = (values: readonly string[]): readonly string[] => values.toSorted();
      expect([
        sorted(mine.map(({ address, length }) => `${address}/${length}`)),
        sorted(gateways),
        servers,
        hasOtherRoutes,
      ]).toEqual([
        sorted(theirs.addresses.map(([address, length]) => `${address}/${length}`)),
        sorted(theirs.gateways),
        theirs.servers,
        theirs.others,
      ]);
      const [card] = staticCards(
        fixedInterfaces([{ guid, addresses: ['10.0.0.1'], masks: ['255.0.0.0'], gateways: [], servers: [] }], found),
        [{ macAddress: 'aa' }],
      ).cards;
      expect([card?.metric, card?.gatewayMetrics]).toEqual([theirs.metric, theirs.gatewayMetrics]);
    }
  });
});

/** Of the Linux worker's program. */
interface Tables {
  readonly storage: string[];
  readonly others: string[];
  readonly architectures: Record<string, string>;
  readonly folders: string[][];
  readonly starts: [string, number][];
  readonly needed: string[];
  readonly rules: string[];
  readonly tests: string[];
  readonly trusted: string;
  readonly sha256: string;
  readonly sha1: string;
  readonly updates: string[];
  readonly target: string;
  readonly devicePath: string;
  readonly service: Record<string, [number, string | number]>;
  readonly loaders: Record<string, string>;
  readonly dynamic: string[];
}
const versions = [
  [6, 0, 6002],
  [6, 1, 7601],
  [6, 2, 9200],
  [6, 3, 9600],
  ...[10240, 14393, 17763, 19045, 20348, 22000, 22631, 26100, 99999].map((build) => [10, 0, build]),
] as [number, number, number][];
const asked = versions.flatMap((version) => [true, false].map((isServer) => [version, isServer] as const));
let tables: Tables;
beforeAll(() => {
  tables = python<Tables>(
    `
from causeway_osmorphing.windows import commands, drivers, efi_loader, hyperv, init_agent, installation, signature
hexed = lambda raw: bytes(raw).hex()
json.dump({
  'storage': drivers.STORAGE, 'others': drivers._OTHERS, 'architectures': installation.DISC_ARCHITECTURES, 'folders': [drivers.candidates(tuple(version), is_server) for version, is_server in asked],
  'starts': hyperv._STARTS, 'needed': hyperv._NEEDED, 'rules': hyperv._RULES, 'tests': signature._TESTS, 'trusted': signature._TRUSTED.decode(), 'sha256': hexed(signature._SHA256),
  'sha1': hexed(signature._SHA1), 'updates': signature._UPDATES, 'target': drivers.TARGET, 'devicePath': drivers._DEVICE_PATH, 'service': init_agent.service_values(), 'loaders': efi_loader._NAMES,
  'dynamic': commands._DYNAMIC,
}, sys.stdout)`,
    asked,
  );
});

describe('drivers', () => {
  const adding = scriptText('add-drivers');
  const firstBoot = scriptText('first-boot-drivers');

  it('are the same of the disc, from the same folders', () => {
    expect([...storageDrivers]).toEqual(tables.storage);
    expect([...requiredDrivers]).toEqual([...tables.storage, 'NetKVM']);
    expect(sourceText('drivers')).toContain("elif name in STORAGE or name == 'NetKVM':");
    expect([...discDrivers]).toEqual([...tables.storage, ...tables.others]);
    for (const [index, [version, isServer]] of asked.entries())
      expect(discFolders(version, isServer), `${version.join('.')} ${isServer}`).toEqual(tables.folders[index]);
    const windowsNames: Readonly<Record<string, string>> = { x86_64: 'amd64', i386: 'x86', aarch64: 'arm64' };
    expect(
      Object.fromEntries(Object.entries(tables.architectures).map(([name, on]) => [windowsNames[name], on])),
    ).toEqual(discArchitectures);
    // Where both are for the same device, the same one goes.
    const [newer = '', older = ''] =
      /if \(\$folders\['(\w+)'\]\) \{ \$folders\.Remove\('(\w+)'\) \}/.exec(adding)?.slice(1) ?? [];
    expect(sourceText('drivers')).toContain(
      `superseded = '${older}' if any(driver.name == '${newer}' for driver in found) else None`,
    );
    expect(adding.indexOf('$folders.Remove')).toBeLessThan(adding.indexOf('/ForceUnsigned'));
  });

  it('are refused for the same marks of their signature', () => {
    /** `-join [char[]](…) + '…'`, as the bytes of a catalog. */
    const bytes = (name: string): string => {
      const [list = '', more = ''] =
        new RegExp(`\\$${name} = -join \\[char\\[\\]\\]\\(([^)]*)\\)(?: \\+ '([^']*)')?`).exec(adding)?.slice(1) ?? [];
      return Buffer.concat([Buffer.from(list.split(',').map(Number)), Buffer.from(more)]).toString('hex');
    };
    expect([bytes('sha256'), bytes('sha1')]).toEqual([tables.sha256, tables.sha1]);
    const plain = one(adding, /\$text\.Contains\('([^']*)'\) -or/);
    expect([plain, Buffer.from(bytes('organization'), 'hex').toString('latin1')]).toEqual(tables.tests);
    // The certificate's name is looked for in two forms; the program does so with all of them, of which one is no name.
    expect(one(adding, /\$wide = .*BigEndianUnicode\.GetBytes\('([^']*)'\)/)).toBe(plain);
    expect(adding).toContain(
      `$isForTests = $text.Contains('${plain}') -or $text.Contains($wide) -or $text.Contains($organization)`,
    );
    expect(one(adding, /\$isForTests -and -not \$text\.Contains\('([^']*)'\)/)).toBe(tables.trusted);
    expect(adding).toContain('$request.needsUpdate -and $text.Contains($sha256) -and -not $text.Contains($sha1)');
  });

  it('are taken with the same updates, and refused in the same words', () => {
    const known = new RegExp(one(adding, /\$_\.Name -match '([^']*)'/), 'i');
    const numbers = ['kb3033929', 'kb4474419', 'rollupfix', 'kb976932'];
    const names = ['package', 'Package', 'xpackage'].flatMap((start) =>
      ['_for_', '_1_for_', '_2_for_', '_for_1_'].flatMap((middle) =>
        numbers.flatMap((number) =>
          [number, number.toUpperCase()].map((each) => `${start}${middle}${each}~31bf3856ad364e35~amd64~~6.1.1.3`),
        ),
      ),
    );
    const isKnown = (name: string): boolean => tables.updates.some((each) => name.toLowerCase().startsWith(each));
    expect(names.filter((name) => known.test(name))).toEqual(names.filter(isKnown));
    expect(names.filter(isKnown).length).toBe(2 * 2 * tables.updates.length);
    for (const update of all(one(adding, /return '(it is signed with SHA-2[^']*)'/), /KB(\d+)/g).flat())
      expect(tables.updates).toContain(`package_for_kb${update}`);
    const program = sourceText('signature') + sourceText('drivers');
    for (const words of [
      ...all(adding, /return '(it is signed[^']*)'/g).flat(),
      one(adding, /\$told; (use a disc[^"]*)"/),
    ])
      expect(program).toContain(words);
  });

  it('that the first start needs leave nothing behind once they are installed', () => {
    // What is written for one, by the program itself.
    const written = python<[string, string[]][]>(`
import struct
from causeway_osmorphing.windows import drivers
from tests.test_windows_registry import Windows, storage_inf

for service in ('viostor', 'VioSCSI'):
    windows = globals().setdefault('windows', Windows({}))
    driver = drivers.Driver(service, '2k22', {'a.inf': ('a.inf', storage_inf(service, 'PCI\\\\VEN_1AF4&DEV_1001'))}, 'amd64')
    drivers._database(windows, driver, service, ['VEN_1AF4&DEV_1001', 'VEN_1AF4&DEV_1042'], 'amd64')
json.dump([[key, sorted(values)] for key, values in windows.system.tree.items()], sys.stdout)`);
    const left = new Map(written.map(([key, values]) => [key.toLowerCase(), new Set(values)]));
    expect(left.size).toBeGreaterThan(8);
    // What the script takes out, by the names that it has for it; Windows has no regard to case.
    const top = 'driverdatabase';
    expect(one(firstBoot, /\$database = 'HKLM:\\SYSTEM\\(\w+)'/).toLowerCase()).toBe(top);
    const pattern = new RegExp(
      `^${one(firstBoot, /\$_\.PSChildName -like '([^']*)'/)
        .replaceAll('.', '\\.')
        .replaceAll('*', '.*')}$`,
      'i',
    );
    expect(one(firstBoot, /GetValue\('InfPath'\) -like '([^']*)'/)).toBe(
      one(firstBoot, /\$_\.PSChildName -like '([^']*)'/),
    );
    const list = `${top}\\${one(firstBoot, /\$packages = @\(Get-ChildItem "\$database\\([\w\\]+)"/).toLowerCase()}\\`;
    const ids = `${top}\\${one(firstBoot, /\$id in @\(Get-ChildItem "\$database\\([\w\\]+)"/).toLowerCase()}\\`;
    const isBelow = (key: string, path: string): boolean =>
      key.startsWith(path) && !key.slice(path.length).includes('\\');
    for (const name of [...left.keys()]
      .filter((key) => isBelow(key, list))
      .map((key) => key.slice(list.length))
      .filter((each) => pattern.test(each))) {
      for (const [key, values] of left) if (isBelow(key, ids)) values.delete(name);
      const taken = `${top}\\${one(firstBoot, /Remove-Item "\$database\\([^"]+)" -Recurse/)
        .replace(/\$\{name\}/, name)
        .toLowerCase()}`;
      for (const key of left.keys())
        if (key === `${list}${name}` || key === taken || key.startsWith(`${taken}\\`)) left.delete(key);
    }
    // Devices stay, without a driver by these names.
    expect([...left].filter(([key, values]) => !isBelow(key, ids) || values.size > 0)).toEqual([]);
    expect(left.size).toBe(2);
  });

  it('are found at the first boot where both ways lay them down', () => {
    const below = (path: string): string => path.replace(/^(%SystemRoot%|Windows)[\\/]/i, '').replaceAll('/', '\\');
    expect(below(tables.devicePath)).toBe(below(tables.target));
    expect(firstBoot).toContain(`"$env:SystemRoot\\${below(tables.target)}\\*.inf"`);
    expect(firstBoot).toContain(
      `"$env:SystemRoot\\${below(one(sourceText('xen'), /folder = '([^']*)' \+ package\.name/).replaceAll('\\\\', '\\'))}*\\*.inf"`,
    );
    expect(adding).toContain(`Copy-Item -Force $program "$($request.drive)\\Windows\\${below(tables.target)}\\"`);
    // Installers, which are there by the same names.
    const agent = new RegExp(
      `^${one(firstBoot, /VirtIO\\(qemu-ga[^"]*)"/)
        .replaceAll('.', '\\.')
        .replaceAll('*', '.*')}$`,
    );
    const names = quotedIn(one(sourceText('drivers'), /name = (\{[^}]*\})\.get\(installation\.architecture\)/)).filter(
      (each) => each.endsWith('.msi'),
    );
    expect(names.length).toBe(2);
    for (const name of names) {
      expect(name).toMatch(agent);
      expect(
        all(one(adding, /qemu-ga-\$\((.*?)\)\.msi/), /\{ '(\w+)' \}/g).map(([each]) => `qemu-ga-${each}.msi`),
      ).toContain(name);
    }
    expect(adding).toContain(`"$folder\\${one(firstBoot, /VirtIO\\(\w+\.exe)"/)}"`);
  });

  it('of Hyper-V start at the same times, and Remote Desktop is opened by the same rules', () => {
    const there = Object.fromEntries(tables.starts.map(([name]) => [name, 3]));
    expect(
      hypervValues(there)
        .filter(({ name }) => name === 'Start')
        .map(({ key, value }) => [key, value]),
    ).toEqual(tables.starts);
    for (const name of tables.starts.map(([each]) => each)) {
      const without = Object.fromEntries(Object.entries(there).filter(([each]) => each !== name));
      if (tables.needed.includes(name))
        expect(() => hypervValues(without)).toThrow(`this Windows has no drivers for Hyper-V (${name})`);
      else expect(hypervValues(without)).not.toEqual([]);
    }
    expect(sourceText('hyperv')).toContain("'this Windows has no drivers for Hyper-V (%s)'");
    expect(quotedIn(one(scriptText('install-agent'), /foreach \(\$name in ('RemoteDesktop[^)]*)\)/))).toEqual(
      tables.rules,
    );
  });

  it('that start with the boot loader are held back by nothing', () => {
    expect(virtioDiskValues(['viostor']).map(({ key, name = '*', value }) => [key, name, value])).toEqual([
      ['viostor', 'Start', 0],
      ['viostor\\StartOverride', '*', 0],
    ]);
    expect(sourceText('driver_start')).toContain("override = key + '\\\\StartOverride'");
    expect(sourceText('drivers')).toContain("system.remove_key(key + '\\\\StartOverride')");
  });
});

describe('what a guest gets', () => {
  it('is the same service of the guest initialization agent', () => {
    const kinds: Readonly<Record<number, string>> = { 1: 'String', 2: 'ExpandString', 4: 'DWord' };
    const mine = registryValues(true, { platform: 'kvm' })
      .filter(({ key }) => key === 'cloudbase-init')
      .map(({ name, type, value }) => [name, [type, value]]);
    expect(Object.fromEntries(mine)).toEqual(
      Object.fromEntries(Object.entries(tables.service).map(([name, [kind, value]]) => [name, [kinds[kind], value]])),
    );
    const needed = (names: string[]): string[] => names.map((each) => each.toLowerCase().replaceAll('\\', '/'));
    expect(needed(quotedIn(one(scriptText('install-agent'), /foreach \(\$needed in ([^)]*)\)/)))).toEqual(
      needed(quotedIn(one(sourceText('init_agent'), /for needed in \(([^)]*)\)/))),
    );
  });

  it('is the same boot loader, by the same names', () => {
    const names = all(one(scriptText('ensure-loader'), /\$name = @\{([^}]*)\}/), /(\w+) = '([^']+)'/g).map(
      ([of, name]) => [of, name!.toUpperCase()],
    );
    expect(Object.fromEntries(names)).toEqual(
      Object.fromEntries(
        Object.entries(tables.loaders).map(([of, name]) => [
          { x86_64: 'amd64', i386: 'x86', aarch64: 'arm64' }[of],
          name,
        ]),
      ),
    );
    expect(one(scriptText('ensure-loader'), /\$loader = "\$drive\\([^"]*)"/)).toBe(
      one(sourceText('efi_loader'), /^_OWN = '([^']*)'/m).replaceAll('/', '\\'),
    );
  });

  it('is nothing on dynamic disks, which both ways know by the same kinds of partitions', () => {
    const [mbr = '', gpt = ''] =
      /\$partition\.MbrType -eq (\d+) -or (.*) -contains \$partition\.GptType/
        .exec(scriptText('open-guest'))
        ?.slice(1) ?? [];
    expect([`0x${Number(mbr).toString(16)}`, ...quotedIn(gpt).map((each) => each.slice(1, -1))]).toEqual(
      tables.dynamic,
    );
  });
});

describe('the first boot', () => {
  const [program, worker, request] = [
    sourceText('scripts'),
    oneLine(mineText('winrm-guest')),
    oneLine(mineText('offline-guest')),
  ];

  it('runs the same scripts by the same names', () => {
    const files = Object.fromEntries(
      all(request, /(\w+): await powershellFile\('first-boot-([\w-]+)'\)/g).map(([key, file]) => [key!, file!]),
    );
    // The network's is made elsewhere, from its template.
    const theirs = all(
      program,
      /'(\d\d-causeway-[\w-]+\.ps1)', (?:request\['firstBootScripts'\]\['(\w+)'\]|(script|uninstaller))/g,
    ).map(([name, key, made]) => [
      name,
      key !== '' ? files[key!] : { script: files['network'], uninstaller: files['sourceTools'] }[made!],
    ]);
    const mine = all(worker, /\\\\(\d\d-causeway-[\w-]+\.ps1)`, \(?await powershellFile\('first-boot-([\w-]+)'\)/g);
    const sorted = (pairs: readonly (readonly unknown[])[]): string[] =>
      [...new Set(pairs.map((each) => each.join(' ')))].toSorted();
    expect(sorted(mine)).toEqual(sorted(theirs));
    expect(sorted(mine).length).toBe(Object.keys(files).length - 1);
    for (const text of [program.replaceAll('/00-', '\\\\00-'), worker])
      expect(text).toMatch(
        /\\00-causeway\.ps1['`], (?:request\['firstBootScripts'\]\['runner'\]|await powershellFile\('first-boot-runner'\))/,
      );
  });

  it('runs the same kinds of scripts of a user', () => {
    const endings = quotedIn(one(program, /^_ENDINGS = \(([^)]*)\)/m)).map((each) => each.slice(1));
    expect(worker).toContain(`/\\.(${endings.join('|')})$/i`);
    expect(worker).toContain("name.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 80)");
    expect(program).toContain("re.sub(r'[^A-Za-z0-9._-]', '_', script.get('name') or 'script')[:80]");
  });

  it('gives the setting back that Windows had for blue screens', () => {
    const [kept, own] = stopAtBlueScreens(1).map(({ name }) => String(name));
    const settling = sourceText('old_platform');
    expect(one(settling, /^_RESTARTS_BEFORE = '(\w+)'/m)).toBe(kept);
    expect(settling).toContain(`installation.system.set(key, '${own}', DWORD, 0)`);
    expect(scriptText('open-guest')).toContain(`GetValue('${kept}')`);
    expect(scriptText('first-boot-crashes')).toContain(`$key.GetValue('${kept}')`);
    expect(scriptText('first-boot-crashes')).toContain(`-Name ${own} -Value $before`);
    expect(scriptText('first-boot-crashes')).toContain(`-Name ${kept}\n`);
  });

  it("finds the destination's agent where both ways lay it down", () => {
    const path = `FirstBoot/packages/${one(sourceText('platform_agent'), /^_NAME = '([^']*)'/m)}`;
    expect(sourceText('platform_agent')).toContain("'%s/FirstBoot/packages/%s'");
    expect(worker).toContain(path.replaceAll('/', '\\\\'));
    const packages = scriptText('first-boot-packages');
    expect(packages).toContain("'packages'");
    expect(path.split('/').at(-1)).toMatch(
      new RegExp(
        `^${one(packages, /Join-Path \$folder '([^']*)'/)
          .replaceAll('.', '\\.')
          .replaceAll('*', '.*')}$`,
      ),
    );
  });
});

describe("the guest's registry", () => {
  const programs = [
    'commands',
    'drivers',
    'efi_loader',
    'hyperv',
    'init_agent',
    'installation',
    'ipv6_settings',
    'network',
    'old_platform',
    'source_tools',
    'driver_search',
  ]
    .map(sourceText)
    .join('\n');
  /** Without what a place is filled with. */
  const bare = (path: string): string =>
    path
      .replaceAll('\\\\', '\\')
      .replaceAll(/\$\([^)]*\)|\$\w+|%s|\{[0-9A-Fa-f-]{36}\}/g, '*')
      .toLowerCase();
  const program = bare(programs);

  it.each(['open-guest', 'read-interfaces', 'read-old-platform', 'install-agent'])(
    'has the same places and values for %s and the Linux worker',
    (name) => {
      const text = scriptText(name);
      const values = all(
        text,
        /\.GetValue\('([^']+)'|\)\.(ProductName|Current\w+|ProductType|ComputerName|PROCESSOR_ARCHITECTURE)\b/g,
      ).map(([named, property]) => named || property!);
      const paths = [
        ...all(text, /"\$set\\([^"]+?)(?:\\\$\([^"]*)?"/g),
        ...all(text, /-SOFTWARE\\((?:Microsoft|Policies)[^"']*)/g),
        ...all(text, /^\s*\$place = '([^']+)'/gm),
        ...all(text, /\$current\\([^"]+)"|\$_\\(Services[^"]+)"/g).map((each) => [each.join('')]),
      ].map(([path]) => bare(path!.replace(/^Services\\/i, '')).replace(/\\\*$/, ''));
      expect(values.length + paths.length).toBeGreaterThan(0);
      const isPlace = (path: string): boolean =>
        new RegExp(`(?<!\\w)${path.replaceAll(/[\\*.]/g, '\\$&')}(?![\\w ])`).test(program);
      const unknown = [
        ...values.filter((each) => !program.includes(`'${each.toLowerCase()}'`)),
        ...paths.filter((path) => !isPlace(path)),
      ];
      expect(unknown).toEqual([]);
    },
  );

  it("has an agent's registration at the same place", () => {
    const open = scriptText('open-guest');
    expect(one(open, /\$registration = "\$drive\\([^"]*)"/).replaceAll('\\', '/')).toBe(
      one(sourceText('source_tools'), /^_REGISTRATION = '([^']*)'/m),
    );
    expect(one(open, /ReadAllText\(\$registration\) -match '([^']*)'/)).toBe(
      one(sourceText('source_tools'), /re\.search\(rb'([^']*)', tree\.read\(_REGISTRATION\)\)/),
    );
  });

  it('has the store of IPv6 at the same place', () => {
    const [store, tables] = [
      one(sourceText('ipv6_settings'), /^_STORE = '([^']*)'/m),
      quotedIn(one(sourceText('ipv6_settings'), /^_ADDRESSES, _ROUTES = (.*)$/m)),
    ];
    const reading = scriptText('read-interfaces');
    expect(reading).toContain(`"$set\\${store.replaceAll('\\\\', '\\')}\\$table"`);
    expect(reading).toContain(`foreach ($table in ${tables.map((each) => `'${each}'`).join(', ')})`);
    expect(reading).toContain(`addresses = $stored['${tables[0]}']; routes = $stored['${tables[1]}']`);
    expect(one(reading, /\$class = '([^']*)'/)).toBe(one(sourceText('ipv6_settings'), /^NETWORK_CLASS = '([^']*)'/m));
  });
});
