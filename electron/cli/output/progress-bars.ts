import type { ExecutionProgress, TransferProgress } from '../../../shared/model/progress.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { duration } from './quantities.ts';

const barCells = 24;

/** One line a disk and one for all of them, none wider than the terminal. */
export function progressLines(progress: ExecutionProgress, columns: number): string[] {
  const names = progress.disks.map((disk) => disk.diskId);
  const widest = Math.min(24, Math.max(5, ...names.map((name) => name.length)));
  const lines = progress.disks.map((disk) => line(disk.diskId, disk, widest));
  if (progress.disks.length > 1) lines.push(line('total', progress.total, widest));
  return lines.map((text) => text.slice(0, Math.max(20, columns - 1)));
}

/** The same in one line without a bar, for logs. */
export function progressSentence({ total }: ExecutionProgress): string {
  return `${total.phase} ${percent(total)}, ${numbers(total)}`;
}

function line(name: string, progress: TransferProgress, widest: number): string {
  const short = name.length > widest ? `${name.slice(0, widest - 1)}…` : name.padEnd(widest);
  const filled = Math.round(share(progress) * barCells);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barCells - filled)}`;
  return `${short} ${bar} ${percent(progress).padStart(4)}  ${progress.phase.padEnd(9)} ${numbers(progress)}`;
}

function numbers(progress: TransferProgress): string {
  const parts = [`${bytes(progress.bytesDone)} of ${bytes(progress.bytesTotal)}`, `${bytes(progress.bytesSent)} sent`];
  if (progress.phase === 'done' || progress.phase === 'waiting') return parts.join(', ');
  parts.push(`${bytes(progress.rateBytesPerSecond)}/s`);
  if (progress.stalledForSeconds > 0) parts.push(`stalled for ${duration(progress.stalledForSeconds)}`);
  else if (progress.secondsLeft !== undefined) parts.push(`${duration(progress.secondsLeft)} left`);
  return parts.join(', ');
}

function share({ phase, bytesDone, bytesTotal }: TransferProgress): number {
  if (bytesTotal === 0) return phase === 'done' ? 1 : 0;
  return Math.min(1, bytesDone / bytesTotal);
}

function percent(progress: TransferProgress): string {
  // Not 100 % before it is done.
  return progress.phase === 'done' ? '100%' : `${Math.min(99, Math.floor(share(progress) * 100))}%`;
}
