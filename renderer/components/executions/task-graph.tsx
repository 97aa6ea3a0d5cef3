import Box from '@mui/material/Box';
import { useMemo } from 'react';
import type { GraphTask, TaskState } from '../../../shared/model/task.ts';
import { text } from '../../text/en.ts';
import { layOut } from './graph-layout.ts';
import { taskTime } from './task-time.ts';

const node = { width: 366, height: 46, gapX: 24, gapY: 26 } as const;

const bandGap = 72;

/** Colours by state; the state is also written into each box. */
const colours: Readonly<Record<TaskState, string>> = {
  pending: 'text.disabled', running: 'info.main', completed: 'success.main', failed: 'error.main', cancelled: 'warning.main', skipped: 'text.disabled',
};

/** The tasks as boxes, each below what it comes after. A picture: the list says the same to who can't see it. */
export function TaskGraph({ tasks, now }: { readonly tasks: readonly GraphTask[]; readonly now: number }) {
  const layout = useMemo(() => layOut(tasks), [tasks]);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  // A long chain is folded, so that it is seen at once.
  const bands = layout.columns === 1 && layout.rows > 6 ? 2 : 1;
  const perBand = Math.ceil(layout.rows / bands);
  const place = new Map(layout.nodes.map(({ id, row, column }) => {
    const band = Math.floor(row / perBand);
    return [id, { band, x: column * (node.width + node.gapX) + band * (node.width + bandGap), y: (row % perBand) * (node.height + node.gapY) }];
  }));
  const width = layout.columns * (node.width + node.gapX) - node.gapX + (bands - 1) * (node.width + bandGap);
  const height = Math.max(0, perBand * (node.height + node.gapY) - node.gapY);
  return (
    <Box tabIndex={0} role="region" aria-label={text.runs.graph} sx={{ overflow: 'auto' }}>
      <Box
        component="svg"
        role="img"
        aria-label={text.runs.graphOf(tasks.filter(({ state }) => state === 'completed').length, tasks.length)}
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        width={width + 4}
        height={height + 4}
        sx={{ display: 'block', mx: 'auto', fontFamily: 'inherit', '& path': { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 } }}
      >
        {layout.edges.map(([from, to]) => {
          const [start, end] = [place.get(from), place.get(to)];
          if (start === undefined || end === undefined) return null;
          return (
            <Box component="g" key={`${from} ${to}`} sx={{ color: byId.get(from)?.state === 'completed' ? 'success.main' : 'text.disabled' }}>
              {start.band === end.band ? <Below start={start} end={end} /> : <Beside start={start} end={end} />}
            </Box>
          );
        })}
        {tasks.map((task) => {
          const { x, y } = place.get(task.id) ?? { x: 0, y: 0 };
          const time = taskTime(task, now);
          return (
            <Box component="g" key={task.id} transform={`translate(${x} ${y})`} sx={{ color: colours[task.state] }}>
              <Box
                component="rect"
                width={node.width}
                height={node.height}
                rx={8}
                strokeDasharray={task.cleanUp ? '5 4' : undefined}
                sx={{ fill: 'var(--mui-palette-background-paper)', stroke: 'currentColor', strokeWidth: task.state === 'running' ? 2.5 : 1.5 }}
              />
              <circle cx={18} cy={node.height / 2} r={5} fill={task.state === 'pending' || task.state === 'skipped' ? 'none' : 'currentColor'} stroke="currentColor" strokeWidth={1.5} />
              <Box component="text" x={34} y={19} sx={{ fill: 'var(--mui-palette-text-primary)', fontSize: 13, fontWeight: task.state === 'running' ? 600 : 400 }}>
                {task.title}
              </Box>
              <Box component="text" x={34} y={36} sx={{ fill: 'var(--mui-palette-text-secondary)', fontSize: 12 }}>
                {[text.runs.states[task.state], time, task.attempts > 1 ? text.runs.attempts(task.attempts) : ''].filter((part) => part !== '').join(' · ')}
              </Box>
            </Box>
          );
        })}
      </Box>
    </Box>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

interface EdgeProps {
  readonly start: Place;
  readonly end: Place;
}

/** From the lower edge of a box to the upper edge of one below it. */
function Below({ start, end }: EdgeProps) {
  const [x1, y1, x2, y2] = [start.x + node.width / 2, start.y + node.height, end.x + node.width / 2, end.y];
  const middle = y2 - node.gapY / 2;
  return (
    <>
      <path d={`M${x1} ${y1} C${x1} ${middle} ${x2} ${middle} ${x2} ${y2 - 4}`} />
      <path d={`M${x2 - 4} ${y2 - 7} L${x2} ${y2 - 2} L${x2 + 4} ${y2 - 7}`} />
    </>
  );
}

/** From the right edge of a box to the left edge of one in the next band. */
function Beside({ start, end }: EdgeProps) {
  const [x1, y1, x2, y2] = [start.x + node.width, start.y + node.height / 2, end.x, end.y + node.height / 2];
  const middle = (x1 + x2) / 2;
  return (
    <>
      <path d={`M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2 - 4} ${y2}`} />
      <path d={`M${x2 - 7} ${y2 - 4} L${x2 - 2} ${y2} L${x2 - 7} ${y2 + 4}`} />
    </>
  );
}
