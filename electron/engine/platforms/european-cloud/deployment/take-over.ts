import type { DeploymentRun } from '../../../ports/deployment-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import type { Iaas } from '../iaas/iaas.ts';
import type { Labels } from '../iaas/labels.ts';
import type { CloudVolume } from '../iaas/volumes.ts';
import { ensureOwned, labelsOf, type Intent } from '../owned.ts';
import type { CloudSession } from '../session.ts';
import { findVolume } from '../volume-state.ts';

/** Brings a volume that exists under another entry: nothing is created, its labels lead to that entry from now on. */
export async function takeOver(
  session: CloudSession, iaas: Iaas, run: DeploymentRun, intent: Intent, volumeId: string, more: Labels, signal: AbortSignal,
): Promise<CloudVolume> {
  const { resource } = await ensureOwned<CloudVolume>(
    session,
    run.ledger,
    intent,
    {
      find: (entry, s) => findVolume(iaas, entry, s),
      get: (id, _entry, s) => iaas.volumes.get(id, s),
      create: (entry, s) => iaas.volumes.change(volumeId, { labels: labelsOf(run, entry, more) }, s),
    },
    signal,
  );
  return resource;
}

/** Ends an entry whose volume is another entry's now. */
export function letGo(run: DeploymentRun, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  return run.ledger.release(entry, { findId: async () => undefined, remove: async () => undefined }, signal);
}
