import { resolve } from 'node:path';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import type { SocketPlace } from '../nbd/address.ts';
import type { QmpCarrier } from './qmp-carrier.ts';
import { QmpConnection } from './qmp-connection.ts';

/** QEMU serves one client a socket: an idle connection is given up, so that others get their turn. */
const IDLE_MS = 3000;

/** QMP over a Unix socket: connects when needed, again after a loss, and disconnects when idle. */
export class SocketCarrier implements QmpCarrier {
  readonly monitor: string;
  readonly #place: SocketPlace;
  #connection: Promise<QmpConnection> | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(place: SocketPlace) {
    this.#place = place;
    this.monitor = typeof place === 'string' ? resolve(place) : place.name;
  }

  async execute(command: string, args: JsonObject, signal: AbortSignal, timeoutMs?: number): Promise<JsonValue> {
    clearTimeout(this.#idle);
    this.#users += 1;
    try {
      return await (await this.#connected(signal)).execute(command, args, signal, timeoutMs);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const connection = this.#connection;
    this.#connection = undefined;
    await (await connection?.catch(() => undefined))?.close();
  }

  async #connected(signal: AbortSignal): Promise<QmpConnection> {
    for (;;) {
      // Callers in the meantime wait for the same attempt.
      const attempt = (this.#connection ??= QmpConnection.connect(this.#place, signal));
      try {
        const connection = await attempt;
        if (connection.lost === undefined) return connection;
      } catch (error) {
        if (this.#connection === attempt) this.#connection = undefined;
        throw error;
      }
      if (this.#connection === attempt) this.#connection = undefined;
    }
  }
}
