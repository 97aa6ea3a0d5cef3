import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Why Chromium's sandbox cannot start on this Linux, so that Electron would abort; undefined where it can. The app never runs
 * without its sandbox.
 *
 * @param runtime Electron's executable
 */
export function sandboxObstacle(
  runtime: string,
  system: {
    readonly platform: NodeJS.Platform;
    readonly uid: number | undefined;
    readonly read: (path: string) => string | undefined;
    readonly isSetuidRoot: (path: string) => boolean;
  } = thisSystem,
): string | undefined {
  if (system.platform !== 'linux') return undefined;
  if (system.uid === 0) return 'Electron does not start as root';
  if (system.isSetuidRoot(join(dirname(runtime), 'chrome-sandbox'))) return undefined;
  const isForbidden =
    system.read('/proc/sys/kernel/unprivileged_userns_clone')?.trim() === '0' ||
    system.read('/proc/sys/user/max_user_namespaces')?.trim() === '0';
  if (isForbidden) return 'this system forbids user namespaces, which the sandbox of Electron needs';
  return undefined;
}

const thisSystem = {
  platform: process.platform,
  uid: process.getuid?.(),
  read(path: string): string | undefined {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  isSetuidRoot(path: string): boolean {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts !== undefined && facts.uid === 0 && (facts.mode & 0o4000) !== 0;
  },
};
