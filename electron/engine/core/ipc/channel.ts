import type { Socket } from 'node:net';
import type { Channel } from '../../../../shared/contract/channel.ts';
import { readLines } from './protocol.ts';

/** A local socket as a channel: one JSON object a line. What is no line of JSON closes it. */
export function localChannel(socket: Socket): Channel {
  socket.on('error', () => socket.destroy());
  return {
    send(message) {
      if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
    },
    onMessage: (listener) => readLines(socket, listener, () => socket.destroy()),
    onClose: (listener) => void socket.once('close', listener),
    close: () => void socket.end(),
  };
}
