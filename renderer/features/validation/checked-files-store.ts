import { useSyncExternalStore } from 'react';
import type { CheckedFile } from './checked-file.ts';

/** The files that were checked, kept for as long as the page is open: fixes that are not saved survive leaving the screen. */
let files: readonly CheckedFile[] = [];
const listeners = new Set<() => void>();

export function checkedFiles(): readonly CheckedFile[] {
  return files;
}

export function setCheckedFiles(
  next: readonly CheckedFile[] | ((before: readonly CheckedFile[]) => readonly CheckedFile[]),
): void {
  const wasUnsaved = hasUnsavedFiles();
  files = typeof next === 'function' ? next(files) : next;
  if (hasUnsavedFiles() !== wasUnsaved && typeof window !== 'undefined') {
    if (wasUnsaved) window.removeEventListener('beforeunload', objectToClosing);
    else window.addEventListener('beforeunload', objectToClosing);
  }
  for (const listener of listeners) listener();
}

export function hasUnsavedFiles(): boolean {
  return files.some(({ isChanged }) => isChanged === true);
}

/** Whatever screen is shown, closing the page would lose the fixes. */
function objectToClosing(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

export function useCheckedFiles(): readonly CheckedFile[] {
  return useSyncExternalStore(subscribe, checkedFiles);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
