import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { NbdAddress, NbdTls } from './address.ts';
import { guardHandshake, Handshake } from './handshake.ts';
import { HandshakeReader } from './handshake-reader.ts';
import { Link } from './link.ts';

export interface NbdConnectOptions {
  readonly address: NbdAddress;
  /** Name of the export; empty for the server's default. */
  readonly exportName: string;
  /** Metadata contexts to ask for; those that the server lacks are missing in `info.contexts`. */
  readonly contexts?: readonly string[];
  readonly tls?: NbdTls;
  /**
   * Ask for each read in one piece. Servers that send holes look at the allocation first, and then what reads as zeros
   * is only as true as that; this way it is read. @throws source.unsupported when the server can't
   */
  readonly wholeReads?: boolean;
  /** Deadline for connecting and negotiating. */
  readonly handshakeTimeoutMs?: number;
  /** With requests in flight and no byte received for this long, the connection counts as lost. */
  readonly inactivityMs?: number;
}

/** What it takes to talk to a server, whatever export is wanted. */
export type NbdServerOptions = Omit<NbdConnectOptions, 'exportName' | 'contexts'>;

const DEFAULT_TIMEOUT = 20_000;

/** Connects, and hands the negotiation over; whatever fails in it ends the connection. */
export async function negotiate<T>(
  options: NbdServerOptions,
  signal: AbortSignal,
  then: (handshake: Handshake, link: Link) => Promise<T>,
): Promise<T> {
  const timeoutMs = options.handshakeTimeoutMs ?? DEFAULT_TIMEOUT;
  const reader = new HandshakeReader();
  const link = await Link.connect(options.address, reader, options.tls !== undefined, signal, timeoutMs);
  const disarm = guardHandshake(link, signal, timeoutMs);
  try {
    const handshake = new Handshake(link, reader);
    await handshake.begin(options.tls, signal, timeoutMs);
    return await then(handshake, link);
  } catch (error) {
    // What ended the link is the reason, not what the negotiation made of it.
    const reason = link.failed ?? error;
    if (error instanceof CausewayError) link.fail(error);
    throw reason;
  } finally {
    disarm();
  }
}
