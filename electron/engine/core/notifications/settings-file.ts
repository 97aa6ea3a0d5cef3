import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  notificationSettingsSchema,
  usualNotificationSettings,
  type NotificationSettings,
} from '../../../../shared/model/notifications.ts';
import { writeProjectFile } from '../../project-files/named-files.ts';

const pathOf = (stateFolder: string): string => join(stateFolder, 'notifications.json');

/** This computer's settings of the project, without secrets. A file that cannot be read tells nobody. */
export function readNotificationSettings(stateFolder: string): NotificationSettings {
  const path = pathOf(stateFolder);
  if (!existsSync(path)) return usualNotificationSettings;
  try {
    return notificationSettingsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { kinds: [] };
  }
}

export function writeNotificationSettings(stateFolder: string, settings: NotificationSettings): void {
  writeProjectFile(pathOf(stateFolder), `${JSON.stringify(settings, undefined, 2)}\n`);
}
