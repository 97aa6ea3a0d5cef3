import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import { missingTools } from '../rbd/local-tools.ts';
import { exportWorkerWishes } from './export-worker/worker-environment.ts';
import { chosenMechanism, type MechanismName } from './index.ts';

/** How a server is exported from this computer. */
export interface UsableMechanism {
  readonly name: MechanismName;
  /** Where it is not the one that the environment names: that one, and why it cannot be used here. */
  readonly insteadOf?: { readonly name: MechanismName; readonly reason: string };
}

/** They read the storage from this computer, by programs that only some computers have. */
const readsStorage: ReadonlySet<MechanismName> = new Set<MechanismName>([
  'distributed_backups',
  'distributed_snapshots',
]);

/**
 * The mechanism that the environment names, or the export worker where this computer lacks the programs for it: the worker reads
 * the same volumes from within the cloud.
 *
 * @throws `source.unsupported`; `source.tool-missing` when the environment does not say enough to start the worker
 */
export async function usableMechanism(environment: JsonObject, signal: AbortSignal): Promise<UsableMechanism> {
  const name = chosenMechanism(environment);
  if (!readsStorage.has(name)) return { name };
  const missing = await missingTools(signal);
  if (missing.length === 0) return { name };
  const reason = missing.join('; ');
  try {
    exportWorkerWishes(environment);
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    throw new CausewayError(
      'source.tool-missing',
      `${name} cannot be used on this computer: ${reason}. The export worker cannot be used instead: ${error.message}`,
      {
        details: { ...error.details, missing: [...missing] },
        cause: error,
      },
    );
  }
  return { name: 'service_backups', insteadOf: { name, reason } };
}
