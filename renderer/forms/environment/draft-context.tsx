import { createContext, use, useCallback, useSyncExternalStore } from 'react';
import type { Side } from '../../../shared/model/plugin-id.ts';
import type { FieldValue } from '../form-values.ts';
import type { EnvironmentDraft, FieldState } from './environment-draft.ts';

/** One thing that can be chosen: what is written, and what people call it. */
export interface Option {
  readonly value: string;
  readonly label: string;
  /** Where the value is a name: the id of what has it. */
  readonly id?: string;
}

export interface DraftView {
  readonly draft: EnvironmentDraft;
  /** Choices of a kind of resource on one side; none when nobody knows them. */
  readonly optionsOf: (side: Side, kind: string | undefined) => readonly Option[];
}

export const DraftViewContext = createContext<DraftView | undefined>(undefined);

export function useDraftView(): DraftView {
  const view = use(DraftViewContext);
  if (view === undefined) throw new Error('There is no draft above');
  return view;
}

/** One field: rendered again only when something of this very field changes. */
export function useDraftField(side: Side, key: string): FieldState & { setValue(value: FieldValue): void } {
  const { draft } = useDraftView();
  const place = `${side}/${key}`;
  const subscribe = useCallback((listener: () => void) => draft.subscribe(place, listener), [draft, place]);
  const state = useSyncExternalStore(subscribe, () => draft.field(side, key));
  return { ...state, setValue: (value) => draft.setValue(side, key, value) };
}

/** Rendered again at every change: for what shows the whole. */
export function useDraftVersion(draft: EnvironmentDraft): number {
  const subscribe = useCallback((listener: () => void) => draft.subscribe('all', listener), [draft]);
  return useSyncExternalStore(subscribe, draft.version);
}
