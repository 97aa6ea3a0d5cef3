import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isLocalLibvirtUri } from '../../../../shared/plugins/qemu-hypervisor/libvirt-uri.ts';
import type { RemoteStream, SocketPlace } from '../../nbd/address.ts';
import { LibvirtDaemon } from '../../qmp/libvirt-carrier.ts';
import type { SshHost } from './ssh-host.ts';

/** The port of libvirt over TLS, as IANA has it. */
const TLS_PORT = 16_514;
const HANDSHAKE_TIMEOUT = 15_000;
/** Newer hosts have a daemon for QEMU alone, older ones one for everything. */
const sockets = ['virtqemud-sock', 'libvirt-sock'] as const;

/** The daemon of a libvirt URI, in its own protocol: over SSH, on this machine, or over TLS with certificates on both sides. */
export function libvirtDaemon(
  uri: string,
  ssh: { readonly host: SshHost; readonly name: string } | undefined,
  credentials: string | undefined,
): LibvirtDaemon {
  const daemonUri = uri.endsWith('/session') ? 'qemu:///session' : 'qemu:///system';
  if (ssh !== undefined) {
    return new LibvirtDaemon(`${daemonUri} at ${ssh.name}`, daemonUri, async (signal) => {
      const folder =
        daemonUri === 'qemu:///session' ? `/run/user/${await ssh.host.userId(signal)}/libvirt` : '/run/libvirt';
      return sockets.map((socket) => ssh.host.socket(posix.join(folder, socket)));
    });
  }
  if (isLocalLibvirtUri(uri))
    return new LibvirtDaemon(daemonUri, daemonUri, async () => localSockets(daemonUri === 'qemu:///session'));
  const { host, port } = tlsAddress(uri);
  return new LibvirtDaemon(uri, daemonUri, async () => [
    {
      path: uri,
      name: uri,
      open: async (signal) => overTls(host, port, await readCredentials(credentials), uri, signal),
    },
  ]);
}

/** Where daemons of this machine listen; Homebrew's have a folder of their own. */
function localSockets(isSession: boolean): SocketPlace[] {
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const folders = isSession
    ? [...(runtime === undefined ? [] : [join(runtime, 'libvirt')]), join(homedir(), '.cache', 'libvirt')]
    : ['/run/libvirt', '/var/run/libvirt', '/opt/homebrew/var/run/libvirt', '/usr/local/var/run/libvirt'];
  return folders.flatMap((folder) => sockets.map((socket) => join(folder, socket)));
}

/** Of a URI that `isPlainLibvirtUri` has accepted. */
function tlsAddress(uri: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(uri.replace(/^qemu\+tls:/, 'https:'));
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? TLS_PORT : Number(port) };
}

interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * The certificates that libvirt's own programs would use: of the folder that is named, of the user, of the system.
 * @throws CausewayError general.invalid-input
 */
async function readCredentials(folder: string | undefined): Promise<Credentials> {
  const inFolder = (at: string) => ({
    ca: join(at, 'cacert.pem'),
    cert: join(at, 'clientcert.pem'),
    key: join(at, 'clientkey.pem'),
  });
  const system = {
    ca: '/etc/pki/CA/cacert.pem',
    cert: '/etc/pki/libvirt/clientcert.pem',
    key: '/etc/pki/libvirt/private/clientkey.pem',
  };
  const places = folder === undefined ? [inFolder(join(homedir(), '.pki', 'libvirt')), system] : [inFolder(folder)];
  let last: unknown;
  for (const place of places) {
    try {
      const [ca, cert, key] = await Promise.all([
        readFile(place.ca, 'utf8'),
        readFile(place.cert, 'utf8'),
        readFile(place.key, 'utf8'),
      ]);
      return { ca, cert, key };
    } catch (error) {
      last = error;
    }
  }
  const [first] = places;
  throw new CausewayError(
    'general.invalid-input',
    `libvirt over TLS needs cacert.pem, clientcert.pem and clientkey.pem${first === undefined ? '' : `, e.g. ${first.cert}`}`,
    { cause: last },
  );
}

/** After the handshake the daemon sends one byte: 1 when it accepts the client's certificate. */
async function overTls(
  host: string,
  port: number,
  { ca, cert, key }: Credentials,
  name: string,
  signal: AbortSignal,
): Promise<RemoteStream> {
  const socket = connect({
    host,
    port,
    ca,
    cert,
    key,
    ...(isAddress(host) ? {} : { servername: host }),
    minVersion: 'TLSv1.2',
    timeout: HANDSHAKE_TIMEOUT,
  });
  try {
    await accepted(socket, name, signal);
    socket.setTimeout(0);
    return { stream: socket, lost: () => undefined };
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

function accepted(socket: TLSSocket, name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSecure = false;
    const heard = {
      secureConnect: () => (isSecure = true),
      timeout: () =>
        refuse(new CausewayError('source.unreachable', `${name}: no response within ${HANDSHAKE_TIMEOUT} ms`)),
      // With TLS 1.3, a client's certificate is refused only after its own handshake has ended.
      error: (error: NodeJS.ErrnoException) =>
        refuse(
          new CausewayError(
            isSecure || isTlsProblem(error) ? 'source.tls-refused' : 'source.unreachable',
            `${name}: ${error.message}`,
            { cause: error },
          ),
        ),
      close: () =>
        refuse(
          new CausewayError(
            isSecure ? 'source.tls-refused' : 'source.unreachable',
            `${name}: the daemon closed the connection`,
          ),
        ),
      readable: () => {
        const byte = socket.read(1) as Buffer | null;
        if (byte === null) return;
        if (byte[0] === 1) settle(resolve);
        else
          refuse(
            new CausewayError('source.login-refused', `${name}: the daemon does not accept the client's certificate`),
          );
      },
    };
    const onAbort = (): void => refuse(new CausewayError('general.cancelled', `connecting to ${name} was cancelled`));
    const settle = (finish: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      for (const [event, listener] of Object.entries(heard)) socket.off(event, listener);
      finish();
    };
    const refuse = (error: CausewayError): void => settle(() => reject(error));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    for (const [event, listener] of Object.entries(heard)) socket.on(event, listener);
  });
}

function isTlsProblem({ code = '' }: NodeJS.ErrnoException): boolean {
  return /^(ERR_(SSL|TLS)_|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_)/.test(code);
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}
