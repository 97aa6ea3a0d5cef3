import { DiskAccess, type AccessTarget } from '../client/disk-access.ts';
import type { AzureCloud } from '../client/open-azure.ts';

interface Shared {
  readonly access: DiskAccess;
  users: number;
}

/** Signed addresses of snapshots that are being read: one for each, whoever reads it. */
export class AccessPool {
  readonly #cloud: AzureCloud;
  readonly #shared = new Map<string, Shared>();

  constructor(cloud: AzureCloud) {
    this.#cloud = cloud;
  }

  /** Asks for nothing yet. @param seconds for how long an address has to be good, if it is the first one of the snapshot */
  take(target: AccessTarget, seconds?: number): DiskAccess {
    const key = keyOf(target);
    const found = this.#shared.get(key) ?? { access: new DiskAccess(this.#cloud, target, 'Read', seconds), users: 0 };
    found.users += 1;
    this.#shared.set(key, found);
    return found.access;
  }

  /** Gives one back; the last one revokes. */
  async giveBack(target: AccessTarget): Promise<void> {
    const found = this.#shared.get(keyOf(target));
    if (found === undefined) return;
    found.users -= 1;
    if (found.users > 0) return;
    this.#shared.delete(keyOf(target));
    // An execution that is called off leaves no address behind either.
    await found.access.end(AbortSignal.timeout(revokeDeadlineMs));
  }

  /** Revokes what is left. */
  async close(): Promise<void> {
    const left = [...this.#shared.values()];
    this.#shared.clear();
    await Promise.allSettled(left.map(({ access }) => access.end(AbortSignal.timeout(revokeDeadlineMs))));
  }
}

const revokeDeadlineMs = 60_000;
const keyOf = ({ group, name }: AccessTarget): string => `${group}/${name}`.toLowerCase();
