import type { DeploymentState } from '../../../shared/model/deployment.ts';
import type { ExecutionState } from '../../../shared/model/execution.ts';
import type { TaskState } from '../../../shared/model/task.ts';
import { StateLabel, type StateTone } from '../state-label.tsx';
import { text } from '../../text/text.ts';

const tones: Readonly<Record<ExecutionState | DeploymentState | TaskState, StateTone>> = {
  pending: 'waiting', running: 'running', cancelling: 'waiting', interrupted: 'paused', completed: 'good', failed: 'bad', cancelled: 'ended', skipped: 'ended', deleted: 'ended',
};

/** State of an execution, of a deployment, or of one of their tasks. */
export function ExecutionLabel({ state }: { readonly state: ExecutionState | DeploymentState | TaskState }) {
  return <StateLabel tone={tones[state]}>{text.runs.states[state]}</StateLabel>;
}
