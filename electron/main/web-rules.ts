import type { App, Session, WebContents } from 'electron';
import { isOutsideLink, isOwnPage } from './origins.ts';

/**
 * What no web contents of ours may ever do: open windows, leave the page, embed a webview, ask for a permission.
 * Attached on creation, so that it holds for contents that we did not think of, too.
 */
export function applyWebRules(app: App, openOutside: (url: string) => void): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      if (isOutsideLink(url)) openOutside(url);
      return { action: 'deny' };
    });
    refuseForeign(contents);
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

function refuseForeign(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    if (!isOwnPage(event.url)) event.preventDefault();
  });
}

/** The page needs no camera, no location, no clipboard reading: every permission is refused. */
export function refusePermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}
