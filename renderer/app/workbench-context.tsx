import { createContext, use, useEffect, useEffectEvent, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import type { ShellInfo } from '../../shared/contract/shell.ts';
import { QueryStore, sharedQuery, type QueryState } from './query-store.ts';
import type {
  LinkState,
  WorkbenchCallName,
  WorkbenchEvent,
  WorkbenchEventName,
  WorkbenchInput,
  WorkbenchLink,
  WorkbenchOutput,
} from './workbench-link.ts';

interface Context {
  readonly link: WorkbenchLink;
  readonly shell: ShellInfo | undefined;
}
const WorkbenchContext = createContext<Context | undefined>(undefined);

/** Gives everything below it the connection and what is known of the workbench's process. */
export function WorkbenchProvider({ link, children }: { readonly link: WorkbenchLink; readonly children: ReactNode }) {
  const store = useMemo(() => new QueryStore(link, 'shell.info', {}, ['shell.changed']), [link]);
  const shell = useSyncExternalStore(store.subscribe, store.snapshot).data;
  const value = useMemo(() => ({ link, shell }), [link, shell]);
  return <WorkbenchContext value={value}>{children}</WorkbenchContext>;
}

function useWorkbench(): Context {
  const context = use(WorkbenchContext);
  if (context === undefined) throw new Error('There is no WorkbenchProvider above');
  return context;
}

export function useLink(): WorkbenchLink {
  return useWorkbench().link;
}

/** Undefined until the process has answered for the first time. */
export function useShell(): ShellInfo | undefined {
  return useWorkbench().shell;
}

export function useLinkState(): LinkState {
  const { link } = useWorkbench();
  return useSyncExternalStore(link.onState, () => link.state);
}

export interface Query<T> extends QueryState<T> {
  reload(): void;
}

/**
 * What a call answers, kept while a component shows it, and shared by all that do. It is asked again when one of the events comes, when the
 * connection or the engine is back, and by `reload`; the last answer stays until the next one is there.
 */
export function useQuery<N extends WorkbenchCallName>(
  name: N,
  input: WorkbenchInput<N>,
  reloadOn: readonly WorkbenchEventName[] = [],
): Query<WorkbenchOutput<N>> {
  const { link } = useWorkbench();
  const key = JSON.stringify([input, reloadOn]);
  const store = useMemo(() => {
    const [given, events] = JSON.parse(key) as [WorkbenchInput<N>, WorkbenchEventName[]];
    return sharedQuery(link, name, given, events);
  }, [link, name, key]);
  const state = useSyncExternalStore(store.subscribe, store.snapshot);
  return { ...state, reload: store.reload };
}

/** Calls back for every event of a kind while the component is there. */
export function useWorkbenchEvent<N extends WorkbenchEventName>(
  event: N,
  listener: (payload: WorkbenchEvent<N>) => void,
): void {
  const { link } = useWorkbench();
  const current = useEffectEvent(listener);
  useEffect(() => link.on(event, (payload) => current(payload)), [link, event]);
}
