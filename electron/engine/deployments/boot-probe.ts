import { connect } from 'node:net';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { connectToBanner } from '../transport/ssh-banner.ts';

/** Asks a port of a new server for a sign of life. Rejects when there is none. */
export type BootProbe = (
  target: { readonly host: string; readonly port: number; readonly protocol: 'ssh' | 'tcp' },
  signal: AbortSignal,
) => Promise<void>;

const patienceMs = 5_000;

/** SSH has to greet; any other port has to accept a connection. */
export const probePort: BootProbe = async ({ host, port, protocol }, signal) => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  if (protocol === 'ssh') {
    const socket = await connectToBanner(host, port, patienceMs, within);
    socket.on('error', () => undefined);
    socket.destroy();
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port });
    const fail = (): void => {
      socket.destroy();
      reject(new CausewayError('transport.unreachable', `${host}:${port} does not respond`));
    };
    within.addEventListener('abort', fail, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      within.removeEventListener('abort', fail);
      socket.destroy();
      resolve();
    });
  });
};
