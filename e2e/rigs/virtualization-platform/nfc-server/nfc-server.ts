import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { makeCertificate, type Certificate } from '../../../../electron/engine/transport/certificates.ts';
import type { NfcTicket } from '../../../../electron/engine/platforms/virtualization-platform/disk-access/disk-content.ts';
import type { ServedDisks } from '../served-disk.ts';
import { ConnectionReader, DetachableStream } from './connection-reader.ts';
import { NfcFaults } from './faults.ts';
import { serveSession, type HostProfile, type HostState } from './serve-session.ts';

export interface NfcServerOptions {
  /** A loopback address: one for each host. */
  readonly host: string;
  readonly port?: number;
  readonly disks: ServedDisks;
  /** Default `esxi-8`. */
  readonly profile?: HostProfile;
  readonly limits?: Partial<HostState['limits']>;
  /** Service that its tickets name: `vpxa-nfc` through vCenter, `nfc` on a bare host. */
  readonly service?: string;
}

/** A stand-in for the data port of one host. */
export interface NfcServer {
  readonly host: string;
  readonly port: number;
  readonly thumbprint: string;
  readonly faults: NfcFaults;
  readonly state: HostState;
  /** What a platform would answer, with this ticket's secret. */
  ticket(sessionId: string): NfcTicket;
  /** Cuts all connections, as a host that fails does. */
  dropAll(): void;
  close(): Promise<void>;
}

const CAPABILITIES = [
  'SSL Required',
  'ServerDaemonProtocol:SOAP',
  'MKSDisplayProtocol:VNC ',
  'VMXARGS supported',
  'NFCSSL supported/t',
  'SHA256 supported',
];

export async function startNfcServer(options: NfcServerOptions): Promise<NfcServer> {
  const [own, other] = await Promise.all([makeCertificate(options.host), makeCertificate('another')]);
  const faults = new NfcFaults();
  const state: HostState = {
    host: options.host,
    profile: options.profile ?? 'esxi-8',
    disks: options.disks,
    faults,
    limits: { connections: 50, memoryBytes: 48 * 2 ** 20, largestBuffer: 2 * 2 ** 20, ...options.limits },
    connections: 0,
    mostConnections: 0,
    memoryBytes: 0,
    reads: [],
    opened: [],
    violations: [],
    readsUnderWay: 0,
    mostReads: 0,
    closedWell: 0,
  };
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    serve(socket, state, own, other)
      .catch(() => undefined)
      .finally(() => socket.destroy());
  });
  server.listen(options.port ?? 0, options.host);
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const { thumbprint } = digests(own);
  return {
    host: options.host,
    port,
    thumbprint,
    faults,
    state,
    ticket: (sessionId) => ({
      host: options.host,
      port,
      sslThumbprint: thumbprint,
      service: options.service ?? 'vpxa-nfc',
      serviceVersion: '1.1',
      sessionId,
    }),
    dropAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function digests(certificate: Certificate): { readonly thumbprint: string; readonly sha256: string } {
  const { fingerprint, fingerprint256 } = new X509Certificate(certificate.certPem);
  return { thumbprint: fingerprint, sha256: fingerprint256 };
}

function secure(stream: Duplex, certificate: Certificate): tls.TLSSocket {
  const secured = new tls.TLSSocket(stream, {
    isServer: true,
    secureContext: tls.createSecureContext({
      cert: certificate.certPem,
      key: certificate.keyPem,
      minVersion: 'TLSv1.2',
      maxVersion: 'TLSv1.2',
    }),
  });
  secured.on('error', () => undefined);
  return secured;
}

async function serve(socket: net.Socket, state: HostState, own: Certificate, other: Certificate): Promise<void> {
  const { faults } = state;
  const lacks = (name: string): boolean =>
    faults.find('greeting-without', (fault) => name.startsWith(fault.capability)) !== undefined;
  const offers = CAPABILITIES.filter((name) => !lacks(name));
  socket.write(`220 VMware Authentication Daemon Version 1.10: ${offers.join(', ')}\r\n`);
  const isSecure = !lacks('SSL Required');
  const carrier = isSecure ? new DetachableStream(socket) : undefined;
  const certificateOf = (handshake: 1 | 2): Certificate =>
    faults.take('other-certificate', (fault) => fault.handshake === handshake) === undefined ? own : other;
  const line = carrier === undefined ? socket : secure(carrier, certificateOf(1));
  const reader = new ConnectionReader(line);
  const login = await logIn(line, reader, state, own);
  if (login === undefined) {
    line.end();
    await once(socket, 'close');
    return;
  }
  let stream: Duplex = socket;
  try {
    reader.release();
    carrier?.detach();
    if (login.isSecure) stream = secure(socket, certificateOf(2));
    await serveSession(stream, state, { vmId: login.vmId, token: login.token, isSecure: login.isSecure });
  } finally {
    state.connections -= 1;
    stream.destroy();
  }
}

interface Login {
  readonly vmId: string;
  readonly token: string | undefined;
  readonly isSecure: boolean;
}

/** Answers lines until a service is connected; undefined when the login has failed. */
async function logIn(
  line: Duplex,
  reader: ConnectionReader,
  state: HostState,
  own: Certificate,
): Promise<Login | undefined> {
  const { faults } = state;
  let session: string | undefined;
  let token: string | undefined;
  for (let count = 0; count < 10; count++) {
    const said = await reader.line();
    const [command = '', ...rest] = said.split(' ');
    const argument = rest.join(' ');
    if (command === 'SESSION') {
      session = argument;
    } else if (command === 'BANNER') {
      line.write(
        `220 VMware Authentication Daemon Version 1.10${faults.find('full-banner') === undefined ? '' : `: ${CAPABILITIES.join(', ')}`}\r\n`,
      );
    } else if (command === 'THUMBPRINT_SHA2') {
      if (faults.find('greeting-without', (fault) => fault.capability === 'SHA256 supported') !== undefined) {
        line.write('530 Please login with USER and PASS\r\n');
        return undefined;
      }
      if (argument === '' || argument.includes(':')) {
        line.write('501 Invalid arguments\r\n');
        return undefined;
      }
      token = argument;
      const { sha256 } = digests(own);
      line.write(
        `200 ${faults.take('wrong-sha2') === undefined ? sha256 : sha256.replaceAll('A', 'B').replace(/^../, '00')}\r\n`,
      );
    } else if (command === 'PROXY') {
      const refused = faults.take('login-refused');
      if (refused !== undefined) {
        line.write(`${refused.line}\r\n`);
        return undefined;
      }
      const ticket = session === undefined ? undefined : state.disks.redeem(session, state.host);
      if (ticket === undefined) {
        line.write('530 Login incorrect\r\n');
        return undefined;
      }
      if (state.connections >= state.limits.connections) {
        line.write('531 Too many connections\r\n');
        return undefined;
      }
      const isSecure = argument.endsWith('ssl');
      state.connections += 1;
      state.mostConnections = Math.max(state.mostConnections, state.connections);
      line.write(`200 Connect ha-nfc${isSecure ? 'ssl' : ''}\r\n`);
      return { vmId: ticket.vmId, token, isSecure };
    } else {
      line.write('500 Unknown command\r\n');
      return undefined;
    }
  }
  return undefined;
}
