import type { ExecutionState } from '../../../shared/model/execution.ts';
import type { TaskState } from '../../../shared/model/task.ts';
import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { text } from '../../text/en.ts';

const tones: Readonly<Record<ExecutionState | TaskState, StateTone>> = {
  pending: 'waiting', running: 'running', cancelling: 'waiting', interrupted: 'paused', completed: 'good', failed: 'bad', cancelled: 'ended', skipped: 'ended',
};

/** State of an execution or of one of its tasks. */
export function ExecutionLabel({ state }: { readonly state: ExecutionState | TaskState }) {
  return <StateLabel tone={tones[state]}>{text.runs.states[state]}</StateLabel>;
}
