import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Typography from '@mui/material/Typography';
import type { Task } from '../../../shared/model/task.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/en.ts';
import { ExecutionLabel } from './execution-label.tsx';
import { taskTime } from './task-time.ts';

/** The tasks of a run in their order. */
export function TaskList({ tasks, now }: { readonly tasks: readonly Task[]; readonly now: number }) {
  return (
    <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {tasks.map((task) => (
        <Box component="li" key={task.id} sx={{ py: 1, borderBottom: 1, borderColor: 'divider', '&:last-child': { borderBottom: 0 } }}>
          <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap' }}>
            <Box sx={{ width: 120 }}>
              <ExecutionLabel state={task.state} />
            </Box>
            <Typography sx={{ flexGrow: 1, color: task.state === 'pending' ? 'text.secondary' : 'text.primary' }}>{task.title}</Typography>
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
          {task.error !== undefined && task.state === 'failed' && (
            <Box sx={{ mt: 1 }}>
              <ErrorNotice error={task.error} />
            </Box>
          )}
        </Box>
      ))}
    </Box>
  );
}
