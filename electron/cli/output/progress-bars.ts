import type { ExecutionProgress, TransferProgress } from '../../../shared/model/progress.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { duration } from './print.ts';

const widestBar = 24;
const narrowestBar = 8;
const widestName = 24;

/** One line a disk and one for all of them, none wider than the terminal: what matters least goes first. */
export function progressLines(progress: ExecutionProgress, columns: number): string[] {
  const names = progress.disks.map((disk) => disk.diskId);
  const widest = Math.min(widestName, Math.max(5, ...names.map((name) => name.length)));
  const lines = progress.disks.map((disk) => line(disk.diskId, disk, widest, columns - 1));
  if (progress.disks.length > 1) lines.push(line('total', progress.total, widest, columns - 1));
  return lines;
}

/** The same in one line without a bar, for logs. */
export function progressSentence({ total }: ExecutionProgress): string {
  return [`${total.phase} ${percent(total)}`, ...numbers(total, true)].join(', ');
}

function line(name: string, progress: TransferProgress, widest: number, room: number): string {
  const short = name.length > widest ? `${name.slice(0, widest - 1)}…` : name.padEnd(widest);
  const shownWith = (cells: number, phase: boolean, parts: readonly string[]): string =>
    `${short} ${bar(progress, cells)} ${percent(progress).padStart(4)}  ${phase ? `${progress.phase.padEnd(9)} ` : ''}${parts.join(', ')}`;
  const all = numbers(progress, true);
  const unsent = numbers(progress, false);
  const choices = [
    shownWith(widestBar, true, all),
    shownWith(widestBar, true, unsent),
    shownWith(narrowestBar, true, unsent),
    shownWith(narrowestBar, false, unsent),
    shownWith(narrowestBar, false, unsent.slice(1)),
  ];
  return choices.find((text) => text.length <= room) ?? (choices.at(-1) ?? '').slice(0, Math.max(20, room));
}

function bar(progress: TransferProgress, cells: number): string {
  const filled = Math.round(share(progress) * cells);
  return `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`;
}

/** How much, and, while bytes are to move, how fast and how long still. */
function numbers(progress: TransferProgress, sent: boolean): string[] {
  const { phase, stalledForSeconds, secondsLeft } = progress;
  const parts = [
    `${bytes(progress.bytesDone)} of ${bytes(progress.bytesTotal)}`,
    ...(sent ? [`${bytes(progress.bytesSent)} sent`] : []),
  ];
  const moves = phase === 'copying' || phase === 'verifying';
  if (moves) parts.push(`${bytes(progress.rateBytesPerSecond)}/s`);
  if (stalledForSeconds > 0) parts.push(`stalled for ${duration(stalledForSeconds)}`);
  else if (moves && secondsLeft !== undefined) parts.push(`${duration(secondsLeft)} left`);
  return parts;
}

function share({ phase, bytesDone, bytesTotal }: TransferProgress): number {
  if (bytesTotal === 0) return phase === 'done' ? 1 : 0;
  return Math.min(1, bytesDone / bytesTotal);
}

function percent(progress: TransferProgress): string {
  // Not 100 % before it is done.
  return progress.phase === 'done' ? '100%' : `${Math.min(99, Math.floor(share(progress) * 100))}%`;
}
