import { useSyncExternalStore } from 'react';

/** Where the page is: the parts of the hash, decoded. `#/replicas/rep_1` is ['replicas', 'rep_1']. */
export type Route = readonly string[];

/** The address of a screen; parts may hold any characters. */
export function hrefOf(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** The address of a place in the manual's screen. */
export function manualHref(page: string, anchor?: string): string {
  return hrefOf('manual', page, ...(anchor === undefined ? [] : [anchor]));
}

export function goTo(...parts: readonly string[]): void {
  location.hash = hrefOf(...parts);
}

/** An address that somebody mistyped is the home screen. */
export function parseRoute(hash: string): Route {
  try {
    return hash
      .replace(/^#?\/?/, '')
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return [];
  }
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(onHashChange, () => location.hash));
}

function onHashChange(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
