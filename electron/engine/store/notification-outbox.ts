import type { DatabaseSync } from 'node:sqlite';
import type { Notification, NotificationWay } from '../../../shared/model/notifications.ts';
import { inTransaction } from './database.ts';
import { json, text } from './rows.ts';

/** Messages that go out together by one way. */
export interface NotificationDelivery {
  /** The same at each attempt: receivers tell by it what they have already. */
  readonly id: string;
  readonly way: NotificationWay;
  readonly messages: readonly Notification[];
}

export type NotificationOutbox = ReturnType<typeof notificationOutbox>;

/** What people have still to be told, so that an engine that stops in between tells them when it is back. */
export function notificationOutbox(db: DatabaseSync) {
  const addMessage = db.prepare('INSERT INTO notification_messages (message) VALUES (?)');
  const listMessages = db.prepare('SELECT message FROM notification_messages ORDER BY id');
  const removeMessages = db.prepare('DELETE FROM notification_messages');
  const addDelivery = db.prepare('INSERT INTO notification_deliveries (id, way, messages) VALUES (?, ?, ?)');
  const listDeliveries = db.prepare('SELECT * FROM notification_deliveries ORDER BY rowid');
  const removeDelivery = db.prepare('DELETE FROM notification_deliveries WHERE id = ?');
  const addKey = db.prepare('INSERT OR IGNORE INTO notifications_told_once VALUES (?)');
  return {
    add: (message: Notification): void => void addMessage.run(JSON.stringify(message)),
    /** Those that are in no delivery yet. */
    messages: (): Notification[] => listMessages.all().map((row) => json<Notification>(row, 'message')),
    /** All messages have become these deliveries. */
    pack(deliveries: readonly NotificationDelivery[]): void {
      inTransaction(db, () => {
        for (const { id, way, messages } of deliveries) addDelivery.run(id, way, JSON.stringify(messages));
        removeMessages.run();
      });
    },
    deliveries: (): NotificationDelivery[] =>
      listDeliveries.all().map((row) => ({
        id: text(row, 'id'),
        way: text(row, 'way') as NotificationWay,
        messages: json<Notification[]>(row, 'messages'),
      })),
    /** Delivered, or given up. */
    remove: (id: string): void => void removeDelivery.run(id),
    /** Whether this is the first time for what is told once. */
    isFirst: (key: string): boolean => addKey.run(key).changes === 1,
  };
}
