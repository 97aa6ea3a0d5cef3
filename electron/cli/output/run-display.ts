import type { Event } from '../../../shared/model/event.ts';
import type { Execution } from '../../../shared/model/execution.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { CommandContext } from '../command-context.ts';
import { progressLines, progressSentence } from './progress-bars.ts';

/** Shows a run while it goes on. */
export interface RunDisplay {
  event(event: Event): void;
  progress(progress: ExecutionProgress): void;
  end(execution: Execution): void;
}

/** JSON lines: everything, as it is. */
export function jsonDisplay(context: CommandContext): RunDisplay {
  const write = (type: string, value: object): void => void context.stdout.write(`${JSON.stringify({ type, ...value })}\n`);
  return {
    event: (event) => write('event', { event }),
    progress: (progress) => write('progress', { progress }),
    end: (execution) => write('result', { execution }),
  };
}

/** A log: a line an event, and now and then one with the numbers. */
export function plainDisplay(context: CommandContext, intervalMs = 10_000): RunDisplay {
  let saidAt = performance.now();
  let phase = '';
  return {
    event: (event) => void context.stdout.write(`${event.message}\n`),
    progress(progress) {
      const due = performance.now() - saidAt >= intervalMs || progress.total.phase !== phase;
      if (!due) return;
      saidAt = performance.now();
      phase = progress.total.phase;
      context.stdout.write(`  ${progressSentence(progress)}\n`);
    },
    end: () => undefined,
  };
}

/** A terminal: events scroll, the bars stay below them. */
export function terminalDisplay(context: CommandContext): RunDisplay {
  const stdout = context.stdout as NodeJS.WritableStream & { columns?: number };
  let bars: string[] = [];
  const clear = (): string => (bars.length === 0 ? '' : `\x1b[${bars.length}A\x1b[0J`);
  const draw = (next: string[], above = ''): void => {
    stdout.write(`${clear()}${above}${next.map((line) => `${line}\n`).join('')}`);
    bars = next;
  };
  return {
    event: (event) => draw(bars, `${event.message}\n`),
    progress: (progress) => draw(progressLines(progress, stdout.columns ?? 80)),
    // They stay where they are; what comes next goes below.
    end: () => void (bars = []),
  };
}
