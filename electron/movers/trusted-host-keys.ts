import type { TrustedHostKey } from '../../shared/contract/mover-calls.ts';

/** Whether a person has confirmed this key for this server. The same key of another one does not count: a jump host can show its own for the servers behind it. */
export function isTrustedHostKey(
  trusted: readonly TrustedHostKey[],
  { host, port }: { readonly host: string; readonly port: number },
  fingerprint: string,
): boolean {
  return trusted.some(
    (entry) =>
      entry.host.toLowerCase() === host.toLowerCase() && entry.port === port && entry.fingerprint === fingerprint,
  );
}
