import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP forwarder on loopback that can do to a link what networks do. */
export interface CutProxy {
  readonly port: number;
  /** Bytes that went to the target so far. */
  readonly forwarded: number;
  /** Resets every connection; new ones go through. */
  cut(): void;
  /** Forwards nothing any more in either direction, without closing anything, and swallows new connections. */
  blackhole(): void;
  /** Connections go through again; those that were swallowed end. */
  heal(): void;
  stop(): Promise<void>;
}

export async function startCutProxy(targetPort: () => number): Promise<CutProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const swallowed = new Set<Socket>();
  let swallowing = false;
  let forwarded = 0;
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => undefined);
    if (swallowing) return void swallowed.add(near);
    const far = connect({ host: '127.0.0.1', port: targetPort(), noDelay: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    far.on('error', () => undefined);
    near.on('data', (piece) => (forwarded += piece.length));
    near.pipe(far);
    far.pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    get forwarded() {
      return forwarded;
    },
    cut: () => {
      for (const [near, far] of pairs) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    heal: () => {
      swallowing = false;
      for (const [near, far] of pairs) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
      for (const near of swallowed) near.resetAndDestroy();
      swallowed.clear();
    },
    blackhole: () => {
      swallowing = true;
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.removeAllListeners('data').pause();
        far.removeAllListeners('data').pause();
      }
    },
    stop: () =>
      new Promise((resolve) => {
        for (const [near, far] of pairs) {
          near.destroy();
          far.destroy();
        }
        for (const near of swallowed) near.destroy();
        server.close(() => resolve());
      }),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy does not listen');
  return address.port;
}
