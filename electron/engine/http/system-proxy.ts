import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseProxy, type ProxyServer } from './proxy-server.ts';
import { detectedScripts, type RunTool } from './script-detection.ts';

/** What the operating system's settings say of proxies. */
export interface SystemProxy {
  readonly server?: ProxyServer;
  /** As in NO_PROXY, or as the system writes them. */
  readonly exceptions?: string;
  /** Addresses of scripts, the first one first: one that is set, or those where one is to be looked for. */
  readonly scripts?: readonly string[];
}

/** What the settings say before anything is looked for. */
interface Written {
  readonly server?: string | undefined;
  readonly exceptions?: readonly string[];
  readonly script?: string | undefined;
  /** Whether a script is to be detected (WPAD). */
  readonly detects?: boolean;
}

const internetSettings = 'Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings';

/**
 * Reads the proxy from the settings of Windows, of macOS, or of the desktops GNOME and KDE. Programs on other systems have it from the
 * environment.
 */
export async function readSystemProxy(
  platform: NodeJS.Platform = process.platform,
  run: RunTool = outputOf,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<SystemProxy> {
  const written = await read(platform, run, environment).catch((): Written => ({}));
  const scripts = [
    ...(written.detects === true ? await detectedScripts(platform, run, environment) : []),
    ...(written.script === undefined || written.script === '' ? [] : [written.script]),
  ];
  const server = serverOf(written.server);
  return {
    ...(server === undefined
      ? {}
      : {
          server,
          exceptions: (written.exceptions ?? [])
            .map((entry) => entry.trim())
            .filter((entry) => entry !== '')
            .join(','),
        }),
    ...(scripts.length === 0 ? {} : { scripts }),
  };
}

async function read(platform: NodeJS.Platform, run: RunTool, environment: NodeJS.ProcessEnv): Promise<Written> {
  if (platform === 'darwin') return macProxy(await run('scutil', ['--proxy']));
  if (platform === 'win32') {
    // A policy of the company can make the computer's settings those of all its users.
    const policy = await run('reg', [
      'query',
      `HKLM\\Software\\Policies\\Microsoft\\Windows\\CurrentVersion\\Internet Settings`,
      '/v',
      'ProxySettingsPerUser',
    ]).catch(() => '');
    const hive = /ProxySettingsPerUser\s+REG_DWORD\s+0x0\s*$/m.test(policy) ? 'HKLM' : 'HKCU';
    const flags = await run('reg', [
      'query',
      `${hive}\\${internetSettings}\\Connections`,
      '/v',
      'DefaultConnectionSettings',
    ]).catch(() => '');
    return windowsProxy(await run('reg', ['query', `${hive}\\${internetSettings}`]), flags);
  }
  const desktop = (environment['XDG_CURRENT_DESKTOP'] ?? '').toUpperCase().split(':');
  if (desktop.some((name) => ['GNOME', 'UNITY', 'X-CINNAMON', 'MATE', 'BUDGIE'].includes(name)))
    return gnomeProxy(await run('gsettings', ['list-recursively', 'org.gnome.system.proxy']));
  if (desktop.includes('KDE'))
    return kdeProxy(
      await readFile(join(environment['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'kioslaverc'), 'utf8'),
    );
  return {};
}

/** From what `reg query` prints of the Internet settings and of their flags. */
export function windowsProxy(printed: string, flags = ''): Written {
  const values = new Map(
    [...printed.matchAll(/^\s+(\w+)\s+REG_\w+\s+(.*?)\s*$/gm)].map(([, name, value]) => [name, value ?? '']),
  );
  const isOn = Number(values.get('ProxyEnable') ?? 0) === 1;
  const servers = (values.get('ProxyServer') ?? '').split(';').filter((entry) => entry !== '');
  // One for all, or one for each protocol.
  const named = (protocol: string): string | undefined =>
    servers.find((entry) => entry.startsWith(`${protocol}=`))?.slice(protocol.length + 1);
  const socks = named('socks');
  const server =
    named('https') ??
    servers.find((entry) => !entry.includes('=')) ??
    (socks === undefined ? undefined : `socks5://${socks}`);
  // The ninth byte holds the flags of the connection; 8 is "detect settings automatically".
  const [, bytes = ''] = /DefaultConnectionSettings\s+REG_BINARY\s+([0-9A-Fa-f]+)/.exec(flags) ?? [];
  const detects = (parseInt(bytes.slice(16, 18) || '0', 16) & 8) !== 0;
  return {
    server: isOn ? server : undefined,
    exceptions: (values.get('ProxyOverride') ?? '').split(';'),
    script: values.get('AutoConfigURL'),
    detects,
  };
}

/** From what `scutil --proxy` prints. */
export function macProxy(printed: string): Written {
  const value = (name: string): string | undefined => new RegExp(`^\\s*${name} : (.*?)\\s*$`, 'm').exec(printed)?.[1];
  const list = /ExceptionsList : <array> \{([^}]*)\}/.exec(printed)?.[1] ?? '';
  const exceptions = [...list.matchAll(/^\s*\d+ : (.*?)\s*$/gm)].map(([, entry]) => entry ?? '');
  const server = (protocol: string, scheme: string): string | undefined =>
    value(`${protocol}Enable`) === '1' && value(`${protocol}Proxy`) !== undefined
      ? `${scheme}${value(`${protocol}Proxy`)}:${value(`${protocol}Port`) ?? 80}`
      : undefined;
  return {
    server: server('HTTPS', '') ?? server('SOCKS', 'socks5://'),
    exceptions: value('ExcludeSimpleHostnames') === '1' ? ['<local>', ...exceptions] : exceptions,
    script: value('ProxyAutoConfigEnable') === '1' ? value('ProxyAutoConfigURLString') : undefined,
    detects: value('ProxyAutoDiscoveryEnable') === '1',
  };
}

/** From what `gsettings list-recursively org.gnome.system.proxy` prints. */
export function gnomeProxy(printed: string): Written {
  const values = new Map(
    [...printed.matchAll(/^org\.gnome\.system\.proxy(\S*) (\S+) (.*?)\s*$/gm)].map(([, schema, key, value]) => [
      `${schema}.${key}`,
      (value ?? '').replace(/^'(.*)'$/, '$1'),
    ]),
  );
  const mode = values.get('.mode');
  const script = values.get('.autoconfig-url') ?? '';
  if (mode === 'auto') return script === '' ? { detects: true } : { script };
  if (mode !== 'manual') return {};
  const server = (protocol: string, scheme: string): string | undefined =>
    (values.get(`.${protocol}.host`) ?? '') === ''
      ? undefined
      : `${scheme}${values.get(`.${protocol}.host`)}:${values.get(`.${protocol}.port`) ?? 80}`;
  const exceptions = [...(values.get('.ignore-hosts') ?? '').matchAll(/'([^']*)'/g)].map(([, entry]) => entry ?? '');
  return { server: server('https', '') ?? server('socks', 'socks5://'), exceptions };
}

/** From KDE's file of network settings. */
export function kdeProxy(file: string): Written {
  const value = (name: string): string =>
    new RegExp(`^${name}(?:\\[\\$e\\])?=(.*)$`, 'm').exec(file)?.[1]?.trim() ?? '';
  // It separates the port by a blank.
  const address = (name: string): string | undefined =>
    value(name) === ''
      ? undefined
      : value(name)
          .replace(/ (\d+)$/, ':$1')
          .replace(/^socks:/, 'socks5:');
  switch (value('ProxyType')) {
    case '1':
      return { server: address('httpsProxy') ?? address('socksProxy'), exceptions: value('NoProxyFor').split(',') };
    case '2':
      return { script: value('Proxy Config Script') };
    case '3':
      return { detects: true };
    default:
      return {};
  }
}

function serverOf(text: string | undefined): ProxyServer | undefined {
  if (text === undefined) return undefined;
  try {
    return parseProxy(/^[a-z0-9]+:\/\//i.test(text) ? text : `http://${text}`, "the system's proxy");
  } catch {
    return undefined;
  }
}

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: 5000, windowsHide: true }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
