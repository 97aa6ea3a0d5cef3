import { once } from 'node:events';
import net from 'node:net';
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
  const names: string[] = [];
  let cuts: { readonly from: number; readonly to: number; readonly when: Moment; readonly tell: () => void }[] = [];
  relay.onCommand = (name) => {
    if (name === 'query-jobs') return undefined;
    names.push(name);
    const cut = cuts.find(({ from, to }) => names.length >= from && names.length <= to);
    cut?.tell();
    return cut?.when;
  };
  const add = (n: number, more: number, when: Moment, tell: () => void): void => {
    cuts.push({ from: names.length + n, to: names.length + n + more, when, tell });
  };
  return {
    faults: ['cut-before', 'cut-after'],
    callCount: () => names.length,
    callName: (number) => names[number - 1] ?? 'none',
    callChanges: (number) => names[number - 1]?.startsWith('query-') === false,
    failCall: (n, fault) => add(n, 0, fault === 'cut-after' ? 'after' : 'before', () => undefined),
    cutOff(n, when, tell) {
      if (when === 'after') add(n, 0, 'after', tell);
      add(when === 'after' ? n + 1 : n, Infinity, 'before', tell);
    },
    clearFaults() {
      cuts = [];
    },
  };
}
