import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { SocketPlace } from '../nbd/address.ts';
import { LibvirtConnection, LibvirtError, type LibvirtDomain } from './libvirt-connection.ts';
import type { QmpCarrier } from './qmp-carrier.ts';
import { QmpError } from './qmp-error.ts';

/** libvirt's numbers of errors. */
const NO_DOMAIN = 42;
const OPERATION_INVALID = 55;

/** One libvirt daemon: connects when it is first asked, again after a loss. */
export class LibvirtDaemon {
  readonly name: string;
  readonly #places: (signal: AbortSignal) => Promise<readonly SocketPlace[]>;
  readonly #uri: string;
  #connection: Promise<LibvirtConnection> | undefined;

  /**
   * @param name of the daemon, for messages
   * @param places where it may listen, the likeliest first: which one it is depends on how the host is set up
   */
  constructor(name: string, uri: string, places: (signal: AbortSignal) => Promise<readonly SocketPlace[]>) {
    this.name = name;
    this.#uri = uri;
    this.#places = places;
  }

  async runningDomains(signal: AbortSignal): Promise<readonly LibvirtDomain[]> {
    return (await this.#connected(signal)).runningDomains(signal);
  }

  async monitorCommand(domain: LibvirtDomain, line: string, signal: AbortSignal, timeoutMs?: number): Promise<string> {
    return (await this.#connected(signal)).monitorCommand(domain, line, signal, timeoutMs);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await (await connection?.catch(() => undefined))?.close();
  }

  async #connected(signal: AbortSignal): Promise<LibvirtConnection> {
    for (;;) {
      // Callers in the meantime wait for the same attempt, which ends with the first one's signal.
      const isMine = this.#connection === undefined;
      const attempt = (this.#connection ??= this.#open(signal));
      try {
        const connection = await attempt;
        if (connection.lost === undefined) return connection;
      } catch (error) {
        if (this.#connection === attempt) this.#connection = undefined;
        const wasCancelledByOther =
          !isMine && !signal.aborted && error instanceof CausewayError && error.code === 'general.cancelled';
        if (!wasCancelledByOther) throw error;
      }
      if (this.#connection === attempt) this.#connection = undefined;
    }
  }

  async #open(signal: AbortSignal): Promise<LibvirtConnection> {
    let last: unknown = new CausewayError('source.unreachable', `${this.name}: no socket of libvirt is known`);
    for (const place of await this.#places(signal)) {
      try {
        return await LibvirtConnection.open(place, this.#uri, signal);
      } catch (error) {
        if (!(error instanceof CausewayError) || error.code !== 'source.unreachable') throw error;
        last = error;
      }
    }
    throw last;
  }
}

/** QMP through libvirt's own connection to QEMU. */
export class LibvirtCarrier implements QmpCarrier {
  readonly monitor: string;
  readonly #daemon: LibvirtDaemon;
  readonly #name: string;

  constructor(daemon: LibvirtDaemon, name: string) {
    this.#daemon = daemon;
    this.#name = name;
    this.monitor = `${daemon.name} ${name}`;
  }

  async execute(command: string, args: JsonObject, signal: AbortSignal, timeoutMs?: number): Promise<JsonValue> {
    const answer = parse(
      await this.#monitorCommand(JSON.stringify({ execute: command, arguments: args }), signal, timeoutMs),
    );
    if (answer['error'] !== undefined) throw new QmpError(command, answer['error']);
    return answer['return'] ?? {};
  }

  async close(): Promise<void> {
    // The connection is the daemon's, which other domains share.
  }

  async #monitorCommand(line: string, signal: AbortSignal, timeoutMs: number | undefined): Promise<string> {
    // Asked for each time: a domain that was started again has another ID.
    const domain = (await this.#daemon.runningDomains(signal)).find(({ name }) => name === this.#name);
    if (domain === undefined) throw this.#gone('it does not run');
    try {
      return await this.#daemon.monitorCommand(domain, line, signal, timeoutMs);
    } catch (error) {
      const hasEnded =
        error instanceof LibvirtError &&
        (error.number === NO_DOMAIN || (error.number === OPERATION_INVALID && /not running/i.test(error.message)));
      throw hasEnded ? this.#gone(error.message) : error;
    }
  }

  #gone(why: string): CausewayError {
    return new CausewayError('source.unreachable', `domain ${this.#name} of ${this.#daemon.name}: ${why}`);
  }
}

function parse(line: string): JsonObject {
  try {
    const answer = JSON.parse(line) as JsonValue;
    if (isJsonObject(answer)) return answer;
  } catch {
    // Told below.
  }
  throw new CausewayError('source.protocol', 'libvirt did not return JSON from the monitor of QEMU');
}
