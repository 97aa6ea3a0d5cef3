import type { CommandContext } from '../command-context.ts';

/**
 * The first interrupt cancels and waits for the clean-up, the second one leaves the clean-up too. Returns what ends it.
 * `cancel` asks for either; that it may fail because the run has just ended is no matter.
 */
export function cancelOnInterrupt(
  context: Pick<CommandContext, 'signal'>, say: (text: string) => void, cancel: (force: boolean) => Promise<unknown>,
): () => void {
  const leave = (): void => {
    say('Clean-up skipped; what is left is in the ledger.');
    cancel(true).catch(() => undefined);
  };
  const stop = (): void => {
    say('Cancelling and cleaning up. Press Ctrl-C again to skip the clean-up.');
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, leave);
    cancel(false).catch(() => undefined);
  };
  if (context.signal.aborted) stop();
  else context.signal.addEventListener('abort', stop, { once: true });
  return () => {
    context.signal.removeEventListener('abort', stop);
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.removeListener(name, leave);
  };
}
