import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { GraphTask, Task } from '../../../shared/model/task.ts';
import { useNow } from '../use-now.ts';
import { text } from '../../text/text.ts';
import { TaskList } from './task-list.tsx';

/** Loaded when somebody asks for it: few do, and it brings the layout with it. */
const TaskGraph = lazy(async () => ({ default: (await import('./task-graph.tsx')).TaskGraph }));

interface Props {
  readonly title?: string;
  readonly tasks: readonly GraphTask[];
  /** More about a task, in the list. */
  readonly more?: (task: Task) => ReactNode;
}

/** The tasks of a run, as a list or as a graph. */
export function TaskSection({ title = text.runs.tasks, tasks, more }: Props) {
  const [view, setView] = useState<'list' | 'graph'>('list');
  const now = useNow(1000);
  return (
    <Paper component="section" variant="outlined" aria-label={title} sx={{ p: 2.5 }}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', mb: 1 }}>
        <Typography variant="h6" component="h2">
          {title}
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {tasks.length === 0
            ? text.runs.noTasks
            : text.runs.tasksDone(tasks.filter(({ state }) => state === 'completed').length, tasks.length)}
        </Typography>
        <ToggleButtonGroup
          size="small"
          exclusive
          value={view}
          aria-label={text.runs.view}
          onChange={(_event, next: 'list' | 'graph' | null) => setView(next ?? view)}
        >
          <ToggleButton value="list">{text.runs.asList}</ToggleButton>
          <ToggleButton value="graph">{text.runs.asGraph}</ToggleButton>
        </ToggleButtonGroup>
      </Box>
      {view === 'list' ? (
        <TaskList tasks={tasks} now={now} more={more} />
      ) : (
        <Suspense>
          <TaskGraph tasks={tasks} now={now} />
        </Suspense>
      )}
    </Paper>
  );
}
