import { z } from 'zod';
import { usualProxySettings } from '../../shared/model/proxy-settings.ts';
import { projectSchema, settingsSchema, type Project, type Settings } from '../../shared/contract/shell.ts';

/** What the workbench remembers of its user; nothing of jobs, nothing secret. */
export interface SettingsStore {
  /** The file itself, for what has its own form. */
  readonly file: KeyValueFile;
  settings(): Settings;
  change(part: Partial<Settings>): Settings;
  recent(): Project[];
  remember(project: Project): void;
  forget(folder: string, mover?: string): void;
}

/** A key-value file: electron-store in the desktop app, conf in the web host. */
export interface KeyValueFile {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

const defaults: Settings = {
  scheme: 'system',
  reducedMotion: false,
  messageSeconds: 8,
  executionLimit: 4,
  proxy: usualProxySettings,
};
const mostRecent = 20;

/** Values of an edited file that can't be parsed fall back to the defaults. */
export function settingsStore(file: KeyValueFile): SettingsStore {
  const settings = (): Settings =>
    ({
      ...defaults,
      ...settingsSchema
        .partial()
        .catch({})
        .parse(file.get('settings') ?? {}),
    }) as Settings;
  const recent = (): Project[] =>
    z
      .array(projectSchema)
      .catch([])
      .parse(file.get('recentProjects') ?? []);
  const others = (folder: string, mover: string | undefined): Project[] =>
    recent().filter((project) => project.folder !== folder || project.mover !== mover);
  return {
    file,
    settings,
    change(part) {
      file.set('settings', { ...settings(), ...part });
      return settings();
    },
    recent,
    remember: (project) =>
      file.set('recentProjects', [project, ...others(project.folder, project.mover)].slice(0, mostRecent)),
    forget: (folder, mover) => file.set('recentProjects', others(folder, mover)),
  };
}
