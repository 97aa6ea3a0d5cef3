import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { NfcTicket } from '../disk-access/disk-content.ts';
import { logIn, type NfcEncryption } from './authd.ts';
import { sharedHostSlots, type HostSlot, type HostSlots } from './host-slots.ts';
import { Classic } from './protocol.ts';
import { NfcSession } from './session.ts';

export interface NfcTimeouts {
  readonly connectMs: number;
  /** Silence while an answer is due. */
  readonly silenceMs: number;
  readonly requestMs: number;
  /** First pause before another connection; it doubles. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export interface ConnectorOptions {
  /** Asks the platform for a ticket of the VM: one for each connection. After a vMotion it names another host. */
  ticket(signal: AbortSignal): Promise<NfcTicket>;
  /** The disk's file of the snapshot, as the platform names it now: `[datastore] folder/name.vmdk`. */
  path(signal: AbortSignal): Promise<string>;
  /** Default `required`. */
  readonly encryption?: NfcEncryption;
  /** Default: shared by all disks of this process. */
  readonly slots?: HostSlots;
  /** How often in a row a connection may fail before any byte has come over it. Default 8; 2 for a port that nothing could ever connect to. */
  readonly attempts?: number;
  readonly timeouts?: Partial<NfcTimeouts>;
}

/** What happens on the way to a connection. */
export type ConnectorEvent =
  | { readonly kind: 'waiting'; readonly host: string }
  | { readonly kind: 'retrying'; readonly reason: CausewayError; readonly inMs: number };

/** A disk that is open on a host, in the place that it has there. */
export interface OpenLink {
  readonly session: NfcSession;
  readonly slot: HostSlot;
  readonly host: string;
  readonly isEncrypted: boolean;
}

const usualTimeouts: NfcTimeouts = {
  connectMs: 10_000,
  silenceMs: 60_000,
  requestMs: 600_000,
  firstPauseMs: 500,
  longestPauseMs: 15_000,
};
const LARGEST_BUFFER = 2 ** 20;
const SMALLEST_BUFFER = 65_536;
const BUFFER_COUNT = 4;
const DEFAULT_ATTEMPTS = 8;
/** For a port that nothing can connect to, before the disk was ever open: with packets that are dropped, each takes ten seconds. */
const ATTEMPTS_AT_CLOSED_PORT = 2;

/** Whether another connection may get over it. Asking the platform for a ticket may fail in its own ways. */
export const isPassing = (error: CausewayError): boolean => error.retryable && error.code !== 'source.disk-replaced';

export function asKnown(error: unknown): CausewayError {
  return error instanceof CausewayError
    ? error
    : new CausewayError('general.bug', 'reading from the host failed', { cause: error });
}

