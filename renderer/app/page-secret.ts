/** The web host gives it after `#`; it is kept for this origin, port included, unlike the cookie. */
const storedAs = 'causeway-session';

/** Keeps the secret that the page's address brings, and takes it out of the address. The link works once: before anything else, a page that is left at once included. */
export function takePageSecret(): void {
  const given = /^#session=([A-Za-z0-9_-]{43})$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  localStorage.setItem(storedAs, given);
  history.replaceState(null, '', '/');
}

/** Null in the desktop app. */
export function pageSecret(): string | null {
  return localStorage.getItem(storedAs);
}
