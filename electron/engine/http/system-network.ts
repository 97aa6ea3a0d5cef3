import { execFile } from 'node:child_process';
import type { AgentOptions } from 'node:https';
import * as tls from 'node:tls';
import { isLoopbackHost } from '../../../shared/model/ip-address.ts';
import { isExempt, parseProxy, type HttpProxy } from './proxy-connection.ts';

/** What a server is trusted by, instead of the authorities of Node and of the operating system. */
interface AgentTrust {
  readonly caCertificate?: string | undefined;
  readonly allowUntrusted?: boolean | undefined;
}

/** The proxies of the operating system's settings, in the form of the environment's variables. */
export interface SystemProxy {
  readonly HTTPS_PROXY?: string;
  readonly NO_PROXY?: string;
  /** Address of a script that chooses the proxy. It is not run. */
  readonly script?: string;
}

/** What is in effect, for people. */
export interface NetworkFacts {
  /** Without user and password. */
  readonly proxy: string | undefined;
  readonly proxyFrom: 'environment' | 'system' | 'none';
  readonly noProxy: string;
  readonly script: string | undefined;
  readonly systemCertificates: number | undefined;
}

let ofSystem: SystemProxy = {};
let systemCertificates: number | undefined;
let hasTriedCertificates = false;

/** What every TLS agent towards a platform has: the proxy in effect, and what it trusts. */
export function agentOptions({ caCertificate, allowUntrusted = false }: AgentTrust): AgentOptions {
  trustSystemCertificates();
  return {
    minVersion: 'TLSv1.2',
    proxyEnv: proxyVariables(),
    ...(caCertificate === undefined ? {} : { ca: caCertificate, allowPartialTrustChain: true }),
    ...(allowUntrusted ? { rejectUnauthorized: false } : {}),
  };
}

/**
 * Makes this process trust the authorities of the operating system as well as Node's own: companies put those of their
 * TLS-inspecting proxies and internal services there. Once for each process; a runtime that cannot keeps its own.
 */
export function trustSystemCertificates(): void {
  if (hasTriedCertificates) return;
  hasTriedCertificates = true;
  try {
    const system = tls.getCACertificates('system');
    tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...system])]);
    systemCertificates = system.length;
  } catch {
    // Node before 22.19, or a runtime without it: doctor shows that they are not used.
  }
}

/** The variables for Node's agents: those of the environment if it names a proxy, otherwise those of the system's settings. */
export function proxyVariables(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return hasProxy(environment) ? environment : { HTTPS_PROXY: ofSystem.HTTPS_PROXY, NO_PROXY: ofSystem.NO_PROXY };
}

/** The proxy for a connection by TLS to a host; undefined: the connection is direct. */
export function httpsProxy(host: string, environment: NodeJS.ProcessEnv = process.env): HttpProxy | undefined {
  const variables = proxyVariables(environment);
  const text = variables['https_proxy'] ?? variables['HTTPS_PROXY'];
  if (text === undefined || !text.startsWith('http://') || isLoopbackHost(host)) return undefined;
  return isExempt(host, variables['no_proxy'] ?? variables['NO_PROXY'] ?? '') ? undefined : parseProxy(text, 'HTTPS_PROXY');
}

export function networkFacts(environment: NodeJS.ProcessEnv = process.env): NetworkFacts {
  trustSystemCertificates();
  const variables = proxyVariables(environment);
  const proxy = variables['https_proxy'] ?? variables['HTTPS_PROXY'];
  const shown = proxy === undefined || proxy === '' ? undefined : proxy.replace(/\/\/[^/@]*@/, '//');
  const from = hasProxy(environment) ? 'environment' : shown === undefined ? 'none' : 'system';
  return { proxy: shown, proxyFrom: from, noProxy: variables['no_proxy'] ?? variables['NO_PROXY'] ?? '', script: from === 'environment' ? undefined : ofSystem.script, systemCertificates };
}

/**
 * Reads the proxy from the system's settings, on Windows and macOS; on Linux programs have it from the environment. Takes
 * effect for agents that are made afterwards. What cannot be read changes nothing.
 */
export async function useSystemProxy(platform: NodeJS.Platform = process.platform, run: (program: string, args: readonly string[]) => Promise<string> = outputOf): Promise<SystemProxy> {
  try {
    if (platform === 'win32') ofSystem = windowsProxy(await run('reg', ['query', 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings']));
    if (platform === 'darwin') ofSystem = macProxy(await run('scutil', ['--proxy']));
  } catch {
    ofSystem = {};
  }
  return ofSystem;
}

/** From what `reg query` prints of the Internet settings. */
export function windowsProxy(printed: string): SystemProxy {
  const values = new Map([...printed.matchAll(/^\s+(\w+)\s+REG_\w+\s+(.*?)\s*$/gm)].map(([, name, value]) => [name, value ?? '']));
  const script = values.get('AutoConfigURL');
  const isOn = Number(values.get('ProxyEnable') ?? 0) === 1;
  const servers = (values.get('ProxyServer') ?? '').split(';');
  // One for all, or one for each protocol.
  const server = servers.find((entry) => entry.startsWith('https='))?.slice('https='.length) ?? servers.find((entry) => entry !== '' && !entry.includes('='));
  return proxyOf(isOn ? server : undefined, (values.get('ProxyOverride') ?? '').split(';'), script);
}

/** From what `scutil --proxy` prints. */
export function macProxy(printed: string): SystemProxy {
  const value = (name: string): string | undefined => new RegExp(`^\\s*${name} : (.*?)\\s*$`, 'm').exec(printed)?.[1];
  const exceptions = /ExceptionsList : <array> \{([^}]*)\}/.exec(printed)?.[1] ?? '';
  const [host, port] = [value('HTTPSProxy'), value('HTTPSPort')];
  const server = value('HTTPSEnable') === '1' && host !== undefined ? `${host}:${port ?? 80}` : undefined;
  return proxyOf(server, [...exceptions.matchAll(/^\s*\d+ : (.*?)\s*$/gm)].map(([, entry]) => entry ?? ''), value('ProxyAutoConfigEnable') === '1' ? value('ProxyAutoConfigURLString') : undefined);
}

/** Exceptions that Node's list cannot express (networks, `<local>`) are left out: those hosts are then asked through the proxy. */
function proxyOf(server: string | undefined, exceptions: readonly string[], script: string | undefined): SystemProxy {
  const named = exceptions.map((entry) => entry.trim()).filter((entry) => /^(\*|\*?\.?[A-Za-z0-9-][A-Za-z0-9.-]*)$/.test(entry));
  const url = server === undefined ? undefined : /^[a-z]+:\/\//i.test(server) ? server : `http://${server}`;
  return {
    ...(url === undefined ? {} : { HTTPS_PROXY: url, NO_PROXY: ['localhost', '127.0.0.1', '::1', ...named].join(',') }),
    ...(script === undefined || script === '' ? {} : { script }),
  };
}

function hasProxy(environment: NodeJS.ProcessEnv): boolean {
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => (environment[name] ?? '') !== '');
}

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: 5000, windowsHide: true }, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
}
