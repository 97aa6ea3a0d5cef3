import type { ExecutionProgress, TransferPhase, TransferProgress } from '../../../shared/model/progress.ts';
import { transferPhases } from '../../../shared/model/progress.ts';

const idle: TransferProgress = {
  phase: 'waiting',
  bytesTotal: 0,
  bytesDone: 0,
  bytesSent: 0,
  rateBytesPerSecond: 0,
  stalledForSeconds: 0,
};

/** Takes what the disks report and publishes it, each time with the total, at most five times a second. */
export interface ProgressMeter {
  report(diskId: string, progress: TransferProgress): void;
  current(): ExecutionProgress;
  /** Publishes what has not been published yet. */
  flush(): void;
}

export function progressMeter(
  options: {
    readonly executionId: string;
    readonly diskIds: readonly string[];
    readonly publish: (progress: ExecutionProgress) => void;
  },
  minIntervalMs = 200,
): ProgressMeter {
  const disks = new Map(options.diskIds.map((id) => [id, idle] as const));
  let publishedAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  const current = (): ExecutionProgress => ({
    executionId: options.executionId,
    total: addUp([...disks.values()]),
    disks: [...disks].map(([diskId, progress]) => ({ diskId, ...progress })),
  });
  const publish = (): void => {
    clearTimeout(timer);
    timer = undefined;
    publishedAt = performance.now();
    options.publish(current());
  };
  return {
    report(diskId, progress) {
      // Verification sends nothing; what the copy sent stays in sight.
      disks.set(diskId, { ...progress, bytesSent: Math.max(progress.bytesSent, disks.get(diskId)?.bytesSent ?? 0) });
      const wait = publishedAt + minIntervalMs - performance.now();
      if (wait <= 0) publish();
      else timer ??= setTimeout(publish, wait).unref();
    },
    current,
    flush: publish,
  };
}

/** Several disks as one. The time left is that of all bytes at the rate of all; the phase that of the disk that is least far. */
export function addUp(parts: readonly TransferProgress[]): TransferProgress {
  const sum = (read: (part: TransferProgress) => number): number =>
    parts.reduce((total, part) => total + read(part), 0);
  const moving = parts.filter((part) => part.phase !== 'waiting' && part.phase !== 'done');
  const rate = sum((part) => part.rateBytesPerSecond);
  const left = sum((part) => Math.max(0, part.bytesTotal - part.bytesDone));
  const known = parts.every((part) => part.phase !== 'waiting' && part.phase !== 'planning');
  return {
    phase: leastFar(moving.length > 0 ? moving : parts),
    bytesTotal: sum((part) => part.bytesTotal),
    bytesDone: sum((part) => part.bytesDone),
    bytesSent: sum((part) => part.bytesSent),
    rateBytesPerSecond: rate,
    sentPerSecond: sum((part) => part.sentPerSecond ?? 0),
    ...(known && rate > 0 ? { secondsLeft: left / rate } : {}),
    stalledForSeconds: moving.length === 0 ? 0 : Math.min(...moving.map((part) => part.stalledForSeconds)),
  };
}

function leastFar(parts: readonly TransferProgress[]): TransferPhase {
  const index = Math.min(...parts.map((part) => transferPhases.indexOf(part.phase)), transferPhases.length - 1);
  return transferPhases[index] ?? 'waiting';
}
