import { Notification, powerMonitor, powerSaveBlocker } from 'electron';
import type { EndedRun, RunWatch } from '../workbench/run-watch.ts';

/** Keeps the computer from falling asleep by itself while something runs; the screen may go dark. */
export function keepAwakeWhileRunning(runs: RunWatch): void {
  let blocker: number | undefined;
  runs.onChange((active) => {
    if (active > 0 && blocker === undefined) blocker = powerSaveBlocker.start('prevent-app-suspension');
    if (active > 0 || blocker === undefined) return;
    powerSaveBlocker.stop(blocker);
    blocker = undefined;
  });
}

/** Measures how long the computer was asleep. @param now milliseconds of a clock that goes on during sleep */
export function onWake(woke: (asleepMs: number) => void, now: () => number = Date.now): void {
  let asleepSince: number | undefined;
  powerMonitor.on('suspend', () => {
    asleepSince ??= now();
  });
  powerMonitor.on('resume', () => {
    // Some systems tell of waking only. A clock that was set back must not give a negative time.
    woke(asleepSince === undefined ? 0 : Math.max(0, now() - asleepSince));
    asleepSince = undefined;
  });
}

const titles: Readonly<Record<EndedRun['state'], string>> = {
  completed: 'finished',
  failed: 'failed',
  cancelled: 'was cancelled',
};

/**
 * Tells of a run's end by the desktop when nobody looks at the window.
 *
 * @param nameOf the replica's name, for people
 * @param show brings the window to the front; called when the user clicks
 */
export function notifyOfEnds(
  runs: RunWatch,
  options: {
    readonly isLookedAt: () => boolean;
    readonly nameOf: (replicaId: string) => Promise<string | undefined>;
    readonly show: () => void;
    readonly log: (message: string) => void;
  },
): void {
  const shown = new Set<Notification>();
  runs.onEnded((run) => void notify(run));

  async function notify(run: EndedRun): Promise<void> {
    if (options.isLookedAt() || !Notification.isSupported()) return;
    const name = run.replicaId === undefined ? undefined : await options.nameOf(run.replicaId);
    const what = run.kind === 'deployment' ? 'deployment' : 'replication';
    const title =
      run.kind === 'wave' ? `A wave ${titles[run.state]}` : `${name ?? 'A replica'}: ${what} ${titles[run.state]}`;
    const notification = new Notification({ title, body: run.message });
    // Held until it is gone: a collected notification loses its click.
    shown.add(notification);
    // On Windows; without a listener nobody learns that nothing was shown. Source: docs/api/notification.md, event failed.
    notification.once('failed', (_event, error) => {
      shown.delete(notification);
      options.log(`a notification was not shown: ${error}`);
    });
    notification.once('close', () => shown.delete(notification));
    notification.once('click', () => {
      shown.delete(notification);
      options.show();
    });
    notification.show();
  }
}
