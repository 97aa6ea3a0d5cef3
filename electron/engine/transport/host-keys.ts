import { createHash } from 'node:crypto';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

/**
 * Remembers the SSH host key of a worker, for as long as that worker lives: the one that it made after the first login, or
 * the first one that it showed. In memory alone, as the keys that open workers are: after a crash they are replaced.
 */
export interface HostKeyMemory {
  get(workerId: string): string | undefined;
  remember(workerId: string, hostKey: string): void;
}

/** Host keys known to this process: every later login to a worker expects the same key. */
export const hostKeysOfThisProcess = inProcessHostKeys();

/** A memory that lasts as long as this process. */
export function inProcessHostKeys(): HostKeyMemory {
  const keys = new Map<string, string>();
  return { get: (workerId) => keys.get(workerId), remember: (workerId, hostKey) => void keys.set(workerId, hostKey) };
}

/** `<type> <base64>` of a key as SSH shows it, the form of a line in a known hosts file without the host. */
export function hostKeyText(key: Buffer): string {
  const typeLength = key.readUInt32BE(0);
  return `${key.toString('latin1', 4, 4 + typeLength)} ${key.toString('base64')}`;
}

/** `SHA256:…` as people compare it. */
export function hostKeyFingerprint(hostKey: string): string {
  const base64 = hostKey.split(/\s+/)[1] ?? '';
  return `SHA256:${createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64').replace(/=+$/, '')}`;
}

/** Two keys are one when type and bytes are; a comment behind them does not matter. */
export function sameHostKey(one: string, other: string): boolean {
  return one.trim().split(/\s+/).slice(0, 2).join(' ') === other.trim().split(/\s+/).slice(0, 2).join(' ');
}

export function hostKeyMismatch(where: string, expected: string, shown: string): CausewayError {
  const fingerprints = { expected: hostKeyFingerprint(expected), shown: hostKeyFingerprint(shown) };
  return new CausewayError(
    'transport.host-key-mismatch',
    `${where} has the host key ${fingerprints.shown}, expected ${fingerprints.expected}`,
    { details: fingerprints },
  );
}
