/**
 * What asks a program on a terminal to stop in good order. On Windows also SIGBREAK (Ctrl-Break) and SIGHUP: Node raises it when the
 * console window is closed, the user logs off or the computer shuts down, and Windows ends the program some seconds later
 * (https://nodejs.org/api/process.html#signal-events). Elsewhere SIGHUP keeps its meaning, as `nohup` takes it away.
 */
export function stopSignals(platform: NodeJS.Platform = process.platform): readonly NodeJS.Signals[] {
  return ['SIGINT', 'SIGTERM', ...(platform === 'win32' ? (['SIGBREAK', 'SIGHUP'] as const) : [])];
}
