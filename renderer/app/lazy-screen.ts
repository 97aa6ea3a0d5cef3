import { createElement, useEffect, useState, type ComponentType } from 'react';

/** How each screen is loaded. */
const loadOf = new Map<unknown, () => Promise<unknown>>();
const loads: (() => Promise<unknown>)[] = [];

/**
 * A screen that is loaded when it is first opened. Not by `lazy` and `Suspense`: these keep what was just hidden out of sight
 * for 300 ms, and hide for a moment even what is loaded already.
 */
export function lazyScreen<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const ready = (): Promise<ComponentType<P>> => {
    loading ??= load().then(
      (screen) => (loaded = screen),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  function LazyScreen(props: P) {
    const [Screen, setScreen] = useState(() => loaded);
    useEffect(() => {
      // Thrown while drawing: whoever shows errors of this part of the page shows this one as well.
      if (Screen === undefined)
        ready().then(
          (screen) => setScreen(() => screen),
          (error: unknown) =>
            setScreen(() => {
              throw error;
            }),
        );
    }, [Screen]);
    return Screen === undefined ? null : createElement(Screen, props);
  }
  loads.push(ready);
  loadOf.set(LazyScreen, ready);
  return LazyScreen;
}

/** Loads a screen that will be drawn in a moment. Whoever draws it shows an error. */
export function loadAhead(screen: unknown): void {
  loadOf
    .get(screen)?.()
    .catch(() => undefined);
}

/** The screen that is shown comes first, with what it asks for. */
const beforeOthersMs = 2000;

/** Loads one screen after the other whenever the page has nothing to do, so that they open at once. Returns what ends this. */
export function loadAllScreens(): () => void {
  const waiting = [...loads];
  let isOver = false;
  const next = (): void => {
    const load = isOver ? undefined : waiting.shift();
    // One that fails is loaded again by whoever opens it.
    load?.().then(later, later);
  };
  // Not every browser has it.
  const later = (): void => void (globalThis.requestIdleCallback?.(next) ?? setTimeout(next, 200));
  const timer = setTimeout(later, beforeOthersMs);
  return () => {
    clearTimeout(timer);
    isOver = true;
  };
}
