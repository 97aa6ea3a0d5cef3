import { createSecretKey } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Client, ClientChannel } from 'ssh2';
import { copyBytes } from '../concurrency/copy-bytes.ts';

/**
 * ssh2 writes each packet in three pieces; a system call for each of them is what most of its time would go into. This
 * gathers what is written in one turn of the event loop into one vector.
 *
 * It also gives each packet's memory back as soon as it is written. ssh2 makes two new buffers for each 32 KiB, and left
 * to the collector that much memory outside of its heap makes it mark the whole heap fifty times a GiB: a third of all
 * processor time.
 */
export function writeTogether(socket: Socket): void {
  const write = socket.write.bind(socket) as (chunk: Uint8Array, done: () => void) => boolean;
  const uncork = (): void => socket.uncork();
  socket.write = (chunk: unknown): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork);
    }
    const bytes = chunk as Uint8Array;
    return write(bytes, () => giveBack(bytes));
  };
}

// Smaller memory is Node's pool, which other buffers share. Whatever is larger is one packet, written by now.
const packetMemoryBytes = 16 * 1024;

function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > packetMemoryBytes && buffer.byteLength !== Buffer.poolSize) {
    buffer.transfer(0);
  }
}

/**
 * ssh2 gives the bytes of its key to Node for each packet; taking them in costs as much as encrypting 32 KiB (0.8 instead
 * of 0.4 CPU seconds a GiB). A key object is taken in once. Without that member of ssh2, or after the server asked for
 * new keys, everything still works, only slower.
 */
export function prepareKey(client: Client): void {
  const { _protocol: protocol } = client as unknown as {
    readonly _protocol?: { readonly _cipher?: { _encKey?: unknown } };
  };
  const cipher = protocol?._cipher;
  if (cipher !== undefined && Buffer.isBuffer(cipher._encKey)) cipher._encKey = createSecretKey(cipher._encKey);
}

/**
 * ssh2 copies what is written into packets by V8's `set`, which is slow for memory that threads share (`copyBytes`), as the content
 * of disks is: 2.6 s of processor time for a GiB, more than all else in SSH. What is written goes through memory of its own.
 */
export function copySharedMemory(channel: ClientChannel): void {
  const write = channel.write.bind(channel) as (chunk: unknown, ...rest: readonly unknown[]) => boolean;
  const spare: Buffer[] = [];
  channel.write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
    const written = rest.at(-1);
    if (!(chunk instanceof Uint8Array && chunk.buffer instanceof SharedArrayBuffer) || typeof written !== 'function')
      return write(chunk, ...rest);
    const last = spare.pop();
    const copy = last !== undefined && last.length >= chunk.length ? last : Buffer.allocUnsafeSlow(chunk.length);
    copyBytes(chunk, copy);
    return write(copy.subarray(0, chunk.length), (error?: Error | null) => {
      if (spare.length < mostSpare) spare.push(copy);
      written(error);
    });
  };
}

/** Writes of one channel follow each other. */
const mostSpare = 2;
