import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { TaskRecorder } from '../jobs/runner.ts';
import type { TaskStore } from '../store/tasks.ts';

/** Keeps the states of the tasks of one run (an execution, a deployment) in the store, and emits an event for each change. */
export function taskRecorder(
  tasks: TaskStore,
  run: { readonly id: string },
  clean: (error: ErrorRecord) => ErrorRecord,
  emit: (type: EventType, taskId: string, message: string, details: JsonObject) => void,
): TaskRecorder {
  const titles = new Map(tasks.list(run.id).map((task) => [task.id, task.title]));
  const title = (id: string): string => titles.get(id) ?? id;
  return {
    load: () => tasks.list(run.id),
    start(id) {
      tasks.start(run.id, id);
      emit('task.state', id, title(id), { state: 'running' });
    },
    finish(id, state, outcome) {
      const error = outcome.error === undefined ? undefined : clean(outcome.error);
      tasks.finish(run.id, id, state, { ...outcome, ...(error === undefined ? {} : { error }) });
      const message = error === undefined ? `${title(id)}: ${state}` : `${title(id)}: ${state}: ${error.message}`;
      emit('task.state', id, message, { state, ...(error === undefined ? {} : { code: error.code }) });
    },
    takeBack(ids) {
      tasks.takeBack(run.id, ids);
      for (const id of ids) emit('task.state', id, `${title(id)}: runs again`, { state: 'pending' });
    },
    retry(id, next, error) {
      const { attempt, withoutProgress, limit, waitMs } = next;
      const count =
        attempt === withoutProgress
          ? `attempt ${attempt} of ${limit}`
          : `attempt ${attempt} (${withoutProgress} of ${limit} without progress)`;
      emit('task.retry', id, `${title(id)}: ${count} in ${Math.ceil(waitMs / 1000)} s: ${error.message}`, {
        ...next,
        code: error.code,
      });
    },
  };
}
