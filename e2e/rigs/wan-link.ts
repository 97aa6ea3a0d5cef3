/**
 * A long link on loopback: a proxy that delays and shapes what passes, since the kernels of test machines often have no netem.
 * It runs as a process of its own, so that its processor time is nobody else's.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { kill, spawnBound } from './machines/child-process.ts';
import { seeded } from './seeded.ts';

export interface LinkShape {
  readonly roundTripMs: number;
  /** Rate of each direction, which all connections share, in Mbit/s. */
  readonly megabitsPerSecond: number;
  /** Share of the chunks (64 KiB) of a connection that arrive a round trip later, and all behind them: a lost packet. Default 0. */
  readonly lateShare?: number;
}

export interface WanLink {
  readonly port: number;
  stop(): Promise<void>;
}

/** Opens a link to a port on loopback. */
export async function startWanLink(targetPort: number, shape: LinkShape): Promise<WanLink> {
  const program = spawnBound(process.execPath, [import.meta.filename, JSON.stringify({ targetPort, ...shape })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await Promise.race([
    once(createInterface(program.stdout as NodeJS.ReadableStream), 'line'),
    once(program, 'exit').then(() => Promise.reject(new Error('the link did not start'))),
  ])) as [string];
  return {
    port: Number(line),
    stop: () => kill(program),
  };
}

/** What a connection may have on its way: about what Linux lets a connection's window grow to. */
const windowBytes = 6 * 1024 * 1024;
const chunkBytes = 64 * 1024;

interface OnItsWay {
  readonly at: number;
  readonly bytes: Buffer | undefined;
}

function serve({
  targetPort,
  roundTripMs,
  megabitsPerSecond,
  lateShare = 0,
}: LinkShape & { readonly targetPort: number }): void {
  const bytesPerMs = (megabitsPerSecond * 1e6) / 8 / 1000;
  const random = seeded(1);
  const freeAt = { there: 0, back: 0 };

  function carry(from: Socket, to: Socket, way: 'there' | 'back'): void {
    const queue: OnItsWay[] = [];
    let inFlight = 0;
    let timer: NodeJS.Timeout | undefined;
    const deliver = (): void => {
      timer = undefined;
      const now = performance.now();
      for (let next = queue[0]; next !== undefined && next.at <= now; next = queue[0]) {
        queue.shift();
        if (next.bytes === undefined) to.end();
        else {
          inFlight -= next.bytes.length;
          to.write(next.bytes);
        }
      }
      if (inFlight < windowBytes) from.resume();
      wait();
    };
    const wait = (): void => {
      const [next] = queue;
      if (next !== undefined) timer ??= setTimeout(deliver, Math.max(0, next.at - performance.now()));
    };
    const send = (bytes: Buffer | undefined): void => {
      freeAt[way] = Math.max(freeAt[way], performance.now()) + (bytes?.length ?? 0) / bytesPerMs;
      queue.push({
        at: freeAt[way] + roundTripMs / 2 + (lateShare > 0 && random() < lateShare ? roundTripMs : 0),
        bytes,
      });
      inFlight += bytes?.length ?? 0;
      if (inFlight >= windowBytes) from.pause();
      wait();
    };
    from.on('data', (data: Buffer) => {
      for (let at = 0; at < data.length; at += chunkBytes) send(data.subarray(at, at + chunkBytes));
    });
    from.on('end', () => send(undefined));
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
    from.on('close', () => {
      if (!from.readableEnded) to.destroy();
    });
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    carry(near, far, 'there');
    carry(far, near, 'back');
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? '') as LinkShape & { readonly targetPort: number });
