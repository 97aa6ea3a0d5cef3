/**
 * Ends this process when a promise is rejected and not handled. Node does that by itself; Electron's utility
 * process only warns, and would continue in an unknown state. The parent starts a new engine, which continues from
 * the last checkpoint.
 */
export function endOnUnhandledRejection(): void {
  process.on('unhandledRejection', (reason) => {
    process.stderr.write(
      `Unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}\n`,
      () => process.exit(1),
    );
    // A broken standard error must not keep it alive.
    setTimeout(() => process.exit(1), 1000);
  });
}
