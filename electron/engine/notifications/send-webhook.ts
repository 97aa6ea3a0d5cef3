import { createHmac } from 'node:crypto';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { NotificationDelivery } from '../store/notification-outbox.ts';
import { createHttpClient, type HttpClientOptions } from '../http/http-client.ts';
import { createTransport } from '../http/transport.ts';

export interface Webhook {
  /** `https://…`, or `http://` on this computer. */
  readonly address: string;
  /** Signs each message; without one it is not signed. */
  readonly key?: string | undefined;
  /** PEM of the one authority, or certificate, that is trusted instead of the system's. */
  readonly caCertificate?: string | undefined;
}

/** Each attempt may be the one that arrived: receivers tell by the delivery's id. */
const timeoutMs = 20_000;
const lateMs = 15 * 60_000;

/**
 * Posts messages as JSON, tried again while the other side is not there. `text` is what chat services show; the rest is for programs.
 * The signature is the HMAC-SHA256 of the time, a point and the body, in hexadecimal.
 *
 * @throws CausewayError `notification.not-set-up`, `cloud.*`, `transport.*`
 */
export async function sendWebhook(
  { address, key, caCertificate }: Webhook,
  project: string,
  { id, messages }: Pick<NotificationDelivery, 'id' | 'messages'>,
  signal: AbortSignal,
  options: Pick<HttpClientOptions, 'clock' | 'backOff'> = {},
): Promise<string> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw new CausewayError('notification.not-set-up', 'the address of the webhook is not a URL');
  const at = new Date();
  const body = JSON.stringify({
    text: [`Causeway, ${project}:`, ...messages.map((message) => chatLine(message, at))].join('\n'),
    project,
    at: at.toISOString(),
    messages,
  });
  const time = String(Math.floor(at.getTime() / 1000));
  const signature =
    key === undefined
      ? {}
      : { 'x-causeway-signature': `t=${time},v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}` };
  const transport = createTransport({ caCertificate });
  try {
    const { status } = await createHttpClient({ baseUrl: url.origin, transport, timeoutMs, ...options }).request(
      {
        // The path may be what lets in: it is not part of any message.
        operation: 'send a notification',
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        idempotent: true,
        bytes: true,
        data: Buffer.from(body, 'utf8'),
        headers: { 'content-type': 'application/json', 'x-causeway-delivery': id, ...signature },
      },
      signal,
    );
    return `HTTP ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    // What the other side says may repeat the address, which is a secret: the status has to do.
    const { status } = error.details;
    const isAnswer = typeof status === 'number';
    throw new CausewayError(
      error.code,
      isAnswer ? `the webhook answered HTTP ${status}` : 'the webhook could not be reached',
      { details: isAnswer ? { status } : { host: url.host }, retryable: error.retryable },
    );
  } finally {
    transport.close();
  }
}

/** What could not be sent for a while says when it was. */
function chatLine({ text, at }: NotificationDelivery['messages'][number], now: Date): string {
  return now.getTime() - Date.parse(at) > lateMs ? `${text} (${at})` : text;
}
