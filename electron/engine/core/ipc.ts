import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { channelClient } from '../../../shared/contract/channel-client.ts';
import { messageText, mostMessageBytes, type Channel } from '../../../shared/contract/channel.ts';
import { calls, events } from '../../../shared/contract/contract.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { serveChannel, type Served, type ServedChannel } from '../../../shared/contract/serve-channel.ts';
import type { EventTable } from '../../../shared/contract/tables.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

const newline = 10;
const keyBytes = 32;
/** How long a client may take to send the key. */
const admissionMs = 5_000;

/**
 * Calls back for each line; `failed`, and nothing after it, when one is too long or no JSON. What came of a line is put together once it
 * is whole, and only what is new is searched: a long line comes in thousands of pieces.
 */
export function readLines(
  stream: Readable,
  line: (value: unknown) => void,
  failed: (error: Error) => void,
  longest = mostMessageBytes,
): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let hasFailed = false;
  const fail = (reason: string): void => {
    hasFailed = true;
    pieces = [];
    failed(new Error(reason));
  };
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    length += piece.length;
    if (length > longest) fail('a line is too long');
  };
  const take = (): void => {
    const whole = Buffer.concat(pieces, length);
    pieces = [];
    length = 0;
    let value: unknown;
    try {
      value = JSON.parse(whole.toString('utf8'));
    } catch {
      return fail('a line is not JSON');
    }
    line(value);
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    while (!hasFailed) {
      const end = chunk.indexOf(newline, from);
      add(chunk.subarray(from, end < 0 ? undefined : end));
      if (end < 0) return;
      if (!hasFailed) take();
      from = end + 1;
    }
  });
}

/** Where an engine listens, and what its clients send first where other users can reach that, too. */
export interface LocalPlace {
  readonly address: string;
  readonly key?: string | undefined;
}

/**
 * Where the engine of a project listens: a socket in its state folder, which is closed to others; in a private folder of
 * the system's temporary one where the path would be too long for a socket (about 100 bytes); a named pipe on Windows.
 *
 * Node gives a pipe the rights that Windows gives by default: every user may open it and read. So it serves only who knows the
 * key, which is in the state folder, and has another name each time: nobody can wait there with a pipe of their own.
 */
export function localPlace(stateFolder: string, platform: NodeJS.Platform = process.platform): LocalPlace {
  if (platform === 'win32')
    return {
      address: `\\\\.\\pipe\\causeway-${randomBytes(16).toString('hex')}`,
      key: randomBytes(keyBytes).toString('hex'),
    };
  return { address: localAddress(stateFolder) };
}

/** @param name of the socket: an engine's, or of what stands in front of it */
export function localAddress(stateFolder: string, name: 'engine' | 'mover' = 'engine'): string {
  const folder = resolve(stateFolder);
  const digest = createHash('sha256')
    .update(name === 'engine' ? folder : `${name} ${folder}`)
    .digest('hex')
    .slice(0, 24);
  const near = join(folder, `${name}.sock`);
  if (Buffer.byteLength(near) < 100) return near;
  const uid = process.getuid?.() ?? 0;
  const privateFolder = join(tmpdir(), `causeway-${uid}`);
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  const found = lstatSync(privateFolder);
  if (!found.isDirectory() || found.uid !== uid)
    throw new CausewayError('general.invalid-input', `${privateFolder} belongs to another user`);
  chmodSync(privateFolder, 0o700);
  return join(privateFolder, `${digest}.sock`);
}

/** A local socket, or one that SSH carries, as a channel: one JSON object a line. Anything else closes it. */
export function localChannel(socket: Duplex): Channel {
  socket.on('error', () => socket.destroy());
  return {
    send(message) {
      if (!socket.destroyed) socket.write(`${messageText(message)}\n`);
    },
    onMessage: (listener) => readLines(socket, listener, () => socket.destroy()),
    onClose: (listener) => void socket.once('close', listener),
    close: () => void socket.end(),
  };
}

/**
 * What an engine tells a client once it serves it. The system connects clients before the engine has heard of them, and disconnects them
 * when it ends before that; after this event the engine waits for the client's first call.
 */
const admission = { welcome: z.null() };

/** A client of an engine that runs in another process. Rejects when no engine listens there, and when it ends before it serves this client. */
export async function connectLocally({ address, key }: LocalPlace, signal?: AbortSignal): Promise<CoreClient> {
  const socket = createConnection(address);
  const stop = (): void =>
    void socket.destroy(new CausewayError('general.cancelled', 'nobody waits for the engine any more'));
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (key !== undefined) socket.write(key);
    const channel = localChannel(socket);
    const client = channelClient(channel, calls, { ...events, ...admission });
    await new Promise<void>((resolve, reject) => {
      client.subscribe('welcome', () => resolve());
      socket.once('error', reject);
      channel.onClose(() =>
        reject(new CausewayError('engine.connection-lost', 'the engine ended before it served this process')),
      );
    });
    return client;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

export interface LocalServer {
  /** Waits for running calls, then closes the connections. */
  close(): Promise<void>;
}

/** How long new clients may take to send their first call before the engine exits. */
const graceMs = 2_000;

/** Serves the core, or the workbench in front of it, to other processes of the same user: the same contract, as JSON lines, behind the key if there is one. */
export async function serveLocally(
  served: Served,
  { address, key }: LocalPlace,
  told: EventTable = events,
): Promise<LocalServer> {
  const clients = new Map<Socket, ServedChannel>();
  const strangers = new Set<Socket>();
  const serve = (socket: Socket): void => {
    const channel = localChannel(socket);
    clients.set(socket, serveChannel(served, told, channel));
    socket.on('close', () => clients.delete(socket));
    channel.send({ event: 'welcome', payload: null });
  };
  const server = createServer((socket) => {
    if (key === undefined) return serve(socket);
    strangers.add(socket);
    void admit(socket, key).then((isKnown) => {
      strangers.delete(socket);
      if (isKnown) serve(socket);
      else socket.destroy();
    });
  });
  if (process.platform !== 'win32') rmSync(address, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  if (process.platform !== 'win32') chmodSync(address, 0o600);
  const isBusy = (): boolean => [...clients.values()].some(({ underWay }) => underWay > 0);
  return {
    async close() {
      // Who has connected is heard of a turn of the event loop later, on Windows also after their own end has heard it.
      await nextTurn();
      // Removes the socket, so that new clients wait for the lock instead.
      server.close();
      const until = performance.now() + graceMs;
      while (isBusy() || (clients.size + strangers.size > 0 && performance.now() < until)) await delay(20);
      for (const socket of clients.keys()) socket.end();
      for (const socket of strangers) socket.destroy();
    },
  };
}

/** Whether the first bytes are the key. Nothing of what follows is read, and nothing is sent, before that. */
function admit(socket: Socket, key: string): Promise<boolean> {
  const expected = Buffer.from(key);
  return new Promise((resolve) => {
    const decide = (isKnown: boolean): void => {
      clearTimeout(timer);
      socket.off('readable', read).off('close', gone);
      resolve(isKnown);
    };
    const read = (): void => {
      const given = socket.read(expected.length) as Buffer | null;
      if (given !== null) decide(given.length === expected.length && timingSafeEqual(given, expected));
    };
    const gone = (): void => decide(false);
    const timer = setTimeout(gone, admissionMs);
    socket.on('error', () => socket.destroy());
    socket.on('readable', read).on('close', gone);
  });
}
