import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Notification, NotificationWay } from '../../../shared/model/notifications.ts';
import type { Clock } from '../time/clock.ts';

/** What happens within this time goes out together: one message for a wave whose members fail, not one for each. */
const gatherMs = 10_000;
/** A message that nobody could have sent for hours is news no more. */
const pausesMs = [15_000, 60_000, 300_000, 900_000];
/** More are counted, not listed. */
const mostAtOnce = 50;

export interface NotifierOptions {
  readonly clock: Clock;
  /** The ways that are set up now, and which kinds people want to know. */
  wanted(): { readonly ways: readonly NotificationWay[]; readonly kinds: ReadonlySet<string> };
  /** @throws CausewayError */
  send(way: NotificationWay, messages: readonly Notification[], signal: AbortSignal): Promise<string>;
  /** Told once when a way was given up. */
  notDelivered(way: NotificationWay, error: ErrorRecord): void;
}

export type Notifier = ReturnType<typeof notifier>;

/** Gathers what there is to tell and sends it by each way; never throws, and keeps nobody waiting. */
export function notifier({ clock, wanted, send, notDelivered }: NotifierOptions) {
  let gathered: Notification[] = [];
  let callOff: (() => void) | undefined;
  const closing = new AbortController();
  const sending = new Set<Promise<void>>();

  async function deliver(way: NotificationWay, messages: readonly Notification[]): Promise<void> {
    for (const pause of [...pausesMs, undefined]) {
      try {
        await send(way, messages, closing.signal);
        return;
      } catch (error) {
        if (closing.signal.aborted) return;
        const record = toErrorRecord(error);
        if (pause === undefined || !(error instanceof CausewayError) || !record.retryable) return notDelivered(way, record);
        await clock.sleep(pause, closing.signal).catch(() => undefined);
      }
      if (closing.signal.aborted) return;
    }
  }

  function flush(): void {
    callOff?.();
    callOff = undefined;
    const messages = gathered.slice(0, mostAtOnce);
    const more = gathered.length - messages.length;
    gathered = [];
    if (messages.length === 0) return;
    if (more > 0) messages.push({ kind: messages.at(-1)!.kind, text: `and ${more} more`, at: messages.at(-1)!.at });
    for (const way of wanted().ways) {
      const work = deliver(way, messages).finally(() => sending.delete(work));
      sending.add(work);
    }
  }

  return {
    tell(message: Notification): void {
      const { ways, kinds } = wanted();
      if (closing.signal.aborted || ways.length === 0 || !kinds.has(message.kind)) return;
      gathered.push(message);
      callOff ??= clock.after(gatherMs, flush);
    },
    /** What was gathered goes out, and has a moment for it; what cannot be sent in it is not sent. */
    async close(patienceMs = 3_000): Promise<void> {
      flush();
      if (sending.size > 0) await Promise.race([Promise.allSettled(sending), clock.sleep(patienceMs, closing.signal).catch(() => undefined)]);
      closing.abort(new CausewayError('general.cancelled', 'the engine is closing'));
      await Promise.allSettled(sending);
    },
  };
}
