import type { Duplex } from 'node:stream';
import type { CausewayError } from '../../../shared/model/causeway-error.ts';

/** A stream to a socket of another machine. */
export interface RemoteStream {
  readonly stream: Duplex;
  /** Why it ended, where the way to the other machine was lost and not the socket itself. */
  lost(): CausewayError | undefined;
}

/** A Unix socket of another machine, each connection to it a stream that something else forwards. */
export interface RemoteSocket {
  /** Its path there. */
  readonly path: string;
  /** Host and path, for messages; two sockets of one name are the same. */
  readonly name: string;
  /** @throws CausewayError source.unreachable when nobody listens there; another code when the machine itself was not reached */
  open(signal: AbortSignal): Promise<RemoteStream>;
}

/** A Unix socket: its path on this machine, or one of another machine. */
export type SocketPlace = string | RemoteSocket;

/** Where an NBD server listens. */
export type NbdAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'remote'; readonly socket: RemoteSocket }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export function unixAddress(place: SocketPlace): NbdAddress {
  return typeof place === 'string' ? { kind: 'unix', path: place } : { kind: 'remote', socket: place };
}

/** How the server is verified, and what it may verify in turn. PEM texts; live in memory only. */
export interface NbdTls {
  /** Certificates that the server's chain must lead to. Unset with `pinnedSha256` unset: the system's. */
  readonly caPem?: string;
  /** SHA-256 of the server's certificate (DER) in hex; when set, exactly this certificate is accepted and no other. */
  readonly pinnedSha256?: string;
  /** Name that the certificate must bear; default is the address' host. Required with a CA over a Unix socket. */
  readonly serverName?: string;
  readonly clientCertificatePem?: string;
  readonly clientKeyPem?: string;
}

export function addressText(address: NbdAddress): string {
  if (address.kind === 'unix') return address.path;
  return address.kind === 'remote' ? address.socket.name : `${address.host}:${address.port}`;
}
