import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { TaskRecorder } from '../jobs/runner.ts';
import type { Store } from '../store/store.ts';

/** Keeps the states of an execution's tasks in the store, and tells of each change. */
export function taskRecorder(
  store: Store,
  execution: Execution,
  clean: (error: ErrorRecord) => ErrorRecord,
  emit: (type: EventType, taskId: string, message: string, details: JsonObject) => void,
): TaskRecorder {
  const titles = new Map(store.tasks.list(execution.id).map((task) => [task.id, task.title]));
  const title = (id: string): string => titles.get(id) ?? id;
  return {
    load: () => store.tasks.list(execution.id),
    start(id) {
      store.tasks.start(execution.id, id);
      emit('task.state', id, title(id), { state: 'running' });
    },
    finish(id, state, outcome) {
      const error = outcome.error === undefined ? undefined : clean(outcome.error);
      store.tasks.finish(execution.id, id, state, { ...outcome, ...(error === undefined ? {} : { error }) });
      const message = error === undefined ? `${title(id)}: ${state}` : `${title(id)}: ${state}: ${error.message}`;
      emit('task.state', id, message, { state, ...(error === undefined ? {} : { code: error.code }) });
    },
    retry(id, attempt, waitMs, error) {
      emit('task.retry', id, `${title(id)}: attempt ${attempt} in ${Math.ceil(waitMs / 1000)} s, because: ${error.message}`, {
        attempt, waitMs, code: error.code,
      });
    },
  };
}
