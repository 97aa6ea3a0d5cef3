import { textEnd } from '../../../shared/model/cut-text.ts';
import { connect, type TLSSocket } from 'node:tls';
import { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WorkerAccess } from '../ports/destination-platform.ts';
import { abortReason } from '../concurrency/abortable.ts';
import type { AgentPlace } from './agent-launch.ts';
import { agentLock, fenced, fencedStatus, keptBlocks } from './agent-launch.ts';
import { AgentLink } from './agent-link.ts';
import { AgentSession, sayHello } from './agent-session.ts';
import { makeCertificate, type Certificate } from './certificates.ts';
import { codecFor } from './compression.ts';
import type { Settings } from './connect-options.ts';
import { connectThroughProxy } from '../http/proxy-connection.ts';
import { proxies } from '../http/proxies.ts';
import { connectionCount } from './connection-count.ts';
import { linkOptions } from './link-options.ts';
import { shellQuoted, type SshConnection } from './ssh-connection.ts';

/** The agent's port on a worker, as the specification has it. */
export const agentPort = 5566;

const startedSchema = z.object({ ports: z.array(z.int()) });
const connectTimeoutMs = 20_000;

/**
 * Starts the agent as a daemon that listens with a certificate made for it, and connects to it with another one: both
 * sides let exactly the other in. `release` is called when the session ends.
 */
export async function connectByHttps(
  ssh: SshConnection,
  place: AgentPlace,
  access: WorkerAccess,
  settings: Settings,
  release: () => Promise<void>,
  signal: AbortSignal,
): Promise<AgentSession> {
  const [server, client] = await Promise.all([makeCertificate('causeway worker'), makeCertificate('causeway')]);
  await startDaemon(ssh, place, access, settings, server, client, signal);
  const links: AgentLink[] = [];
  const dial = async (): Promise<AgentLink> => {
    const socket = await dialAgent(access.host, access.httpsPort, server, client, place.facts.hasAes, signal);
    const link = new AgentLink(socket, linkOptions(`${access.host}:${access.httpsPort}`, settings, links.length === 0));
    links.push(link);
    return link;
  };
  try {
    const control = await dial();
    const hello = await sayHello(control, undefined, signal);
    const wanted = await connectionCount(control, settings.connections, signal);
    const data = [];
    for (let index = 0; index < wanted; index++) {
      const link = await dial();
      await sayHello(link, hello.session, signal);
      data.push(link);
    }
    const { compression, inFlightBytes, throttle } = settings;
    return new AgentSession({
      mechanism: 'HTTPS',
      control,
      data,
      compression,
      codec: codecFor(hello.features),
      recalls: hello.features.includes('recall'),
      inFlightBytes,
      throttle,
      release,
    });
  } catch (error) {
    for (const link of links) link.fail(error);
    throw error;
  }
}

async function startDaemon(
  ssh: SshConnection,
  place: AgentPlace,
  access: WorkerAccess,
  settings: Settings,
  server: Certificate,
  client: Certificate,
  signal: AbortSignal,
): Promise<void> {
  const file = (name: string): string => `${place.folder}/${name}`;
  await ssh.upload(file('agent.key'), Buffer.from(server.keyPem), { signal });
  await ssh.upload(file('agent.crt'), Buffer.from(server.certPem), { signal });
  await ssh.upload(file('caller.crt'), Buffer.from(client.certPem), { signal });
  const ports = settings.agentPorts ?? [...new Set([agentPort, access.httpsPort])];
  const command = [
    place.command,
    ...ports.map((port) => `--listen ${port}`),
    '--daemon',
    `--cert ${shellQuoted(file('agent.crt'))}`,
    `--key ${shellQuoted(file('agent.key'))}`,
    `--client-ca ${shellQuoted(file('caller.crt'))}`,
    `--log ${shellQuoted(file('agent.log'))}`,
    ...agentArguments(access, place, settings),
  ].join(' ');
  const result = await ssh.exec(command, { signal, timeoutMs: 60_000 });
  const line = result.stdout.trim().split('\n').at(-1) ?? '';
  if (result.code === fencedStatus) throw fenced(access.host, result.stderr);
  if (result.code !== 0 || !startedSchema.safeParse(parsedJson(line)).success) {
    throw new CausewayError(
      'transport.agent-start',
      `${access.host}: ${textEnd((result.stderr || result.stdout).trim(), 500)}`,
    );
  }
}

/** Arguments that both ways of running the agent take. */
export function agentArguments(access: WorkerAccess, place: AgentPlace, settings: Settings): readonly string[] {
  return [
    `--lock ${agentLock(access.workerId)}`,
    ...(settings.epoch === 0 ? [] : [`--epoch ${settings.epoch}`]),
    ...(settings.keptBytes === 0
      ? []
      : [`--store ${keptBlocks(access.workerId)}`, `--store-bytes ${settings.keptBytes}`]),
    `--own-folder ${shellQuoted(place.folder)}`,
    `--idle ${settings.idleMs / 1000}`,
    ...settings.allowPaths.map((path) => `--allow ${shellQuoted(path)}`),
  ];
}

/**
 * Opens a TLS connection to the agent. Rejects with `transport.certificate-mismatch` before anything is sent when the
 * other side's certificate is not the one made for it.
 */
export async function dialAgent(
  host: string,
  port: number,
  server: Pick<Certificate, 'certPem' | 'fingerprint'>,
  client: Pick<Certificate, 'certPem' | 'keyPem'>,
  workerHasAes: boolean,
  signal: AbortSignal,
): Promise<TLSSocket> {
  if (signal.aborted) throw abortReason(signal);
  const proxy = await proxies.toWorker(host, port, signal);
  const way =
    proxy === undefined
      ? { host, port }
      : { socket: await connectThroughProxy(proxy, host, port, connectTimeoutMs, signal) };
  return new Promise((resolve, reject) => {
    const where = `${host}:${port}`;
    const socket = connect({
      ...way,
      ca: server.certPem,
      cert: client.certPem,
      key: client.keyPem,
      minVersion: 'TLSv1.2',
      ciphers: workerHasAes ? aesFirst : chachaFirst,
      // Names play no part: the certificate itself is the identity, compared below.
      checkServerIdentity: () => undefined,
    });
    const timer = setTimeout(() => fail(new Error(`no TLS handshake within ${connectTimeoutMs} ms`)), connectTimeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners('secureConnect');
      socket.removeAllListeners('error');
    };
    const fail = (error: Error & { code?: string }): void => {
      settle();
      socket.on('error', () => undefined);
      socket.destroy();
      const code = isCertificateError(error.code) ? 'transport.certificate-mismatch' : 'transport.unreachable';
      reject(new CausewayError(code, `${where}: ${error.message}`, { cause: error }));
    };
    const onAbort = (): void => {
      reject(abortReason(signal));
      fail(new Error('given up'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerCertificate().fingerprint256?.replaceAll(':', '').toLowerCase();
      if (shown !== server.fingerprint) {
        fail(
          Object.assign(new Error(`sent the certificate ${shown ?? 'none'}`), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
        );
        return;
      }
      settle();
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

const aesFirst =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:' +
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305';
const chachaFirst =
  'TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:' +
  'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384';

function isCertificateError(code: string | undefined): boolean {
  return code !== undefined && /CERT|SIGNATURE|UNABLE_TO|SELF_SIGNED/.test(code) && !code.startsWith('ERR_SSL_TLSV');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
