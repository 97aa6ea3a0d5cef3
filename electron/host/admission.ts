import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Who may talk to the web host: whoever brought a one-time token that was printed on the terminal, and after that the
 * session cookie that was given for it. Host and Origin are checked too, so that a foreign page in the same browser (or
 * a name that was re-bound to 127.0.0.1) can neither call nor connect.
 */
export interface Admission {
  /** A fresh one-time token; the one before it is worth nothing from now on. */
  issue(): string;
  /** Whether the request came in under our own name. */
  hostIsOurs(request: IncomingMessage): boolean;
  /** Whether a browser says that the request comes from our own page. */
  originIsOurs(request: IncomingMessage): boolean;
  /** The session cookie's header for the right token, once; undefined for a wrong or used one. */
  redeem(token: string): string | undefined;
  hasSession(request: IncomingMessage): boolean;
}

const cookieName = 'causeway-session';

/** @param port asked for at each check, because it is known only once the server listens */
export function createAdmission(port: () => number): Admission {
  const sessions: string[] = [];
  let token: string | undefined;
  const hosts = () => [`127.0.0.1:${port()}`, `localhost:${port()}`];
  return {
    issue: () => (token = randomBytes(32).toString('base64url')),
    hostIsOurs: (request) => hosts().includes(request.headers.host ?? ''),
    originIsOurs: (request) => hosts().some((host) => request.headers.origin === `http://${host}`),
    redeem(given) {
      if (token === undefined || !sameSecret(given, token)) return undefined;
      token = undefined;
      const session = randomBytes(32).toString('base64url');
      sessions.push(session);
      return `${cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    },
    hasSession(request) {
      const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
      const given = cookies.find((cookie) => cookie.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
      return given !== undefined && sessions.some((session) => sameSecret(given, session));
    },
  };
}

/** Compares in constant time, whatever the lengths. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
