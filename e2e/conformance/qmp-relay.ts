import { once } from 'node:events';
import net from 'node:net';

/** Stands between a client and QEMU's monitor, so that a test knows of each command before QEMU does. */
export class QmpRelay {
  readonly path: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #clients = new Set<net.Socket>();
  #cut: 'before' | 'after' | undefined;
  /** Called with each command's name before it is passed on. */
  onCommand: (name: string) => void = () => undefined;

  private constructor(path: string, target: string) {
    this.path = path;
    this.#server = net.createServer((client) => {
      const qemu = net.connect(target);
      this.#clients.add(client);
      for (const [socket, other] of [[client, qemu], [qemu, client]] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.end();
        });
      }
      qemu.pipe(client, { end: false });
      client.setEncoding('utf8').on('data', (text: string) => {
        for (const [, name] of text.matchAll(/"execute":\s*"([^"]+)"/g)) this.onCommand(name ?? '');
        if (this.#cut === 'before') return;
        qemu.write(text);
        // What QEMU says to it reaches nobody.
        if (this.#cut === 'after') qemu.end();
      });
    });
  }

  /** Cuts the link for good, as when the client dies: before the command at hand reaches QEMU, or after. */
  die(when: 'before' | 'after'): void {
    this.#cut = when;
    this.#server.close();
    for (const client of this.#clients) client.destroy();
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
