import { randomUUID } from 'node:crypto';
import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Notification, NotificationWay } from '../../../shared/model/notifications.ts';
import type { NotificationDelivery, NotificationOutbox } from '../store/notification-outbox.ts';
import type { Clock } from '../time/clock.ts';

/** What happens within this time goes out together: one message for a wave whose members fail, not one for each. */
const gatherMs = 10_000;
/** A message that nobody could have sent for hours is news no more. */
const pausesMs = [15_000, 60_000, 300_000, 900_000];
/** After a restart, the vault may have to wait for a person. */
const lockedPauseMs = 15_000;
/** More are counted, not listed. */
const mostAtOnce = 50;

export interface NotifierOptions {
  readonly clock: Clock;
  /** What waits is kept there, so that it outlives this process. */
  readonly outbox: Omit<NotificationOutbox, 'isFirst'>;
  /** The ways that are set up now, and which kinds people want to know. */
  wanted(): { readonly ways: readonly NotificationWay[]; readonly kinds: ReadonlySet<string> };
  /** @throws CausewayError */
  send(delivery: NotificationDelivery, signal: AbortSignal): Promise<string>;
  /** Told once when a way was given up. */
  notDelivered(way: NotificationWay, error: ErrorRecord): void;
}

export type Notifier = ReturnType<typeof notifier>;

/** Gathers what there is to tell and sends it by each way; never throws, and keeps nobody waiting. */
export function notifier({ clock, outbox, wanted, send, notDelivered }: NotifierOptions) {
  let gathered: Notification[] = [];
  let callOff: (() => void) | undefined;
  let isTakenUp = false;
  const closing = new AbortController();
  const sending = new Set<Promise<void>>();
  /** On a full disk messages are sent all the same; they do not outlive the process then. */
  const keep = (write: () => void): void => {
    try {
      write();
    } catch {
      // Whatever is wrong with the database shows elsewhere.
    }
  };

  /** Whether it is done: sent, or given up. What is not is sent by the next process. */
  async function deliver(delivery: NotificationDelivery): Promise<boolean> {
    const pauses = [...pausesMs];
    for (;;) {
      let pause: number | undefined;
      try {
        await send(delivery, closing.signal);
        return true;
      } catch (error) {
        if (closing.signal.aborted) return false;
        const record = toErrorRecord(error);
        // Whatever keeps the vault shut, a person can mend it; the message is not given up for that.
        pause = record.code.startsWith('secrets.')
          ? lockedPauseMs
          : error instanceof CausewayError && record.retryable
            ? pauses.shift()
            : undefined;
        if (pause === undefined) {
          notDelivered(delivery.way, record);
          return true;
        }
      }
      await clock.sleep(pause, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return false;
    }
  }

  function start(delivery: NotificationDelivery): void {
    const work = deliver(delivery)
      .then((isDone) => void (isDone && keep(() => outbox.remove(delivery.id))))
      .finally(() => sending.delete(work));
    sending.add(work);
  }

  function flush(): void {
    callOff?.();
    callOff = undefined;
    const messages = gathered.slice(0, mostAtOnce);
    const more = gathered.length - messages.length;
    gathered = [];
    if (messages.length === 0) return;
    if (more > 0) messages.push({ kind: messages.at(-1)!.kind, text: `and ${more} more`, at: messages.at(-1)!.at });
    const deliveries = wanted().ways.map((way) => ({ id: randomUUID(), way, messages }));
    keep(() => outbox.pack(deliveries));
    deliveries.forEach(start);
  }

  /** What waits from before is taken up once, as soon as there is a way for it: at the start, or when people set one up or accept the project. */
  function takeUp(ways: readonly NotificationWay[]): void {
    if (isTakenUp) return;
    isTakenUp = true;
    keep(() => {
      for (const delivery of outbox.deliveries()) {
        if (ways.includes(delivery.way)) start(delivery);
        else outbox.remove(delivery.id);
      }
      gathered = [...outbox.messages(), ...gathered];
      if (gathered.length > 0) callOff ??= clock.after(gatherMs, flush);
    });
  }

  return {
    tell(message: Notification): void {
      const { ways, kinds } = wanted();
      if (closing.signal.aborted || ways.length === 0 || !kinds.has(message.kind)) return;
      takeUp(ways);
      keep(() => outbox.add(message));
      gathered.push(message);
      callOff ??= clock.after(gatherMs, flush);
    },
    /** Takes up what an earlier process could not send: what it had begun to send under the same delivery. */
    resume(): void {
      const { ways } = wanted();
      if (ways.length > 0) takeUp(ways);
    },
    /** What was gathered goes out, and has a moment for it; what cannot be sent in it is sent when the project is open again. */
    async close(patienceMs = 3_000): Promise<void> {
      flush();
      if (sending.size > 0)
        await Promise.race([
          Promise.allSettled(sending),
          clock.sleep(patienceMs, closing.signal).catch(() => undefined),
        ]);
      closing.abort(new CausewayError('general.cancelled', 'the engine is closing'));
      await Promise.allSettled(sending);
    },
  };
}
