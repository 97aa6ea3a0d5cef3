import Box from '@mui/material/Box';
import { useMemo } from 'react';
import type { GraphTask, TaskState } from '../../../shared/model/task.ts';
import { text } from '../../text/text.ts';
import { foldChain, layOut, type BoxSize, type Point } from './graph-layout.ts';
import { taskTime } from './task-time.ts';

const box: BoxSize = { width: 366, height: 46, gapX: 24, gapY: 26 };

/** Between the two columns of a folded chain. */
const columnGap = 72;

/** Colours by state; the state is also written into each box. */
const colours: Readonly<Record<TaskState, string>> = {
  pending: 'text.disabled',
  running: 'info.main',
  completed: 'success.main',
  failed: 'error.main',
  cancelled: 'warning.main',
  skipped: 'text.disabled',
};

/** The tasks as boxes, each below what it comes after. A picture: the list says the same to who can't see it. */
export function TaskGraph({ tasks, now }: { readonly tasks: readonly GraphTask[]; readonly now: number }) {
  const layout = useMemo(() => foldChain(layOut(tasks, box), box, columnGap), [tasks]);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const { width, height } = layout;
  return (
    <Box tabIndex={0} role="region" aria-label={text.runs.graph} sx={{ overflow: 'auto' }}>
      <Box
        component="svg"
        role="img"
        aria-label={text.runs.graphOf(tasks.filter(({ state }) => state === 'completed').length, tasks.length)}
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        width={width + 4}
        height={height + 4}
        sx={{
          display: 'block',
          mx: 'auto',
          fontFamily: 'inherit',
          '& path': { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 },
        }}
      >
        {layout.edges.map((edge) => {
          const [start, end] = [layout.nodes.get(edge.from), layout.nodes.get(edge.to)];
          if (start === undefined || end === undefined) return null;
          return (
            <Box
              component="g"
              key={`${edge.from} ${edge.to}`}
              sx={{ color: byId.get(edge.from)?.state === 'completed' ? 'success.main' : 'text.disabled' }}
            >
              {start.y < end.y ? (
                <Down start={start} passes={edge.passes} end={end} />
              ) : (
                <Across start={start} end={end} />
              )}
            </Box>
          );
        })}
        {tasks.map((task) => {
          const { x, y } = layout.nodes.get(task.id) ?? { x: 0, y: 0 };
          const time = taskTime(task, now);
          return (
            <Box
              component="g"
              key={task.id}
              transform={`translate(${x - box.width / 2} ${y - box.height / 2})`}
              sx={{ color: colours[task.state] }}
            >
              <Box
                component="rect"
                width={box.width}
                height={box.height}
                rx={8}
                strokeDasharray={task.cleanUp ? '5 4' : undefined}
                sx={{
                  fill: 'var(--mui-palette-background-paper)',
                  stroke: 'currentColor',
                  strokeWidth: task.state === 'running' ? 2.5 : 1.5,
                }}
              />
              <circle
                cx={18}
                cy={box.height / 2}
                r={5}
                fill={task.state === 'pending' || task.state === 'skipped' ? 'none' : 'currentColor'}
                stroke="currentColor"
                strokeWidth={1.5}
              />
              <Box
                component="text"
                x={34}
                y={19}
                sx={{
                  fill: 'var(--mui-palette-text-primary)',
                  fontSize: 13,
                  fontWeight: task.state === 'running' ? 600 : 400,
                }}
              >
                {task.title}
              </Box>
              <Box component="text" x={34} y={36} sx={{ fill: 'var(--mui-palette-text-secondary)', fontSize: 12 }}>
                {[text.runs.states[task.state], time, task.attempts > 1 ? text.runs.attempts(task.attempts) : '']
                  .filter((part) => part !== '')
                  .join(' · ')}
              </Box>
            </Box>
          );
        })}
      </Box>
    </Box>
  );
}

interface EdgeProps {
  readonly start: Point;
  readonly end: Point;
}

/** From the lower edge of a box to the upper edge of one in a row below, beside the boxes of the rows between. */
function Down({ start, passes, end }: EdgeProps & { readonly passes: readonly Point[] }) {
  const half = box.height / 2;
  let [from, line] = [{ x: start.x, y: start.y + half }, `M${start.x} ${start.y + half}`];
  for (const { x, y } of passes) {
    line += `${curve(from, { x, y: y - half })} V${y + half}`;
    from = { x, y: y + half };
  }
  const tip = { x: end.x, y: end.y - half - 2 };
  return (
    <>
      <path d={line + curve(from, { x: tip.x, y: tip.y - 2 })} />
      <path d={`M${tip.x - 4} ${tip.y - 5} L${tip.x} ${tip.y} L${tip.x + 4} ${tip.y - 5}`} />
    </>
  );
}

/** Leaves and arrives vertically, and crosses in the middle of the gap between two rows. */
function curve(from: Point, to: Point): string {
  const middle = (from.y + to.y) / 2;
  return ` C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
}

/** From the right edge of a box to the left edge of one in the next column of a folded chain. */
function Across({ start, end }: EdgeProps) {
  const [x1, x2] = [start.x + box.width / 2, end.x - box.width / 2];
  const middle = (x1 + x2) / 2;
  return (
    <>
      <path d={`M${x1} ${start.y} C${middle} ${start.y} ${middle} ${end.y} ${x2 - 4} ${end.y}`} />
      <path d={`M${x2 - 7} ${end.y - 4} L${x2 - 2} ${end.y} L${x2 - 7} ${end.y + 4}`} />
    </>
  );
}
