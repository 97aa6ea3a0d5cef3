import { protocol } from 'electron';
import { pageFile } from '../page/page-files.ts';

/** The page's own origin. A scheme of our own gives it a real origin, which file: has not. */
export const pageOrigin = 'causeway://app';

/** Must be called before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'causeway', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built renderer under `causeway://app/`, GET only, that host only. */
export function servePage(folder: string): void {
  protocol.handle('causeway', async (request) => {
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.host !== 'app') return new Response('Not found', { status: 404 });
    const { status, headers, body } = await pageFile(folder, url.pathname);
    return new Response(Buffer.from(body), { status, headers });
  });
}
