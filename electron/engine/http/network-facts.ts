import type { ProxyServer } from './proxy-server.ts';
import { shownProxy } from './proxy-server.ts';
import { proxies, proxyVariable, workerProxyVariable, type Proxies, type ProxyOrigin } from './proxies.ts';
import { systemCertificateCount } from './system-certificates.ts';

/** What is in effect, for people. */
export interface NetworkFacts {
  /** Without user and password. */
  readonly proxy?: string;
  readonly proxyFrom: ProxyOrigin;
  readonly noProxy: string;
  /** Addresses of proxy scripts, the first one that can be loaded counts. */
  readonly scripts: readonly string[];
  /** Why the script could not be used last. */
  readonly scriptFailure?: string;
  /** Whether a variable of the environment overrides the settings. */
  readonly isOverridden: boolean;
  readonly systemCertificates?: number;
  /** The proxy to workers; `same`: as to clouds. */
  readonly workerProxy?: string;
}

export async function networkFacts(
  of: Proxies = proxies,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<NetworkFacts> {
  const { from, server, exceptions = '', scripts = [] } = await of.source();
  const certificates = systemCertificateCount();
  const shown = (it: ProxyServer | undefined): { readonly proxy?: string } =>
    it === undefined ? {} : { proxy: shownProxy(it) };
  const ownWorkerProxy = withoutSignIn(environment[workerProxyVariable] ?? '');
  const workerProxy = ownWorkerProxy !== '' ? ownWorkerProxy : of.settings.forWorkers ? 'same' : undefined;
  return {
    ...shown(server),
    proxyFrom: from,
    noProxy: exceptions,
    scripts: scripts.map(withoutSignIn),
    ...(of.scriptFailure === undefined ? {} : { scriptFailure: of.scriptFailure.message }),
    isOverridden: (environment[proxyVariable] ?? '') !== '',
    ...(certificates === undefined ? {} : { systemCertificates: certificates }),
    ...(workerProxy === undefined ? {} : { workerProxy }),
  };
}

function withoutSignIn(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}
