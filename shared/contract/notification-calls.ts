import { z } from 'zod';
import { notificationSettingsSchema, notificationWays } from '../model/notifications.ts';
import { nothing } from './schemas.ts';

const shown = z.object({
  settings: notificationSettingsSchema,
  /** Which secrets are there; none of them is ever told. */
  has: z.object({ address: z.boolean(), key: z.boolean(), password: z.boolean() }),
});

/** Messages to people who are not at this computer; this computer's own settings of the project. */
export const notificationCalls = {
  'notification.settings': { input: nothing, output: shown },
  /** A password that was entered for another mail server is forgotten. */
  'notification.save': { input: notificationSettingsSchema, output: shown },
  /** Sends one message now. Answers with what the other side said. */
  'notification.test': {
    input: z.strictObject({ way: z.enum(notificationWays) }),
    output: z.object({ said: z.string() }),
  },
} as const;
