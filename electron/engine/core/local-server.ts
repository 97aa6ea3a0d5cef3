import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isEventName, type EventName } from '../../../shared/contract/contract.ts';
import type { Core } from './core.ts';
import { readLines, requestSchema } from './local-protocol.ts';

export interface LocalServer {
  /** Lets calls that are under way end, then hangs up. */
  close(): Promise<void>;
}

/** How long clients that have just come may take to say what they want, before the engine ends. */
const graceMs = 2_000;

/** Serves the core to other processes of the same user: the same contract, as JSON lines. */
export async function serveLocally(core: Core, address: string): Promise<LocalServer> {
  const clients = new Set<Socket>();
  let underWay = 0;
  const server = createServer((socket) => {
    clients.add(socket);
    const calls = new Map<number, AbortController>();
    const subscriptions = new Map<EventName, () => void>();
    const send = (message: object): void => {
      if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
    };
    const subscribe = <N extends EventName>(name: N): void => {
      if (!subscriptions.has(name)) subscriptions.set(name, core.subscribe(name, (payload) => send({ event: name, payload })));
    };
    const end = (): void => {
      clients.delete(socket);
      for (const stop of subscriptions.values()) stop();
      for (const call of calls.values()) call.abort();
    };
    socket.on('close', end);
    socket.on('error', () => socket.destroy());
    readLines(
      socket,
      (value) => {
        const parsed = requestSchema.safeParse(value);
        if (!parsed.success) return void socket.destroy();
        const request = parsed.data;
        if ('abort' in request) return calls.get(request.abort)?.abort();
        if ('subscribe' in request) return isEventName(request.subscribe) ? subscribe(request.subscribe) : undefined;
        const controller = new AbortController();
        calls.set(request.id, controller);
        underWay += 1;
        void core.dispatch(request.call, request.input, controller.signal).then((answer) => {
          underWay -= 1;
          calls.delete(request.id);
          send({ id: request.id, answer });
        });
      },
      () => socket.destroy(),
    );
  });
  if (process.platform !== 'win32') rmSync(address, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  if (process.platform !== 'win32') chmodSync(address, 0o600);
  return {
    async close() {
      // Removes the socket, so that who comes now waits for the lock instead.
      server.close();
      const until = performance.now() + graceMs;
      while (underWay > 0 || (clients.size > 0 && performance.now() < until)) await delay(20);
      for (const socket of clients) socket.end();
    },
  };
}

