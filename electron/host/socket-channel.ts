import type { WebSocket } from 'ws';
import type { Channel } from '../../shared/contract/channel.ts';

/** A WebSocket as a channel: one JSON object a text message. What is none closes it. */
export function socketChannel(socket: WebSocket): Channel {
  socket.on('error', () => socket.terminate());
  return {
    send(message) {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    },
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        let message: unknown;
        try {
          message = isBinary ? undefined : JSON.parse(String(data));
        } catch {
          message = undefined;
        }
        if (message === undefined) socket.close(1003, 'not a message');
        else listener(message);
      });
    },
    onClose: (listener) => void socket.once('close', listener),
    close: () => socket.close(),
  };
}
