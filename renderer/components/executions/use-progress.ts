import { useState } from 'react';
import type { Execution } from '../../../shared/model/execution.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import { useWorkbenchEvent } from '../../app/workbench-context.tsx';

/** The newest numbers of an execution: what was told last, or what came with it. */
export function useProgress(execution: Pick<Execution, 'id' | 'progress'>): ExecutionProgress | undefined {
  const [told, setTold] = useState<ExecutionProgress>();
  useWorkbenchEvent('execution.progress', (progress) => {
    if (progress.executionId === execution.id) setTold(progress);
  });
  return told ?? execution.progress;
}
