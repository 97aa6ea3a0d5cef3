import { createServer } from 'node:net';
import type { Server } from 'node:net';

const leasePort = 40_079;

/** Loopback addresses of single machines, so that each has fixed ports of its own. A lease ends with the process. */
export class LoopbackHosts {
  readonly #held = new Map<string, Server>();

  async take(): Promise<string> {
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const host = `127.79.${1 + Math.floor(Math.random() * 250)}.${1 + Math.floor(Math.random() * 250)}`;
      const server = createServer((socket) => socket.destroy());
      const isHeld = await new Promise<boolean>((resolve) => {
        server.once('error', () => resolve(false));
        server.listen(leasePort, host, () => resolve(true));
      });
      if (!isHeld) continue;
      server.unref();
      this.#held.set(host, server);
      return host;
    }
    throw new Error('no loopback address is free');
  }

  async release(host: string): Promise<void> {
    const server = this.#held.get(host);
    this.#held.delete(host);
    if (server !== undefined)
      await new Promise((resolve) => {
        server.close(resolve);
      });
  }
}
