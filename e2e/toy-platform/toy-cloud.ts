import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, rm, truncate } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callFaults, type CallFault, type PlatformCalls } from '../conformance/platform-calls.ts';

const gib = 2 ** 30;
const run = promisify(execFile);
export const toyKey = 'PRIVATE-toy-key';

/** A resource of any kind: what it was created with, an id, and whether its creation went well. */
export interface ToyResource extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  labels: Record<string, string>;
  readonly status: 'READY' | 'FAILED';
}

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The smallest platform that has all three parts: VMs whose disks are files, volumes, snapshots, NICs and servers, behind
 * an HTTP API on loopback. Servers are records; nothing boots.
 */
export class ToyCloud {
  readonly url: string;
  readonly folder: string;
  readonly vms = new Map<
    string,
    { readonly name: string; readonly disks: { readonly id: string; sizeBytes: number }[] }
  >();
  readonly #resources = new Map<string, ToyResource>();
  readonly #server: Server;
  readonly #calls: { readonly name: string; readonly changes: boolean }[] = [];
  readonly #making = new Set<Promise<unknown>>();
  #faults: { readonly from: number; readonly to: number; readonly fault: CallFault; readonly tell: () => void }[] = [];

  private constructor(folder: string, server: Server) {
    this.folder = folder;
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ToyCloud> {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-toy-'));
    await mkdir(join(folder, 'disks'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ToyCloud(folder, server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The bytes of a volume, of a snapshot, of a VM's disk, or of a disk in an export (`<export>-<disk>`). */
  disk(id: string): string {
    return join(this.folder, 'disks', id);
  }

  list(kind: string): ToyResource[] {
    return [...this.#resources.values()].filter((one) => one['kind'] === kind);
  }

  find(id: string): ToyResource | undefined {
    return this.#resources.get(id);
  }

  remove(id: string): void {
    this.#resources.delete(id);
  }

  /** Once all is made that was asked for, also by who has given up waiting meanwhile: who looks for it finds it, and does not ask for a second one. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#making);
  }

  async inventory(): Promise<string[]> {
    await this.settled();
    return [...this.#resources.values()]
      .filter(({ kind }) => kind !== 'exports')
      .map((one) => `${String(one['kind']).slice(0, -1)} ${one.name}`);
  }

  readonly calls: PlatformCalls = {
    faults: callFaults,
    callCount: () => this.#calls.length,
    callName: (number) => this.#calls[number - 1]?.name ?? 'none',
    callChanges: (number) => this.#calls[number - 1]?.changes ?? false,
    failCall: (n, fault) => this.#fail(n, 0, fault, () => undefined),
    cutOff: (n, when, tell) => {
      if (when === 'after') this.#fail(n, 0, 'cut-after', tell);
      this.#fail(when === 'after' ? n + 1 : n, Infinity, 'cut-before', tell);
    },
    clearFaults: () => {
      this.#faults = [];
    },
  };

  #fail(n: number, more: number, fault: CallFault, tell: () => void): void {
    this.#faults.push({ from: this.#calls.length + n, to: this.#calls.length + n + more, fault, tell });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', this.url);
    this.#calls.push({ name: `${method} ${url.pathname}`, changes: method !== 'GET' });
    const due = this.#faults.find(({ from, to }) => this.#calls.length >= from && this.#calls.length <= to);
    due?.tell();
    const send = (status: number, body?: unknown): void =>
      void response.writeHead(status, { 'retry-after': '0' }).end(body === undefined ? '' : JSON.stringify(body));
    if (due?.fault === 'cut-before') return void request.socket.destroy();
    if (due?.fault === 'never-answered') return;
    if (due?.fault === 'refused-for-now') return send(503);
    if (due?.fault === 'throttled') return send(429);
    let answer: [number, unknown?];
    try {
      if (request.headers.authorization !== toyKey) throw new Refused(401, 'unknown key');
      const body = JSON.parse(chunks.length === 0 ? '{}' : Buffer.concat(chunks).toString()) as Record<string, unknown>;
      answer = [
        200,
        await this.#perform(
          method,
          url.pathname.split('/').slice(1),
          url.searchParams,
          body,
          due?.fault === 'fails-later',
        ),
      ];
    } catch (error) {
      answer =
        error instanceof Refused ? [error.status, { message: error.message }] : [500, { message: String(error) }];
    }
    if (due?.fault === 'cut-after') return void request.socket.destroy();
    if (due?.fault === 'gateway-error-after') return send(502);
    send(...answer);
  }

  async #perform(
    method: string,
    [kind = '', id, part, partId]: string[],
    query: URLSearchParams,
    body: Record<string, unknown>,
    fails: boolean,
  ): Promise<unknown> {
    if (kind === 'networks')
      return [
        { id: 'net-blue', name: 'blue' },
        { id: 'net-green', name: 'green' },
      ];
    if (kind === 'images') return [{ id: 'image-linux', name: 'linux' }];
    if (kind === 'types') return [{ id: 'fast', name: 'fast' }];
    if (kind === 'vms') return [...this.vms].map(([vmId, vm]) => ({ id: vmId, ...vm }));
    if (method === 'POST' && id === undefined) {
      const made = this.#create(kind, body, fails).finally(() => this.#making.delete(made));
      this.#making.add(made);
      return made;
    }
    await this.settled();
    if (id === undefined)
      return this.list(kind).filter((one) =>
        [...query].every(([key, value]) => (key === 'name' ? one.name : one.labels[key]) === value),
      );
    const found = this.#resources.get(id);
    if (found === undefined || found['kind'] !== kind) throw new Refused(404, `no ${kind} ${id}`);
    if (part === 'volumes') this.#attach(found, method, String(partId));
    else if (method === 'PATCH') await this.#change(found, body);
    else if (method === 'DELETE') await this.#delete(found);
    return found;
  }

  async #create(kind: string, body: Record<string, unknown>, fails: boolean): Promise<ToyResource> {
    const id = randomUUID();
    const made: ToyResource = { labels: {}, name: id, ...body, id, kind, status: fails ? 'FAILED' : 'READY' };
    if (kind === 'nics')
      Object.assign(made, {
        mac: `02:00:00:${id.slice(0, 2)}:${id.slice(2, 4)}:${id.slice(4, 6)}`,
        ip: `127.0.1.${1 + (this.#calls.length % 250)}`,
      });
    if (kind === 'servers') {
      const volumes = (made['volumeIds'] ??= []) as string[];
      if (volumes.some((volumeId) => this.#resources.get(volumeId)?.['serverId'] !== undefined))
        throw new Refused(409, 'a volume is attached elsewhere');
      for (const volumeId of volumes) Object.assign(this.#resources.get(volumeId) ?? {}, { serverId: id });
    }
    if (kind === 'volumes' && made['from'] === undefined) await this.#blank(id, Number(made['sizeGib']) * gib);
    else if (kind === 'volumes') await this.#copy(String(made['from']), id);
    else if (kind === 'snapshots') await this.#copy(String(made['volumeId']), id);
    else if (kind === 'exports') {
      const disks = this.vms.get(String(made['vmId']))?.disks ?? [];
      made['disks'] = disks.map((disk) => ({ ...disk }));
      for (const disk of disks) await this.#copy(disk.id, `${id}-${disk.id}`);
    }
    // It is listed once it is complete: who looks for it after a lost answer may use it at once.
    this.#resources.set(id, made);
    return made;
  }

  /** Disks stay sparse. */
  async #copy(from: string, to: string): Promise<void> {
    await run('cp', ['--sparse=always', '--reflink=auto', this.disk(from), this.disk(to)]);
  }

  async #blank(id: string, sizeBytes: number): Promise<void> {
    await (await open(this.disk(id), 'w')).close();
    await truncate(this.disk(id), sizeBytes);
  }

  async #change(
    one: ToyResource,
    { labels = {}, sizeGib }: { labels?: Record<string, string>; sizeGib?: number },
  ): Promise<void> {
    one.labels = { ...one.labels, ...labels };
    if (sizeGib === undefined) return;
    one['sizeGib'] = sizeGib;
    await truncate(this.disk(one.id), sizeGib * gib);
  }

  #attach(server: ToyResource, method: string, volumeId: string): void {
    const volume = this.#resources.get(volumeId);
    if (volume === undefined) throw new Refused(404, `no volume ${volumeId}`);
    if (method === 'PUT' && volume['serverId'] !== undefined && volume['serverId'] !== server.id)
      throw new Refused(409, `volume ${volumeId} is attached`);
    if (method === 'PUT') volume['serverId'] = server.id;
    else if (volume['serverId'] === server.id) delete volume['serverId'];
  }

  async #delete(one: ToyResource): Promise<void> {
    if (one['serverId'] !== undefined) throw new Refused(409, 'a server has it');
    if (one['kind'] === 'volumes' && this.list('snapshots').some((snapshot) => snapshot['volumeId'] === one.id))
      throw new Refused(409, 'it has snapshots');
    if (
      one['kind'] === 'nics' &&
      this.list('servers').some((server) => (server['nicIds'] as string[]).includes(one.id))
    )
      throw new Refused(409, 'a server has it');
    if (one['kind'] === 'servers')
      for (const volume of this.list('volumes')) if (volume['serverId'] === one.id) delete volume['serverId'];
    this.#resources.delete(one.id);
    await rm(this.disk(one.id), { force: true });
    for (const disk of (one['disks'] ?? []) as { id: string }[])
      await rm(this.disk(`${one.id}-${disk.id}`), { force: true });
  }
}