/**
 * Makes the connections of one disk, one after another: asks for a ticket, waits for a place on the host, logs in and opens the disk. Learns
 * from refusals how to ask the next time, and counts failures in a row.
 */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #timeouts: NfcTimeouts;
  readonly #slots: HostSlots;
  readonly #attempts: number;
  readonly #onEvent: (event: ConnectorEvent) => void;
  #sizeBytes: number | undefined;
  /** What the host's memory allowed last; halved when it refuses. */
  #largestBuffer = LARGEST_BUFFER;
  #withoutToken = false;
  #failuresInARow = 0;
  #lastReason: CausewayError | undefined;

  constructor(options: ConnectorOptions, onEvent: (event: ConnectorEvent) => void) {
    this.#options = options;
    this.#timeouts = { ...usualTimeouts, ...options.timeouts };
    this.#slots = options.slots ?? sharedHostSlots;
    this.#attempts = options.attempts ?? DEFAULT_ATTEMPTS;
    this.#onEvent = onEvent;
  }

  /** Of the disk, once it was open. Another size later is another disk. */
  get sizeBytes(): number | undefined {
    return this.#sizeBytes;
  }

  /** Data has come: failures before it count no longer. */
  noteProgress(): void {
    this.#failuresInARow = 0;
  }

  /** A connection was lost. @returns whether another one may get over it */
  noteLoss(error: CausewayError): boolean {
    this.#lastReason = error;
    this.#failuresInARow += 1;
    return isPassing(error) && this.#failuresInARow < this.#attempts;
  }

  /** The next connection. @throws CausewayError when it is of no use to go on */
  async connect(life: AbortSignal): Promise<OpenLink> {
    for (;;) {
      life.throwIfAborted();
      // After a loss, the same host usually answers again at once; only then pauses begin.
      if (this.#failuresInARow > 1) await this.#pause(life);
      try {
        return await this.#connectOnce(life);
      } catch (error) {
        const known = asKnown(error);
        this.#learn(known);
        life.throwIfAborted();
        const isClosed = this.#sizeBytes === undefined && known.code === 'source.host-unreachable';
        if (!this.noteLoss(known) || (isClosed && this.#failuresInARow >= ATTEMPTS_AT_CLOSED_PORT)) throw known;
      }
    }
  }

  async #pause(life: AbortSignal): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#timeouts;
    const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failuresInARow - 2)) * (0.75 + Math.random() / 4);
    if (this.#lastReason !== undefined)
      this.#onEvent({ kind: 'retrying', reason: this.#lastReason, inMs: Math.round(ms) });
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        life.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      life.addEventListener('abort', end, { once: true });
      if (life.aborted) end();
    });
    life.throwIfAborted();
  }

  /** What a refusal says about how to ask the next time. */
  #learn(error: CausewayError): void {
    if (error.code === 'source.host-busy') this.#largestBuffer = Math.max(SMALLEST_BUFFER, this.#largestBuffer / 2);
    // Hosts before 7.0 end the session at a message that they don't know.
    if (error.code === 'source.data-session-refused' && error.details['due'] === Classic.parametersReply)
      this.#withoutToken = true;
  }

  async #connectOnce(life: AbortSignal): Promise<OpenLink> {
    const { ticket, slot } = await this.#place(life);
    try {
      const path = await this.#options.path(life);
      const { connectMs, silenceMs, requestMs } = this.#timeouts;
      const data = await logIn(
        ticket,
        this.#options.encryption ?? 'required',
        { connectMs, answerMs: silenceMs },
        life,
      );
      const bufferBytes = Math.min(this.#largestBuffer, slot.bufferBytes / BUFFER_COUNT);
      const session = await NfcSession.open(
        this.#withoutToken ? { ...data, token: undefined } : data,
        { path, bufferBytes, bufferCount: BUFFER_COUNT, silenceMs, requestMs },
        life,
      );
      const { sizeBytes } = session.disk;
      if (this.#sizeBytes !== undefined && this.#sizeBytes !== sizeBytes) {
        const error = new CausewayError(
          'source.disk-replaced',
          `${path} has ${sizeBytes} bytes on ${ticket.host}, it had ${this.#sizeBytes}`,
        );
        session.end(error);
        throw error;
      }
      this.#sizeBytes = sizeBytes;
      return { session, slot, host: ticket.host, isEncrypted: data.isEncrypted };
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** A ticket, and a place on the host that it names. */
  async #place(life: AbortSignal): Promise<{ readonly ticket: NfcTicket; readonly slot: HostSlot }> {
    let ticket = await this.#options.ticket(life);
    let slot = this.#slots.tryAcquire(ticket.host);
    while (slot === undefined) {
      this.#onEvent({ kind: 'waiting', host: ticket.host });
      const place = await this.#slots.acquire(ticket.host, life);
      // The wait may have outlasted the ticket, or the VM may have moved.
      const { host } = ticket;
      try {
        ticket = await this.#options.ticket(life);
      } catch (error) {
        place.release();
        throw error;
      }
      if (ticket.host.toLowerCase() === host.toLowerCase()) slot = place;
      else {
        place.release();
        slot = this.#slots.tryAcquire(ticket.host);
      }
    }
    return { ticket, slot };
  }
}
