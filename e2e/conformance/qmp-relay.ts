import { once } from 'node:events';
import net from 'node:net';
import { CutList } from './cut-list.ts';
import type { Moment, PlatformCalls } from './platform-calls.ts';

/** Stands between a client and QEMU's monitor, so that a test knows of each command before QEMU does. */
export class QmpRelay {
  readonly path: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  /** Called with each command's name before it is passed on. A moment as its answer cuts this connection, and no other one. */
  onCommand: (name: string) => Moment | void = () => undefined;

  private constructor(path: string, target: string) {
    this.path = path;
    this.#server = net.createServer((client) => {
      const qemu = net.connect(target);
      for (const [socket, other] of [
        [client, qemu],
        [qemu, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.end();
        });
      }
      qemu.pipe(client, { end: false });
      client.setEncoding('utf8').on('data', (text: string) => {
        let cut: Moment | void = undefined;
        for (const [, name] of text.matchAll(/"execute":\s*"([^"]+)"/g)) cut ??= this.onCommand(name ?? '');
        if (cut !== undefined) client.destroy();
        if (cut === 'before') return void qemu.end();
        qemu.write(text);
        // What QEMU says to it reaches nobody.
        if (cut === 'after') qemu.end();
      });
    });
  }

  static async start(path: string, target: string): Promise<QmpRelay> {
    const relay = new QmpRelay(path, target);
    relay.#server.listen(path);
    await once(relay.#server, 'listening');
    return relay;
  }

  async close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** The commands that come through a relay as a platform's calls. How often a job is asked about depends on the machine: that is not counted. */
export function callsThrough(relay: QmpRelay): PlatformCalls {
  const cuts = new CutList();
  relay.onCommand = (name) => {
    if (name === 'query-jobs') return undefined;
    const cut = cuts.find(cuts.count(name));
    cut?.tell();
    return cut?.when;
  };
  return cuts.asCalls((name) => name.startsWith('query-'));
}
