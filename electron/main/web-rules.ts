import type { App, Session, WebContents } from 'electron';
import { isOutsideLink, isOwnPage } from './origins.ts';

/** What a refused request is said to, and where links go that may leave. */
export interface WebRules {
  readonly openOutside: (url: string) => Promise<void>;
  readonly log: (message: string) => void;
}

/**
 * What web contents must never do: open windows, leave the page, embed a webview. Attached on creation, so that
 * it holds for contents that we did not think of, too. Every refusal is logged, without what may be secret in a URL.
 */
export function applyWebRules(app: App, rules: WebRules): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url, rules);
      return { action: 'deny' };
    });
    refuseForeign(contents, rules.log);
    contents.on('will-attach-webview', (event) => {
      event.preventDefault();
      rules.log('refused to embed a webview');
    });
  });
}

/** The one way out: links by the allow-list go to the system's browser, all else is refused. */
export function openOutside(url: string, { openOutside: open, log }: WebRules): void {
  if (!isOutsideLink(url)) return log(`refused to open ${place(url)} in another program`);
  open(url).catch((error: unknown) =>
    log(`could not open ${place(url)}: ${error instanceof Error ? error.message : String(error)}`),
  );
}

function refuseForeign(contents: WebContents, log: (message: string) => void): void {
  const check = (event: { readonly url: string; preventDefault(): void }): void => {
    if (isOwnPage(event.url)) return;
    event.preventDefault();
    log(`refused to navigate to ${place(event.url)}`);
  };
  contents.on('will-navigate', check);
  contents.on('will-frame-navigate', check);
  contents.on('will-redirect', check);
}

/** The page needs no camera, no location, no clipboard reading: every permission is refused. */
export function refusePermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}

/** Scheme and host of a URL: its path and query may hold what nobody should read in a log. */
function place(url: string): string {
  if (!URL.canParse(url)) return 'an invalid URL';
  const { protocol, host } = new URL(url);
  return host === '' ? `a ${protocol} URL` : `${protocol}//${host}`;
}
