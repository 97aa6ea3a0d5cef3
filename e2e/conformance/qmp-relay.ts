import { once } from 'node:events';
import net from 'node:net';

/** Stands between a client and QEMU's monitor, so that a test knows of each command before QEMU does. */
export class QmpRelay {
  readonly path: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  /** Called with each command's name before it is passed on. */
  onCommand: (name: string) => void = () => undefined;

  private constructor(path: string, target: string) {
    this.path = path;
    this.#server = net.createServer((client) => {
      const qemu = net.connect(target);
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
        qemu.write(text);
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
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
