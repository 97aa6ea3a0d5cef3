import type { EngineState, ShellInfo } from '../../shared/contract/shell.ts';
import type { Event } from '../../shared/model/event.ts';
import type { Shell } from './shell.ts';

/** A run that ended, for a notification. */
export interface EndedRun {
  readonly kind: 'execution' | 'deployment' | 'wave';
  readonly id: string;
  readonly replicaId: string | undefined;
  readonly state: 'completed' | 'failed' | 'cancelled';
  /** As the journal says it. */
  readonly message: string;
}

/** What runs in the open project, as the workbench's process needs to know it. */
export interface RunWatch {
  /** Executions and deployments that are under way on this computer: those on a mover need neither this process nor that it stays awake. */
  readonly active: number;
  /** Called with the number whenever it changes. */
  onChange(listener: (active: number) => void): void;
  onEnded(listener: (run: EndedRun) => void): void;
}

const activeStates: readonly unknown[] = ['pending', 'running', 'cancelling'];
const endStates: readonly unknown[] = ['completed', 'failed', 'cancelled'];

/**
 * Follows the runs of whatever project is open by their events, and queries again whenever an engine has started: what
 * happened while none was there is not told.
 */
export function watchRuns(shell: Pick<Shell, 'subscribe' | 'dispatch'>): RunWatch {
  const active = new Set<string>();
  const onChange: ((active: number) => void)[] = [];
  const onEnded: ((run: EndedRun) => void)[] = [];
  let engine: EngineState = { state: 'none', restarts: 0 };
  let isOnMover = false;
  let told = 0;
  /** Waves in progress: one message at the end of each stands for those of all members. */
  const waves = new Set<string>();

  const here = (): number => (isOnMover ? 0 : active.size);
  function tell(): void {
    if (here() === told) return;
    told = here();
    for (const listener of onChange) listener(told);
  }

  function followWave({ message, details }: Event): void {
    const { waveRun, state } = details;
    if (typeof waveRun !== 'string') return;
    if (endStates.includes(state)) {
      waves.delete(waveRun);
      const run: EndedRun = {
        kind: 'wave',
        id: waveRun,
        replicaId: undefined,
        state: state as EndedRun['state'],
        message,
      };
      for (const listener of onEnded) listener(run);
    } else waves.add(waveRun);
  }

  async function askAnew(): Promise<void> {
    const never = new AbortController().signal;
    const [executions, deployments] = await Promise.all(
      (['execution.list', 'deployment.list'] as const).map((name) => shell.dispatch(name, { limit: 1000 }, never)),
    );
    for (const answer of [executions, deployments]) {
      if (answer?.ok !== true) continue;
      for (const { id, state } of answer.value as readonly { id: string; state: string }[]) {
        if (activeStates.includes(state)) active.add(id);
        else active.delete(id);
      }
    }
    tell();
  }

  shell.subscribe('shell.changed', ({ engine: now, project }: ShellInfo) => {
    isOnMover = project?.mover !== undefined;
    const before = engine;
    engine = now;
    if (now.state === 'running' && (before.state !== 'running' || before.restarts !== now.restarts)) void askAnew();
    // An engine that restarts continues its runs; without an engine nothing runs.
    if (now.state === 'none' || now.state === 'given-up') {
      active.clear();
      waves.clear();
      tell();
    }
  });

  shell.subscribe('execution.event', (event: Event) => {
    if (event.type === 'wave.state') return followWave(event);
    const kind = event.type.startsWith('deployment.') ? 'deployment' : 'execution';
    const id = kind === 'deployment' ? event.deploymentId : event.executionId;
    if (id === undefined || !/\.(created|state)$/.test(event.type) || event.type === 'task.state') return;
    const state = event.type.endsWith('.created') ? 'pending' : event.details['state'];
    if (activeStates.includes(state)) {
      active.add(id);
      return tell();
    }
    const wasActive = active.delete(id);
    if (wasActive && waves.size === 0 && endStates.includes(state)) {
      const run: EndedRun = {
        kind,
        id,
        replicaId: event.replicaId,
        state: state as EndedRun['state'],
        message: event.message,
      };
      for (const listener of onEnded) listener(run);
    }
    tell();
  });

  return {
    get active() {
      return here();
    },
    onChange: (listener) => void onChange.push(listener),
    onEnded: (listener) => void onEnded.push(listener),
  };
}
