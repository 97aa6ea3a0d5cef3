import { useSyncExternalStore } from 'react';
import { text } from '../text/text.ts';

let current = '';
const listeners = new Set<() => void>();

/** Names the screen that is shown: in the window's title, and in the bar at the top. */
export function setPageTitle(title: string): void {
  document.title = `${title} · ${text.app.name}`;
  current = title;
  for (const listener of listeners) listener();
}

export function usePageTitle(): string {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
