import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Who may talk to the web host: whoever brought the one-time token that was printed on the terminal, and after that the
 * session cookie that was given for it. Host and Origin are checked too, so that a foreign page in the same browser (or
 * a name that was re-bound to 127.0.0.1) can neither call nor connect.
 */
export interface Admission {
  readonly token: string;
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
  const token = randomBytes(32).toString('base64url');
  const session = randomBytes(32).toString('base64url');
  let redeemed = false;
  const hosts = () => [`127.0.0.1:${port()}`, `localhost:${port()}`];
  return {
    token,
    hostIsOurs: (request) => hosts().includes(request.headers.host ?? ''),
    originIsOurs: (request) => hosts().some((host) => request.headers.origin === `http://${host}`),
    redeem(given) {
      if (redeemed || !sameSecret(given, token)) return undefined;
      redeemed = true;
      return `${cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    },
    hasSession(request) {
      const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
      const given = cookies.find((cookie) => cookie.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
      return given !== undefined && sameSecret(given, session);
    },
  };
}

/** Compares in constant time, whatever the lengths. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
