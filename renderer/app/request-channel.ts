import { messageText, type Channel } from '../../shared/contract/channel.ts';
import { requestPaths, secretHeader } from '../../shared/contract/request-channel.ts';

/**
 * A channel to the web host over plain requests, where something between the browser and this computer's own address (a company's proxy, a
 * security program) lets no WebSocket through. Messages that wait while others are sent go together.
 */
export async function openRequestChannel(secret: string | null): Promise<Channel> {
  const stop = new AbortController();
  const ask = async (path: string, body: string, isLast = false): Promise<Response> => {
    const headers = { 'content-type': 'application/json', ...(secret === null ? {} : { [secretHeader]: secret }) };
    const answer = await fetch(path, {
      method: 'POST',
      headers,
      body,
      cache: 'no-store',
      ...(isLast ? { keepalive: true } : { signal: stop.signal }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer;
  };
  const { channel } = (await (await ask(requestPaths.open, '{}')).json()) as { readonly channel: string };
  const name = JSON.stringify(channel);
  const listeners = new Set<(message: unknown) => void>();
  const closed = Promise.withResolvers<void>();
  const end = (): void => {
    stop.abort();
    closed.resolve();
  };

  let outbox: string[] = [];
  let isSending = false;
  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (outbox.length > 0 && !stop.signal.aborted) {
      const messages = takeSome();
      await ask(requestPaths.send, `{"channel":${name},"messages":[${messages.join(',')}]}`);
    }
    isSending = false;
  }
  /** No more than fits into one request: the longest message fits into one of its own. */
  function takeSome(): string[] {
    let length = 0;
    const count = outbox.findIndex((text, index) => index > 0 && (length += text.length) > mostTogether);
    const some = count < 0 ? outbox : outbox.slice(0, count);
    outbox = count < 0 ? [] : outbox.slice(count);
    return some;
  }

  async function receiveAll(): Promise<void> {
    while (!stop.signal.aborted) {
      const { messages } = (await (await ask(requestPaths.receive, `{"channel":${name}}`)).json()) as {
        readonly messages: readonly unknown[];
      };
      for (const message of messages) for (const listener of listeners) listener(message);
    }
  }
  // Whoever listens does so at once, before the first answer can come.
  void receiveAll().catch(end);
  return {
    send(message) {
      outbox.push(messageText(message));
      void sendAll().catch(end);
    },
    onMessage: (listener) => void listeners.add(listener),
    onClose: (listener) => void closed.promise.then(listener),
    close() {
      end();
      void ask(requestPaths.close, `{"channel":${name}}`, true).catch(() => undefined);
    },
  };
}

const mostTogether = 1024 * 1024;
