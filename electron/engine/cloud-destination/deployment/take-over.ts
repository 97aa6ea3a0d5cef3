import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { CloudScope, CloudVolume } from '../cloud-scope.ts';
import type { Labels } from '../labels.ts';
import { ensureOwned, labelsOf, type Intent } from '../owned.ts';
import { findVolume } from '../volume-state.ts';

/** Brings a volume that exists under another entry: nothing is created, its labels lead to that entry from now on. */
export async function takeOver(cloud: CloudScope, run: DeploymentRun, intent: Intent, volumeId: string, more: Labels, signal: AbortSignal): Promise<CloudVolume> {
  const { resource } = await ensureOwned<CloudVolume>(
    cloud,
    run.ledger,
    intent,
    {
      find: (entry, s) => findVolume(cloud, entry, s),
      get: (id, _entry, s) => cloud.volumes.get(id, s),
      create: (entry, s) => cloud.volumes.label(volumeId, labelsOf(run, entry, more), s),
    },
    signal,
  );
  return resource;
}

/** Ends an entry whose volume is another entry's now. */
export function letGo(run: DeploymentRun, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  return run.ledger.release(entry, { findId: async () => undefined, remove: async () => undefined }, signal);
}
