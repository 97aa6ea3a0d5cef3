import type { BootReport, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { emptyHistory, readHistory, withBuffer } from './console-history.ts';
import { gapMark } from './console-signs.ts';
import { withoutEscapes } from './console-text.ts';
import { bootVerdict, usualBootPatience, type BootPatience } from './boot-verdict.ts';

const defaultDeadlineSeconds = 600;
/** A console with new messages extends the wait up to this many deadlines. */
const mostDeadlines = 3;
/** How recent new messages have to be, in seconds. */
const progressSeconds = 120;
/** SELinux labels a million files in about twenty minutes, mostly in silence. */
const relabelSeconds = 3_600;
const lastLineCount = 4;

export interface BootObservation {
  /** Present content of the console's buffer; empty if it can't be read. */
  readonly buffer: string;
  readonly answeredAt: string | undefined;
  readonly askedAt: readonly string[];
  /** Since the server was created. */
  readonly elapsedSeconds: number;
}

export interface BootWatch {
  /** Adds what is seen now. Returns the verdict as soon as there is one. */
  observe(seen: BootObservation): Pick<BootReport, 'outcome' | 'evidence'> | undefined;
  /** Everything that the console has shown, without terminal control. */
  consoleText(): string;
  /** When the wait ends if nothing more happens, in seconds since the server was created. */
  endsAtSeconds(): number;
}

/**
 * Judges a boot from everything that console and network have shown since the server was created.
 *
 * @param hasConsole false where the platform has none that can be read
 */
export function watchedBoot(
  osType: Vm['os_type'],
  options: NonNullable<DeploymentOptions['bootCheck']>,
  hasConsole = true,
  patience: BootPatience = usualBootPatience,
): BootWatch {
  const deadline = options.deadlineSeconds ?? defaultDeadlineSeconds;
  const shapes = new Set<string>();
  let history = emptyHistory;
  let reading = readHistory(history);
  let signSince = 0;
  let startedAt = 0;
  let progressAt = 0;

  const endsAt = (): number => {
    const limit = Math.max(deadline * mostDeadlines, reading.isRelabelling ? relabelSeconds : 0);
    const extended = reading.isRelabelling
      ? limit
      : Math.max(startedAt + deadline, progressAt + Math.min(progressSeconds, deadline));
    return Math.min(limit, extended);
  };

  return {
    observe: ({ buffer, answeredAt, askedAt, elapsedSeconds }) => {
      const before = history.text;
      history = withBuffer(history, buffer);
      if (history.text !== before) {
        const previous = reading;
        reading = readHistory(history);
        if (addShapes(shapes, withoutEscapes(history.text)) && before !== '') progressAt = elapsedSeconds;
        if (reading.starts > previous.starts && previous.starts > 0) startedAt = elapsedSeconds;
        if (reading.sign !== previous.sign || reading.starts !== previous.starts) signSince = elapsedSeconds;
      }
      return bootVerdict(
        osType,
        options,
        {
          hasConsole,
          console: reading,
          signForSeconds: elapsedSeconds - signSince,
          lastLines: lastLines(history.text),
          answeredAt,
          askedAt,
          isOver: elapsedSeconds >= endsAt(),
          elapsedSeconds,
        },
        patience,
      );
    },
    consoleText: () => withoutEscapes(history.text).replaceAll(gapMark, '[…]'),
    endsAtSeconds: endsAt,
  };
}

/**
 * Remembers the lines by their shape, without numbers but with percentages: a message that comes again with another time
 * is no progress, a percentage that grows is. Returns whether a shape is new.
 */
function addShapes(shapes: Set<string>, text: string): boolean {
  const before = shapes.size;
  for (const line of text.split('\n'))
    shapes.add(
      line
        .replaceAll(/\d+(?:[.:]\d+)*(?![\d.]*%)/g, '#')
        .replaceAll(/[*=. ]+/g, ' ')
        .trim(),
    );
  return shapes.size > before;
}

function lastLines(text: string): string[] {
  const lines = withoutEscapes(text.slice(-8_000))
    .replaceAll(gapMark, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines
    .slice(-lastLineCount)
    .map((line) => (line.length <= 160 ? line : `${line.slice(0, 160).replace(/\s\S*$/, '')} …`));
}
