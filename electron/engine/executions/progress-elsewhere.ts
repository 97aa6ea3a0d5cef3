import type { ExecutionProgress } from '../../../shared/model/progress.ts';

/** From so many on, numbers of what is not under way are forgotten. */
const usualMost = 1000;

/** The newest numbers of what other members carry out. */
export interface ProgressElsewhere {
  heard(progress: ExecutionProgress): void;
  get(executionId: string): ExecutionProgress | undefined;
}

/**
 * Numbers can come before their execution is known here. Whoever names executions that nobody knows must not fill the memory.
 *
 * @param isOpen whether an execution is known here and has not ended
 */
export function progressElsewhere(isOpen: (executionId: string) => boolean, most = usualMost): ProgressElsewhere {
  const known = new Map<string, ExecutionProgress>();
  return {
    heard(progress) {
      const { executionId } = progress;
      if (known.size >= most && !known.has(executionId)) {
        for (const id of known.keys()) if (!isOpen(id)) known.delete(id);
        if (known.size >= most && !isOpen(executionId)) return;
      }
      known.set(executionId, progress);
    },
    get(executionId) {
      const progress = known.get(executionId);
      if (progress === undefined || isOpen(executionId)) return progress;
      known.delete(executionId);
      return undefined;
    },
  };
}
