import { toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';

/** Those that can record, free of secrets, that the process ends: each open project. */
const recorders = new Set<(error: ErrorRecord) => ErrorRecord>();

/** Lets an open project record an error that nothing caught; returns what takes that back. */
export function recordUncaught(record: (error: ErrorRecord) => ErrorRecord): () => void {
  recorders.add(record);
  return () => void recorders.delete(record);
}

export interface UncaughtOptions {
  /** Tells the parent or the person; the process ends when this is done, at the latest after `graceMs`. */
  readonly tell: (error: ErrorRecord, stack: string) => void | Promise<void>;
  readonly status: number;
  readonly graceMs?: number;
}

/**
 * Ends the process in order when an error or a rejection was caught by nothing: the state in memory can't be trusted any
 * more, while everything durable can be resumed. The error is recorded first, then reported.
 */
export function endOnUncaught({ tell, status, graceMs = 5_000 }: UncaughtOptions): void {
  let isEnding = false;
  const end = (thrown: unknown): void => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(status), graceMs);
    let error = toErrorRecord(thrown);
    for (const record of recorders) {
      try {
        error = record(error);
      } catch {
        // The next process and the caller can still read it.
      }
    }
    const frames =
      thrown instanceof Error ? (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
    Promise.resolve()
      .then(() => tell(error, [`${error.code}: ${error.message}`, ...frames].join('\n')))
      .catch(() => undefined)
      .finally(() => process.exit(status));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
