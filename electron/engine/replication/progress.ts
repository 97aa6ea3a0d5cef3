import { systemClock, type Clock } from '../time/clock.ts';

export type ProgressPhase = 'planning' | 'copying' | 'flushing' | 'verifying' | 'done';

/** How far a disk is, as numbers. Bytes are those to look at: holes that need nothing done do not count. */
export interface DiskProgress {
  readonly diskId: string;
  readonly phase: ProgressPhase;
  /** 0 while planning; does not change while copying and flushing. */
  readonly bytesTotal: number;
  readonly bytesDone: number;
  /** What crossed the link so far, after compression. */
  readonly bytesSent: number;
  /** `bytesDone` per second over the last seconds; 0 when nothing moved in them. */
  readonly rateBytesPerSecond: number;
  /** The same of `bytesSent`. */
  readonly sentPerSecond: number;
  /** From the bytes still to move and the rate; null while there is no rate. */
  readonly secondsLeft: number | null;
  /** Since when nothing moved, once that is longer than a reader would expect; 0 while it moves. */
  readonly stalledForSeconds: number;
}

export interface ProgressMeter {
  /** Starts a phase; with a total the count restarts at zero. */
  enter(phase: ProgressPhase, bytesTotal?: number): void;
  moved(bytes: number): void;
  sent(bytes: number): void;
  /** Ends it: one last report that always goes out. No report follows. */
  end(phase?: 'done'): void;
}

const MINIMUM_INTERVAL = 200;
/** Reports go out this often also when nothing moves, so that a stall shows. */
const HEARTBEAT = 1000;
const RATE_WINDOW = 10_000;
const STALL_AFTER = 3000;

/** Measures and reports, at most five times a second, the last state always. */
export function createProgressMeter(
  diskId: string,
  report: (progress: DiskProgress) => void,
  clock: Clock = systemClock,
): ProgressMeter {
  let phase: ProgressPhase = 'planning';
  let bytesTotal = 0;
  let bytesDone = 0;
  let bytesSent = 0;
  let movedAt = clock.monotonic();
  let reportedAt = Number.NEGATIVE_INFINITY;
  let callOff: (() => void) | undefined;
  let ended = false;
  /** A report is due before the next heartbeat. */
  let dueSoon = false;
  /** A sample for each half second or so; the first is where the window starts. */
  let samples: { readonly at: number; readonly bytes: number; readonly sent: number }[] = [
    { at: movedAt, bytes: 0, sent: 0 },
  ];

  function rates(now: number): Pick<DiskProgress, 'rateBytesPerSecond' | 'sentPerSecond'> {
    while (samples.length > 1 && samples[1]!.at <= now - RATE_WINDOW) samples.shift();
    const { at, bytes, sent } = samples[0]!;
    const perSecond = (count: number): number =>
      now - at < MINIMUM_INTERVAL ? 0 : Math.round((count * 1000) / (now - at));
    return { rateBytesPerSecond: perSecond(bytesDone - bytes), sentPerSecond: perSecond(bytesSent - sent) };
  }

  function emit(): void {
    const now = clock.monotonic();
    const { rateBytesPerSecond, sentPerSecond } = rates(now);
    if (now - samples.at(-1)!.at >= RATE_WINDOW / 20) samples.push({ at: now, bytes: bytesDone, sent: bytesSent });
    const still = now - movedAt;
    reportedAt = now;
    report({
      diskId,
      phase,
      bytesTotal,
      bytesDone,
      bytesSent,
      rateBytesPerSecond,
      sentPerSecond,
      secondsLeft: phase === 'done' ? 0 : rateBytesPerSecond > 0 ? (bytesTotal - bytesDone) / rateBytesPerSecond : null,
      stalledForSeconds: phase === 'done' || still < STALL_AFTER ? 0 : still / 1000,
    });
  }

  function schedule(milliseconds: number): void {
    callOff?.();
    callOff = clock.after(milliseconds, () => {
      dueSoon = false;
      emit();
      schedule(HEARTBEAT);
    });
  }

  function offer(): void {
    if (ended) return;
    const wait = reportedAt + MINIMUM_INTERVAL - clock.monotonic();
    if (wait > 0) {
      if (!dueSoon) schedule(wait);
      dueSoon = true;
      return;
    }
    emit();
    schedule(HEARTBEAT);
  }

  return {
    enter(next, total) {
      phase = next;
      movedAt = clock.monotonic();
      if (total !== undefined) {
        bytesTotal = total;
        bytesDone = 0;
        samples = [{ at: movedAt, bytes: 0, sent: bytesSent }];
      }
      offer();
    },
    moved(bytes) {
      bytesDone += bytes;
      movedAt = clock.monotonic();
      offer();
    },
    sent(bytes) {
      bytesSent += bytes;
      movedAt = clock.monotonic();
    },
    end(last) {
      if (ended) return;
      ended = true;
      callOff?.();
      if (last !== undefined) phase = last;
      emit();
    },
  };
}
