import { createServer } from 'node:net';
import type { Server } from 'node:net';

/** A /24 of public and one of private loopback addresses that no other cloud on this machine uses. */
export interface AddressLease {
  readonly publicAddresses: readonly string[];
  readonly privatePrefix: string;
  release(): Promise<void>;
}

const leasePort = 40_077;

/**
 * All of 127.0.0.0/8 leads to this machine on Linux, so that every cloud can have addresses with the usual ports. A
 * lease is a listening socket on one address of the range: it ends with the process, however that ends.
 */
export async function leaseAddresses(): Promise<AddressLease> {
  const { block, release } = await leaseBlock('127.77');
  return {
    publicAddresses: Array.from({ length: 200 }, (_, index) => `127.77.${block}.${index + 10}`),
    privatePrefix: `127.78.${block}.0/24`,
    release,
  };
}

/** A number from 1 to 250 that no other process on this machine has from the same range of loopback addresses. */
export async function leaseBlock(
  range: '127.77' | '127.79',
): Promise<{ readonly block: number; release(): Promise<void> }> {
  const start = process.pid % 250;
  for (let step = 0; step < 250; step += 1) {
    const block = 1 + ((start + step) % 250);
    const holder = await hold(`${range}.${block}.255`);
    if (holder !== undefined)
      return {
        block,
        release: () =>
          new Promise((resolve) => {
            holder.close(() => resolve());
          }),
      };
  }
  throw new Error('no loopback address range is free');
}

function hold(address: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(leasePort, address, () => resolve(server));
    server.unref();
  });
}
