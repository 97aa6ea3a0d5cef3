import { randomBytes } from 'node:crypto';

/** A fresh nonce for one delivery of the page: 128 bits, base64. */
export function createNonce(): string {
  return randomBytes(16).toString('base64');
}

/**
 * The policy of the page. No inline script, no eval, no style without the nonce, no plug-in, no frame, no form target;
 * `connect` is the only thing that differs between the hosts (the desktop app needs none, the web host its socket).
 */
export function contentSecurityPolicy(nonce: string, connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'none'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect.length === 0 ? "'none'" : connect.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The page makes the address of one script by itself: that of the worker that reads workbooks.
    'trusted-types causeway-worker',
  ].join('; ');
}

/** Where the built page says where the nonce belongs (`<meta name="csp-nonce" content="">`). */
const noncePlace = '<meta name="csp-nonce" content=""';

/** Puts the nonce into the page for the style library to find; throws when the page has no place for it. */
export function withNonce(html: string, nonce: string): string {
  if (!html.includes(noncePlace)) throw new Error('The page has no <meta name="csp-nonce"> for the nonce');
  return html.replace(noncePlace, `<meta name="csp-nonce" content="${nonce}"`);
}
