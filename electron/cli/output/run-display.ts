import { textStart } from '../../../shared/model/cut-text.ts';
import type { Event } from '../../../shared/model/event.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { CommandContext } from '../command-context.ts';
import { progressLines, progressSentence } from './progress-bars.ts';
import { printable, printableLines } from './printable.ts';

/** Shows runs while they go on. */
export interface RunDisplay {
  event(event: Event): void;
  progress(progress: ExecutionProgress): void;
  /** Something that this program says itself, beside what the run says. */
  notice(text: string): void;
  /** The last numbers of an execution stay; there are no more of it. */
  end(executionId: string): void;
}

/** What to call an execution when there are several. */
export type TitleOf = (executionId: string) => string | undefined;

/** Lines of JSON when asked for, bars on a terminal, else a log. */
export function displayFor(
  options: { readonly json?: boolean },
  context: CommandContext,
  titleOf: TitleOf = () => undefined,
): RunDisplay {
  if (options.json === true) return jsonDisplay(context);
  return context.stdout.isTTY === true ? terminalDisplay(context.stdout, titleOf) : plainDisplay(context, titleOf);
}

/** JSON lines: everything, as it is. */
function jsonDisplay(context: CommandContext): RunDisplay {
  const write = (type: string, value: object): void =>
    void context.stdout.write(`${JSON.stringify({ type, ...value })}\n`);
  return {
    event: (event) => write('event', { event }),
    progress: (progress) => write('progress', { progress }),
    notice: (text) => void context.stderr.write(`${text}\n`),
    end: () => undefined,
  };
}

type Output = Pick<NodeJS.WritableStream, 'write'>;
type Terminal = Output & { readonly columns?: number; readonly rows?: number };

/** A log: a line an event, and now and then one with the numbers. */
export function plainDisplay(
  { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
  titleOf: TitleOf = () => undefined,
  intervalMs = 10_000,
): RunDisplay {
  const said = new Map<string, { readonly at: number; readonly phase: string }>();
  return {
    event: (event) => void stdout.write(`${printable(event.message)}\n`),
    progress(progress) {
      const before = said.get(progress.executionId);
      const now = performance.now();
      const { phase } = progress.total;
      if (before !== undefined && before.phase === phase && now - before.at < intervalMs) return;
      said.set(progress.executionId, { at: now, phase });
      const title = titleOf(progress.executionId);
      stdout.write(`  ${title === undefined ? '' : `${printable(title)}: `}${progressSentence(progress)}\n`);
    },
    notice: (text) => void stderr.write(`${printableLines(text)}\n`),
    end: () => undefined,
  };
}

/** A terminal: events scroll; what is being done and the bars stay below them. */
export function terminalDisplay(stdout: Terminal, titleOf: TitleOf = () => undefined): RunDisplay {
  const tasks = new Map<string, string>();
  const bars = new Map<string, readonly string[]>();
  let drawn = 0;
  const draw = (above: readonly string[] = []): void => {
    const columns = stdout.columns ?? 80;
    const doing = [...tasks.values()].map((title) => textStart(`${title} …`, columns - 1));
    const live = withinRows([...doing, ...[...bars.values()].flat()], (stdout.rows ?? 24) - 1);
    const lines = [...above, ...live].map((line) => `${line}\n`).join('');
    stdout.write(`${drawn === 0 ? '' : `\x1b[${drawn}A\x1b[0J`}${lines}`);
    drawn = live.length;
  };
  return {
    event(event) {
      const task = `${event.deploymentId ?? event.executionId ?? ''}/${event.taskId ?? ''}`;
      if (event.type !== 'task.state') return draw([printable(event.message)]);
      if (event.details['state'] === 'running') {
        tasks.set(task, printable(event.message));
        return draw();
      }
      tasks.delete(task);
      draw([printable(event.message)]);
    },
    progress(progress) {
      const title = titleOf(progress.executionId);
      bars.set(progress.executionId, [
        ...(title === undefined ? [] : [printable(title)]),
        ...progressLines(progress, stdout.columns ?? 80),
      ]);
      draw();
    },
    notice: (text) => draw(printableLines(text).split('\n')),
    end(executionId) {
      // They stay where they are; what comes next goes below.
      const own = bars.get(executionId) ?? [];
      bars.delete(executionId);
      tasks.clear();
      draw(own);
    },
  };
}

/** Lines that scrolled out of the screen could not be drawn again: the middle gives way, the last one (the total) stays. */
function withinRows(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const shown = Math.max(0, rows - 2);
  return [...lines.slice(0, shown), `… and ${lines.length - shown - 1} more`, ...lines.slice(-1)];
}
