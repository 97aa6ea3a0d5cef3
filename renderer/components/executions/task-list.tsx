import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { Task } from '../../../shared/model/task.ts';
import { errorWords, text } from '../../text/text.ts';
import { EnglishText } from '../english-text.tsx';
import { ExecutionLabel } from './execution-label.tsx';
import { taskTime } from './task-time.ts';

interface Props {
  readonly tasks: readonly Task[];
  readonly now: number;
  /** More about a task, below its line. */
  readonly more?: ((task: Task) => ReactNode) | undefined;
}

/** The tasks of a run in their order. */
export function TaskList({ tasks, now, more }: Props) {
  return (
    <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {tasks.map((task) => (
        <Box
          component="li"
          key={task.id}
          sx={{ py: 0.6, fontSize: 13, borderBottom: 1, borderColor: 'divider', '&:last-child': { borderBottom: 0 } }}
        >
          <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap' }}>
            <Box sx={{ width: 120 }}>
              <ExecutionLabel state={task.state} />
            </Box>
            <Typography
              variant="inherit"
              sx={{ flexGrow: 1, color: task.state === 'pending' ? 'text.secondary' : 'text.primary' }}
            >
              {task.title}
            </Typography>
            {task.cleanUp && <Chip size="small" variant="outlined" label={text.runs.cleanUp} />}
            {task.attempts > 1 && (
              <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                {text.runs.attempts(task.attempts)}
              </Typography>
            )}
            <Typography variant="caption" sx={{ color: 'text.secondary', minWidth: 70, textAlign: 'right' }}>
              {taskTime(task, now)}
            </Typography>
          </Box>
          {more?.(task)}
          {task.error !== undefined && task.state === 'failed' && (
            <Typography
              variant="body2"
              sx={{ ml: '132px', mt: 0.25, color: 'text.secondary', overflowWrap: 'anywhere' }}
            >
              <Box component="span" sx={{ color: 'text.primary', fontWeight: 600 }}>
                {errorWords(task.error.code).title}:
              </Box>{' '}
              <EnglishText>{task.error.message}</EnglishText>
            </Typography>
          )}
        </Box>
      ))}
    </Box>
  );
}
