import { channelClient } from '../../shared/contract/channel-client.ts';
import { messageText, type Channel } from '../../shared/contract/channel.ts';
import { opened, type Envelope } from '../../shared/contract/envelope.ts';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import type { TableClient } from '../../shared/contract/tables.ts';
import { pageSecret } from './page-secret.ts';
import { openRequestChannel } from './request-channel.ts';

/** The workbench's process as the page sees it, in the desktop app and in a browser alike. */
export type Workbench = TableClient<typeof workbenchCalls, typeof workbenchEvents>;

/** What the preload script puts into the page of the desktop app. */
interface Bridge {
  readonly call: Readonly<Record<string, (input: unknown) => Promise<Envelope<unknown>>>>;
  readonly on: Readonly<Record<string, (listener: (payload: unknown) => void) => () => void>>;
}

/**
 * Connects to whichever host the page is in. Rejects when nobody answers.
 *
 * @param onLost called once when a connection that stood is gone; never in the desktop app, where the page ends with its host
 */
export async function connectWorkbench(onLost: () => void): Promise<Workbench> {
  const bridge = (globalThis as { causeway?: Bridge }).causeway;
  return bridge === undefined ? overSocket(onLost) : overBridge(bridge);
}

function overBridge(bridge: Bridge): Workbench {
  return {
    // Its host has checked the answer, as in a browser.
    call: async (name, input) => opened(await bridge.call[name]!(input)) as never,
    subscribe: (event, listener) => bridge.on[event]!(listener as (payload: unknown) => void),
    close: async () => undefined,
  };
}

async function overSocket(onLost: () => void): Promise<Workbench> {
  const secret = pageSecret();
  const channel = (await openSocket(secret)) ?? (await openRequestChannel(secret));
  channel.onClose(onLost);
  return channelClient(channel, workbenchCalls, workbenchEvents, { answersAreChecked: true });
}

/** How long a WebSocket may take, in milliseconds: to this computer itself it takes no time. */
const socketMs = 10_000;

/** Undefined where none can be opened, whether something refuses it or keeps it waiting. */
async function openSocket(secret: string | null): Promise<Channel | undefined> {
  const socket = new WebSocket(`ws://${location.host}/contract`, [
    'causeway.contract',
    ...(secret === null ? [] : [`session.${secret}`]),
  ]);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true), { once: true });
    socket.addEventListener('error', () => resolve(false), { once: true });
    setTimeout(resolve, socketMs, false);
  });
  if (!isOpen) {
    socket.close();
    return undefined;
  }
  return {
    send: (message) => socket.send(messageText(message)),
    onMessage: (listener) => socket.addEventListener('message', (event) => listener(JSON.parse(String(event.data)))),
    onClose: (listener) => socket.addEventListener('close', listener, { once: true }),
    close: () => socket.close(),
  };
}
