import type { WorkerRole } from '../ports/destination-platform.ts';
import type { ResourceKind } from '../ports/ledger.ts';
import { createEd25519KeyPair, type SshKeyPair } from '../ssh-keys/ed25519-key-pair.ts';
import type { Certificate } from '../transport/certificates.ts';
import type { Intent } from '../cloud-resources/ledgered-resource.ts';

/** What opens one worker. Lives in this process only. */
export interface WorkerKeys {
  readonly account: SshKeyPair;
  readonly host: SshKeyPair;
  /** Of a Windows worker's administrator and WinRM listener. */
  readonly windows?: { readonly password: string; readonly certificate: Certificate };
}

/** The keys of the workers that this process started, by ledger entry. */
export type WorkerKeyRing = Map<string, WorkerKeys>;

/** New keys of a worker: of its account, and of its SSH server. */
export function createWorkerKeys(name: string): WorkerKeys {
  return { account: createEd25519KeyPair('causeway'), host: createEd25519KeyPair(name) };
}

/** The ledger key of one part of a worker. */
export function keyOf(role: WorkerRole, part: string): string {
  return `worker/${role}/${part}`;
}

/** A part of a worker as the ledger records it: it is deleted with the execution. */
export function temporary(kind: ResourceKind, role: WorkerRole, part: string, details: Intent['details']): Intent {
  return { kind, key: keyOf(role, part), lifetime: 'temporary', details };
}
