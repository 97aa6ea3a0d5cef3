import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { CloudApi, CloudVolume } from '../cloud-api.ts';
import type { Labels } from '../labels.ts';
import { ensureResource, resourceTags, type Intent } from '../ledgered-resource.ts';
import { findVolume } from '../volume-state.ts';

/** Brings a volume that exists under another entry: nothing is created, its labels lead to that entry from now on. */
export async function claimVolume(
  cloud: CloudApi,
  run: DeploymentRun,
  intent: Intent,
  volumeId: string,
  more: Labels,
  signal: AbortSignal,
): Promise<CloudVolume> {
  const { resource } = await ensureResource<CloudVolume>(
    cloud,
    run.ledger,
    intent,
    {
      find: (entry, s) => findVolume(cloud, entry, s),
      get: (id, _entry, s) => cloud.volumes.get(id, s),
      create: (entry, s) => cloud.volumes.label(volumeId, resourceTags(run, entry, more), s),
    },
    signal,
  );
  return resource;
}

/** Closes an entry whose volume now belongs to another entry. */
export function closeEntry(run: DeploymentRun, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  return run.ledger.release(entry, { findId: async () => undefined, remove: async () => undefined }, signal);
}
