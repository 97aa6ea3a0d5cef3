import type { DeploymentState } from '../../../shared/model/deployment.ts';
import type { ExecutionState } from '../../../shared/model/execution.ts';
import type { TaskState } from '../../../shared/model/task.ts';
import { StateLabel, type StateTone } from '../state-label.tsx';
import { text } from '../../text/text.ts';

const tones: Readonly<Record<ExecutionState | DeploymentState | TaskState, StateTone>> = {
  pending: 'waiting',
  running: 'running',
  cancelling: 'waiting',
  interrupted: 'paused',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
  skipped: 'ended',
  deleted: 'ended',
};

/** State of an execution, of a deployment, or of one of their tasks; with the member of the fleet that carries it out, if it is another one. */
export function ExecutionLabel({
  state,
  member,
}: {
  readonly state: ExecutionState | DeploymentState | TaskState;
  readonly member?: string | undefined;
}) {
  return (
    <StateLabel tone={tones[state]}>
      {member === undefined ? text.runs.states[state] : text.fleet.carriedOutBy(text.runs.states[state], member)}
    </StateLabel>
  );
}
