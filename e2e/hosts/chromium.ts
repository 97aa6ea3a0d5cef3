import { accessSync, constants } from 'node:fs';

/** The shell of the same engine without the browser's own windows takes a quarter less processor time. */
const debianPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser of the page's specs: `CAUSEWAY_CHROMIUM`, or Debian's. Undefined where none can be started. */
export function chromiumHere(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const asked = env['CAUSEWAY_CHROMIUM'];
  return (asked === undefined ? debianPaths : [asked]).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
