import { createConnection } from 'node:net';
import { calls, events } from '../../../../shared/contract/contract.ts';
import { channelClient } from '../../../../shared/contract/channel-client.ts';
import type { CoreClient } from '../../../../shared/contract/core-client.ts';
import { localChannel } from './channel.ts';

/** A client of an engine that runs in another process. Rejects when nobody listens there. */
export async function connectLocally(address: string): Promise<CoreClient> {
  const socket = createConnection(address);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return channelClient(localChannel(socket), calls, events);
}
