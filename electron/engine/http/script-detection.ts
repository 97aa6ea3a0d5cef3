import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Prints what a program of the system says; rejects when it fails. */
export type RunTool = (program: string, args: readonly string[]) => Promise<string>;

const lookupMs = 3000;
const mostDomains = 4;

/**
 * Where a proxy script may be that nobody has set (WPAD): where the DHCP server says (macOS, and Linux with NetworkManager), then at the
 * host `wpad` of each of this computer's own domains. Their parent domains are never asked: whoever owns one could name the proxy.
 */
export async function detectedScripts(
  platform: NodeJS.Platform,
  run: RunTool,
  environment: NodeJS.ProcessEnv,
  resolves: (name: string) => Promise<boolean> = isKnown,
): Promise<readonly string[]> {
  const quiet = (program: string, args: readonly string[]): Promise<string> => run(program, args).catch(() => '');
  const [told, domains] = await Promise.all([toldByDhcp(platform, quiet), ownDomains(platform, quiet, environment)]);
  const hosts = domains.map((domain) => `wpad.${domain}`);
  const known = await Promise.all(hosts.map((host) => resolves(host)));
  return [...told, ...hosts.filter((_host, index) => known[index]).map((host) => `http://${host}/wpad.dat`)];
}

/** Option 252. */
async function toldByDhcp(platform: NodeJS.Platform, run: RunTool): Promise<readonly string[]> {
  const printed =
    platform === 'darwin'
      ? await run('ipconfig', ['getoption', '', '252'])
      : platform === 'linux'
        ? await run('nmcli', ['-t', '-f', 'DHCP4', 'device', 'show'])
        : '';
  const [, address] =
    platform === 'darwin' ? (/^(https?:\/\/\S+)/.exec(printed) ?? []) : (/wpad = (https?:\/\/\S+)/.exec(printed) ?? []);
  return address === undefined ? [] : [address];
}

/** The domains that this computer is in. One of a single part, such as `local`, belongs to nobody. */
async function ownDomains(
  platform: NodeJS.Platform,
  run: RunTool,
  environment: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const found: string[] = [];
  if (platform === 'win32') {
    const printed = await run('reg', ['query', 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters']);
    const value = (name: string): string =>
      new RegExp(`^\\s+${name}\\s+REG_SZ[ \\t]+(.*?)[ \\t\\r]*$`, 'm').exec(printed)?.[1] ?? '';
    found.push(
      environment['USERDNSDOMAIN'] ?? '',
      value('Domain'),
      value('DhcpDomain'),
      ...value('SearchList').split(/[,\s]+/),
    );
  } else if (platform === 'darwin') {
    found.push(
      ...[...(await run('scutil', ['--dns'])).matchAll(/search domain\[\d+\]\s*:\s*(\S+)/g)].map(
        ([, name]) => name ?? '',
      ),
    );
  } else {
    const settings = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
    found.push(
      ...[...settings.matchAll(/^\s*(?:search|domain)\s+(.*)$/gm)].flatMap(([, names]) => (names ?? '').split(/\s+/)),
    );
  }
  const usable = found
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name) && !/\.(arpa|local)$/.test(name));
  return [...new Set(usable)].slice(0, mostDomains);
}

async function isKnown(name: string): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, lookupMs, false)));
  try {
    return await Promise.race([
      lookup(name).then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
