import { useState } from 'react';

const storedAs = 'causeway-who';

/** The name that somebody's decisions are recorded under, as this browser knows it; the argument of calls as well. */
export function useWho(): {
  readonly who: string;
  readonly setWho: (who: string) => void;
  readonly by: { readonly by?: string };
} {
  const [who, setWho] = useState(() => localStorage.getItem(storedAs) ?? '');
  const set = (name: string): void => {
    setWho(name);
    localStorage.setItem(storedAs, name);
  };
  return { who, setWho: set, by: who.trim() === '' ? {} : { by: who.trim() } };
}
