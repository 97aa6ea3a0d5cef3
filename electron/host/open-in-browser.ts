import { spawn } from 'node:child_process';

/** Hands a link to the desktop's browser. Where there is no desktop the printed link has to do: never an error. */
export function openInBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin' ? ['open', url]
    : process.platform === 'win32' ? ['cmd', '/c', 'start', '""', url]
    : process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined ? ['xdg-open', url]
    : [];
  if (command === undefined) return;
  spawn(command, args, { stdio: 'ignore', detached: true }).on('error', () => undefined).unref();
}
