import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { events } from '../../../../shared/contract/contract.ts';
import { serveChannel, type ServedChannel } from '../../../../shared/contract/serve-channel.ts';
import type { Core } from '../core.ts';
import { localChannel } from './channel.ts';

export interface LocalServer {
  /** Lets calls that are under way end, then hangs up. */
  close(): Promise<void>;
}

/** How long clients that have just come may take to say what they want, before the engine ends. */
const graceMs = 2_000;

/** Serves the core to other processes of the same user: the same contract, as JSON lines. */
export async function serveLocally(core: Core, address: string): Promise<LocalServer> {
  const clients = new Map<Socket, ServedChannel>();
  const server = createServer((socket) => {
    clients.set(socket, serveChannel(core, events, localChannel(socket)));
    socket.on('close', () => clients.delete(socket));
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
      // Removes the socket, so that who comes now waits for the lock instead.
      server.close();
      const until = performance.now() + graceMs;
      while (isBusy() || (clients.size > 0 && performance.now() < until)) await delay(20);
      for (const socket of clients.keys()) socket.end();
    },
  };
}
