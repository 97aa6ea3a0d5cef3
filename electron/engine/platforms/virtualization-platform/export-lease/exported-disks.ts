import type { IncomingMessage } from 'node:http';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Trust } from '../../../http/transport.ts';
import type { BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import type { DiskContent } from '../disk-access/disk-content.ts';
import { FileServer } from '../disk-access/file-server.ts';
import { deviceOf, type DiskAttachment, type ExportCalls, type LeaseDevice } from './export-calls.ts';
import { Lease } from './lease.ts';
import { StreamedDisk } from './streamed-disk.ts';

export interface ExportedDisksOptions {
  readonly calls: ExportCalls;
  /** The host that was logged in to: what `*` in a URL stands for. */
  readonly host: string;
  /** Of that host; default 443. */
  readonly port?: number;
  /** For URLs without a thumbprint. */
  readonly trust: Trust;
  /** What people are told of, e.g. that a stream starts over. */
  readonly note?: (message: string) => void;
  readonly clock?: Clock;
  /** For tests. */
  readonly windowBytes?: number;
  readonly inactivityMs?: number;
  readonly backOff?: BackOff;
}

export interface ExportedDisk {
  /** Name of the disk in messages. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly attachment: DiskAttachment;
}

/**
 * The disks of one VM or snapshot, read through one export: the platform sends each as a compressed stream. The export begins
 * with the first disk that is opened and ends with the last that is closed; one that the platform ended is begun again.
 */
export class ExportedDisks {
  readonly #options: ExportedDisksOptions;
  readonly #clock: Clock;
  readonly #open = new Map<StreamedDisk, FileServers>();
  readonly #readBytes = new Map<string, number>();
  #totalBytes = 0;
  #lease: Promise<Lease> | undefined;
  #allComplete = true;

  constructor(options: ExportedDisksOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** @throws CausewayError source.request-refused, source.disk-not-found, source.tls-refused, source.unsupported */
  async openDisk(disk: ExportedDisk, signal: AbortSignal): Promise<DiskContent> {
    const servers = new FileServers(this.#options);
    const { windowBytes, inactivityMs, backOff, note } = this.#options;
    const content = new StreamedDisk({
      name: disk.name,
      sizeBytes: disk.sizeBytes,
      clock: this.#clock,
      open: (ends) => this.#stream(disk, servers, ends),
      onProgress: (bytes) => this.#readBytes.set(disk.name, Math.max(bytes, this.#readBytes.get(disk.name) ?? 0)),
      onRestart: (wanted, why) => note?.(`${disk.name}: the export starts over to reach byte ${wanted} (${why})`),
      ...(windowBytes === undefined ? {} : { windowBytes }),
      ...(inactivityMs === undefined ? {} : { inactivityMs }),
      ...(backOff === undefined ? {} : { backOff }),
    });
    this.#open.set(content, servers);
    this.#totalBytes += disk.sizeBytes;
    try {
      // The disk has to be in the export before anybody waits for its bytes.
      const lease = await this.#alive(signal);
      deviceOf(lease.devices, disk.attachment);
    } catch (error) {
      await this.#closeDisk(content);
      throw error;
    }
    return {
      sizeBytes: content.sizeBytes,
      read: (offset, into, ends) => content.read(offset, into, ends),
      close: () => this.#closeDisk(content),
    };
  }

  /** Ends the export, whatever is still open. */
  async close(): Promise<void> {
    for (const disk of [...this.#open.keys()]) await this.#closeDisk(disk);
  }

  async #stream(disk: ExportedDisk, servers: FileServers, signal: AbortSignal): Promise<IncomingMessage> {
    const lease = await this.#alive(signal);
    const answer = await servers.get(deviceOf(lease.devices, disk.attachment), signal);
    const status = answer.statusCode ?? 0;
    if (status === 200) return answer;
    answer.destroy();
    const why = `${disk.name}: the export answered with HTTP ${status}`;
    if (status !== 404 && status !== 410 && status < 500)
      throw new CausewayError('source.request-refused', why, { details: { status } });
    // The URL is the lease's: with another lease it is another one.
    await this.#forget(lease);
    throw new CausewayError('source.connection-lost', why, { details: { status } });
  }

  async #alive(signal: AbortSignal): Promise<Lease> {
    this.#lease ??= Lease.take(this.#options.calls, this.#clock, () => this.#percent(), signal).catch(
      (error: unknown) => {
        this.#lease = undefined;
        throw error;
      },
    );
    const lease = await this.#lease;
    if (lease.lost === undefined) return lease;
    await this.#forget(lease);
    return this.#alive(signal);
  }

  async #forget(lease: Lease): Promise<void> {
    if ((await this.#lease?.catch(() => undefined)) === lease) this.#lease = undefined;
    await lease.end('abort');
  }

  async #closeDisk(content: StreamedDisk): Promise<void> {
    const servers = this.#open.get(content);
    if (servers === undefined) return;
    this.#open.delete(content);
    this.#allComplete &&= content.isComplete;
    await content.close();
    servers.close();
    if (this.#open.size > 0) return;
    const lease = await this.#lease?.catch(() => undefined);
    this.#lease = undefined;
    await lease?.end(this.#allComplete ? 'complete' : 'abort');
    this.#allComplete = true;
    this.#totalBytes = 0;
    this.#readBytes.clear();
  }

  #percent(): number {
    let read = 0;
    for (const bytes of this.#readBytes.values()) read += bytes;
    return this.#totalBytes === 0 ? 0 : (read / this.#totalBytes) * 100;
  }
}

/** The servers that the URLs of one disk lead to: usually one, another after a lease that was taken again. */
class FileServers {
  readonly #options: ExportedDisksOptions;
  readonly #byAddress = new Map<string, FileServer>();

  constructor(options: ExportedDisksOptions) {
    this.#options = options;
  }

  async get({ url, sslThumbprint, key }: LeaseDevice, signal: AbortSignal): Promise<IncomingMessage> {
    const [, host, port, path] =
      /^https:\/\/(\*|[^/?#@\s:]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?(\/[^\s#]*)$/i.exec(url) ?? [];
    if (host === undefined || path === undefined)
      throw new CausewayError('source.protocol', `the export gives no HTTPS address for ${key}`);
    const usedPort = Number(port ?? (host === '*' ? this.#options.port : undefined) ?? 443);
    const name = host === '*' ? this.#options.host : host.replace(/^\[|\]$/g, '');
    const address = `${name} ${usedPort} ${sslThumbprint ?? ''}`;
    let server = this.#byAddress.get(address);
    if (server === undefined) {
      const trust = sslThumbprint === undefined ? this.#options.trust : { sslThumbprint };
      server = new FileServer({ host: name, port: usedPort, trust });
      this.#byAddress.set(address, server);
    }
    const answer = await server.send({ method: 'GET', path }, signal);
    // The reader watches it: while the destination is slow nothing is received, and that is no loss.
    answer.socket.setTimeout(0);
    return answer;
  }

  close(): void {
    for (const server of this.#byAddress.values()) server.close();
  }
}
