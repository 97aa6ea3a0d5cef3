import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { secretHeader } from '../../shared/contract/request-channel.ts';

/**
 * Who may talk to the web host: whoever brought a one-time token, and after that both the session cookie and the page
 * secret that were given for it. A browser sends the cookie to every port of this computer, other users' servers among
 * them; the page secret stays with the page's own origin. Host and Origin are checked too, so that a foreign page in the
 * same browser (or a name that was re-bound to 127.0.0.1) can neither call nor connect.
 */
export interface Admission {
  /** A fresh one-time token; the previous one is no longer valid. */
  issue(): string;
  /** Whether the request came in under our own name. */
  hostIsOurs(request: IncomingMessage): boolean;
  /** Whether a browser says that the request comes from our own page. */
  originIsOurs(request: IncomingMessage): boolean;
  /** The session for the right token, once; undefined for a wrong or used one. */
  redeem(token: string): { readonly cookie: string; readonly pageSecret: string } | undefined;
  /** Whether the cookie is that of a session: enough for the page's files, which hold nothing of a project. */
  hasSession(request: IncomingMessage): boolean;
  /** Whether the page secret of the same session came along, as a subprotocol of the WebSocket or in a header of its own. */
  hasPageSecret(request: IncomingMessage): boolean;
}

const cookieName = 'causeway-session';
/** Before each page secret among the subprotocols that a page asks for. */
const secretPrefix = 'session.';
/** A session ends after this much time without use. */
const idleMs = 12 * 60 * 60 * 1000;

interface Session {
  readonly cookie: string;
  readonly pageSecret: string;
  usedAt: number;
}

/**
 * @param port asked for at each check, because it is known only once the server listens
 * @param now milliseconds
 */
export function createAdmission(port: () => number, now: () => number = Date.now): Admission {
  let sessions: Session[] = [];
  let token: string | undefined;
  const hosts = () => [`127.0.0.1:${port()}`, `localhost:${port()}`];

  const sessionOf = (request: IncomingMessage): Session | undefined => {
    sessions = sessions.filter(({ usedAt }) => now() - usedAt < idleMs);
    const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
    const given = cookies
      .filter((cookie) => cookie.startsWith(`${cookieName}=`))
      .map((cookie) => cookie.slice(cookieName.length + 1));
    const found = sessions.find(({ cookie }) => given.some((each) => sameSecret(each, cookie)));
    if (found !== undefined) found.usedAt = now();
    return found;
  };

  return {
    issue: () => (token = randomBytes(32).toString('base64url')),
    hostIsOurs: (request) => hosts().includes(request.headers.host ?? ''),
    originIsOurs: (request) => hosts().some((host) => request.headers.origin === `http://${host}`),
    redeem(given) {
      if (token === undefined || !sameSecret(given, token)) return undefined;
      token = undefined;
      const session = {
        cookie: randomBytes(32).toString('base64url'),
        pageSecret: randomBytes(32).toString('base64url'),
        usedAt: now(),
      };
      sessions.push(session);
      return {
        cookie: `${cookieName}=${session.cookie}; HttpOnly; SameSite=Strict; Path=/`,
        pageSecret: session.pageSecret,
      };
    },
    hasSession: (request) => sessionOf(request) !== undefined,
    hasPageSecret(request) {
      const asked = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
      const header = request.headers[secretHeader];
      const given =
        asked.find((protocol) => protocol.startsWith(secretPrefix))?.slice(secretPrefix.length) ??
        (typeof header === 'string' ? header : undefined);
      const session = sessionOf(request);
      return given !== undefined && session !== undefined && sameSecret(given, session.pageSecret);
    },
  };
}

/** Compares in constant time, whatever the lengths. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
