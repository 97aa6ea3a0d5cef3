import { z } from 'zod';

/** What somebody who is away from the screen wants to know. */
export const notificationKinds = ['failed', 'wave-ended', 'wave-waits', 'start-missed', 'cut-over-done'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notificationWays = ['webhook', 'mail'] as const;
export type NotificationWay = (typeof notificationWays)[number];

/** Names of the secrets in the vault. A webhook's address often lets in whoever has it, so that it is one of them. */
export const notificationSecrets = {
  address: 'notifications/webhook-address',
  key: 'notifications/webhook-key',
  password: 'notifications/mail-password',
} as const;

export const mailSecurities = ['tls', 'starttls', 'none'] as const;

const mailAddress = z
  .string()
  .max(320)
  .regex(/^[^\s<>"(),:;@[\\\]\u0000-\u001f\u007f]+@[A-Za-z0-9.-]+$/, 'must be a mail address');
const certificate = z.string().max(100_000).optional();

export const mailSettingsSchema = z.strictObject({
  host: z
    .string()
    .trim()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9.:-]+$/),
  port: z.int().min(1).max(65_535),
  /** Without encryption nobody signs in, but on this computer. */
  security: z.enum(mailSecurities),
  username: z
    .string()
    .max(320)
    .regex(/^[^\u0000-\u001f]*$/)
    .optional(),
  from: mailAddress,
  to: z.array(mailAddress).min(1).max(50),
  /** PEM of the one authority, or certificate, that is trusted instead of the system's. */
  caCertificate: certificate,
});
export type MailSettings = Readonly<z.infer<typeof mailSettingsSchema>>;

export const notificationSettingsSchema = z.strictObject({
  kinds: z.array(z.enum(notificationKinds)).max(20),
  /** Its address and the key that signs are in the vault. */
  webhook: z.strictObject({ caCertificate: certificate }).optional(),
  mail: mailSettingsSchema.optional(),
});
export type NotificationSettings = Readonly<z.infer<typeof notificationSettingsSchema>>;

/** Until somebody sets up a way, nothing is sent whatever the kinds say. */
export const usualNotificationSettings: NotificationSettings = { kinds: [...notificationKinds] };

export interface Notification {
  readonly kind: NotificationKind | 'test';
  /** One line. */
  readonly text: string;
  readonly at: string;
  readonly wave?: string | undefined;
  readonly replica?: string | undefined;
}
