import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import type { WaveRun } from '../../../shared/model/wave.ts';
import { locale, text } from '../../text/text.ts';

/** "Sat, 28 Nov, 22:00 Europe/Berlin · 6 h": as the plan has it, whatever zone the reader is in. */
export function windowText(plan: WavePlan | undefined): string {
  if (plan?.window === undefined) return text.waves.noWindow;
  const { date, time, zone, hours } = plan.window;
  const day = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  }).format(Date.parse(`${date}T00:00:00Z`));
  return `${day}, ${time} ${zone} · ${text.waves.hours(hours)}`;
}

export function runText(run: WaveRun | undefined): string {
  return run === undefined
    ? text.waves.noState
    : text.waves.stateOf(text.waves.actionNouns[run.action], text.waves.runStates[run.state]);
}

/** How many members did not complete. */
export function lost({ counts }: WaveRun): number {
  return counts.failed + counts.blocked + counts.cancelled;
}
