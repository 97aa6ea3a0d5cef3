import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServedDisk } from '../served-disk.ts';
import { streamOptimized } from '../../../../electron/engine/images/testing/build-vmdk-stream.ts';

/** A disk in an export, with the key that the platform gives it. */
export interface ExportedDevice {
  readonly key: string;
  readonly disk: Pick<ServedDisk, 'path' | 'sizeBytes' | 'read'>;
}

export type LeaseEnd = 'completed' | 'aborted' | 'lapsed';

interface Held {
  readonly devices: readonly (ExportedDevice & { readonly token: string })[];
  /** Asked for its state so often until it is ready. */
  looksUntilReady: number;
  state: 'ready' | 'done' | 'error';
  ended?: LeaseEnd;
  renewals: number;
}

export interface ExportFaults {
  /** Cuts the next stream of any disk after so many bytes. */
  cutAfter?: number;
  /** Answers the next stream with this status. */
  status?: number;
  /** Answers every stream with this status. */
  always?: number;
  /** Sends this instead of the next stream. */
  instead?: Buffer;
  /** Sends no byte of the next stream after the head. */
  silent?: boolean;
}

export interface ExportLeasesOptions {
  /** Put before paths of disks, e.g. `https://*` or `https://esx1.example.com:8443`. */
  readonly origin: () => string;
  readonly sslThumbprint: () => string | undefined;
  readonly timeoutSeconds?: number;
}

/** Exports of the rig: leases that have to be ended, and the streams of their disks. */
export class ExportLeases {
  readonly faults: ExportFaults = {};
  readonly streams: string[] = [];
  readonly #options: ExportLeasesOptions;
  readonly #leases = new Map<string, Held>();

  constructor(options: ExportLeasesOptions) {
    this.#options = options;
  }

  begin(devices: readonly ExportedDevice[]): string {
    const id = `lease-${this.#leases.size + 1}`;
    this.#leases.set(id, {
      devices: devices.map((device) => ({ ...device, token: randomUUID() })),
      looksUntilReady: 2,
      state: 'ready',
      renewals: 0,
    });
    return id;
  }

  state(id: string) {
    const lease = this.#held(id);
    if (lease.state === 'ready' && lease.looksUntilReady > 0) {
      lease.looksUntilReady -= 1;
      return { state: 'initializing' } as const;
    }
    if (lease.state !== 'ready') return { state: lease.state, reason: lease.ended ?? 'ended' };
    const sslThumbprint = this.#options.sslThumbprint();
    return {
      state: 'ready',
      timeoutSeconds: this.#options.timeoutSeconds ?? 300,
      devices: lease.devices.map(({ key, token }, index) => ({
        key,
        url: `${this.#options.origin()}/nfc/${token}/disk-${index}.vmdk`,
        isDisk: true,
        ...(sslThumbprint === undefined ? {} : { sslThumbprint }),
      })),
    } as const;
  }

  progress(id: string, _percent: number): void {
    const lease = this.#held(id);
    if (lease.state !== 'ready') throw new Error('InvalidState');
    lease.renewals += 1;
  }

  end(id: string, how: LeaseEnd): void {
    const lease = this.#held(id);
    if (lease.state !== 'ready') throw new Error('InvalidState');
    lease.state = how === 'lapsed' ? 'error' : 'done';
    lease.ended = how;
  }

  /** How each lease ended; undefined for those that are held. */
  ends(): readonly (LeaseEnd | undefined)[] {
    return [...this.#leases.values()].map(({ ended }) => ended);
  }

  renewals(): number {
    return [...this.#leases.values()].reduce((sum, { renewals }) => sum + renewals, 0);
  }

  handle = (request: IncomingMessage, response: ServerResponse): boolean => {
    const [, token] = /^\/nfc\/([0-9a-f-]+)\/disk-\d+\.vmdk$/.exec(request.url ?? '') ?? [];
    if (token === undefined) return false;
    for (const lease of this.#leases.values()) {
      const device = lease.devices.find((one) => one.token === token);
      if (device !== undefined && lease.state === 'ready') {
        void this.#send(device, response);
        return true;
      }
    }
    response.writeHead(404).end();
    return true;
  };

  async #send({ key, disk }: ExportedDevice, response: ServerResponse): Promise<void> {
    this.streams.push(key);
    const { cutAfter, instead, silent, status = this.faults.always } = this.faults;
    for (const name of ['cutAfter', 'status', 'instead', 'silent'] as const) delete this.faults[name];
    if (status !== undefined) return void response.writeHead(status).end();
    response.writeHead(200, { 'content-type': 'application/x-vnd.vmware-streamVmdk' });
    response.flushHeaders();
    if (silent === true) return;
    if (instead !== undefined) return void response.end(instead);
    // A reader that has seen enough breaks off.
    await pipeline(Readable.from(partsUntil(streamOptimized(disk), cutAfter)), response).catch(() => undefined);
  }

  #held(id: string): Held {
    const lease = this.#leases.get(id);
    if (lease === undefined) throw new Error('ManagedObjectNotFound');
    return lease;
  }
}

async function* partsUntil(parts: AsyncIterable<Buffer>, end = Infinity): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const part of parts) {
    if (sent + part.length > end) throw new Error('cut');
    sent += part.length;
    yield part;
  }
}
