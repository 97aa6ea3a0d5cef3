import { randomUUID } from 'node:crypto';
import { notificationSecrets, type NotificationSettings } from '../../../../shared/model/notifications.ts';
import type { CallsOf, CoreContext, Handlers } from '../core-context.ts';
import { sendBy } from '../notifications/notify.ts';
import { readNotificationSettings, writeNotificationSettings } from '../notifications/settings-file.ts';

export const notificationCalls: Handlers<CallsOf<'notification'>> = {
  async 'notification.settings'(core) {
    return shown(core, readNotificationSettings(core.stateFolder));
  },

  async 'notification.save'(core, settings) {
    const before = readNotificationSettings(core.stateFolder).mail;
    // A password belongs to the server, and to the name, that it was entered for.
    const isSame =
      before?.host === settings.mail?.host &&
      before?.port === settings.mail?.port &&
      before?.username === settings.mail?.username;
    if (before !== undefined && !isSame && (await has(core, notificationSecrets.password)))
      await core.vault.remove(notificationSecrets.password);
    writeNotificationSettings(core.stateFolder, settings);
    core.changed();
    return shown(core, settings);
  },

  async 'notification.test'(core, { way }, signal) {
    core.gate.requireProject();
    return {
      said: await sendBy(
        core,
        {
          id: randomUUID(),
          way,
          messages: [
            {
              kind: 'test',
              text: 'This is a test. Notifications of this project arrive.',
              at: new Date().toISOString(),
            },
          ],
        },
        signal,
      ),
    };
  },
};

async function shown(core: CoreContext, settings: NotificationSettings) {
  const [address, key, password] = await Promise.all(
    [notificationSecrets.address, notificationSecrets.key, notificationSecrets.password].map((name) => has(core, name)),
  );
  return {
    settings: { ...settings, kinds: [...settings.kinds] },
    has: { address: address === true, key: key === true, password: password === true },
  };
}

/** A project without a vault has no secrets. */
async function has({ vault }: Pick<CoreContext, 'vault'>, name: string): Promise<boolean> {
  return (await vault.status()).exists && (await vault.has(name));
}
