import type { GraphTask } from '../../../shared/model/task.ts';
import type { TaskGraph } from '../jobs/task-graph.ts';
import type { StoredTask } from '../store/tasks.ts';

/** Tasks as they are shown: without what they yielded, with what each of them comes after. */
export function graphTasks(tasks: readonly StoredTask[], graph: TaskGraph): GraphTask[] {
  const after = new Map(graph.map((node) => [node.id, node.after]));
  return tasks.map(({ result: _result, ...task }) => ({ ...task, after: [...(after.get(task.id) ?? [])] }));
}
