import { readFile } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, sep } from 'node:path';
import { contentSecurityPolicy, createNonce, withNonce } from './content-security.ts';

export interface PageFile {
  readonly status: 200 | 404;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

const notFound: PageFile = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: new TextEncoder().encode('Not found'),
};

/**
 * A file of the built renderer as an answer, for the custom scheme and for the web host alike. Whatever path leads out
 * of `folder` (dots, encoded dots, back-slashes, absolute paths) is not found.
 *
 * @param pathname the URL's path, still percent-encoded
 * @param connect what the page may connect to
 */
export async function pageFile(folder: string, pathname: string, connect: readonly string[] = []): Promise<PageFile> {
  const file = fileInside(folder, pathname);
  if (file === undefined) return notFound;
  const contentType = contentTypes[extname(file)];
  if (contentType === undefined) return notFound;
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch {
    return notFound;
  }
  const headers: Record<string, string> = {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
  if (extname(file) !== '.html') return { status: 200, headers, body: bytes };
  const nonce = createNonce();
  return {
    status: 200,
    headers: {
      ...headers,
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy(nonce, connect),
    },
    body: new TextEncoder().encode(withNonce(new TextDecoder().decode(bytes), nonce)),
  };
}

/** The absolute path that a URL's path means, or undefined when it isn't strictly inside `folder`. */
export function fileInside(folder: string, pathname: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
  if (decoded.includes('\0') || decoded.includes('\\')) return undefined;
  const file = join(folder, decoded === '/' || decoded === '' ? 'index.html' : decoded);
  const inside = relative(folder, file);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
  return file;
}
